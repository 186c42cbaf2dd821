// The schema as a diagram: a box for each class, a line for each link. It is drawn again when the schema changes.

import { arrange } from "../charts/diagram-layout.js";
import { rounded, svg } from "../charts/svg.js";
import { pageAddress, routeAddress } from "../core/route.js";
import { tally } from "../core/values.js";
import { make } from "../parts/element.js";
import { empty, heading, panel, table } from "../parts/ui.js";

const row = 22;
const head = 40;
const edge = 14;
/** More properties than this make a box that hides the others; the last row says how many there are. */
const most = 14;
const margin = 24;
/** How far a line that begins and ends at the same side leads away from it. */
const arc = 46;

export const title = "Diagram";

export function open(root, _, { database }) {
  const draw = () => drawSchema(root, database);
  const count = () => showCounts(root, database);
  database.addEventListener("counts", count);
  draw();
  return { schemaChanged: draw, close: () => database.removeEventListener("counts", count) };
}

function drawSchema(root, database) {
  const { classes, text } = database.schema;
  const version = JSON.parse(text).schemaVersion;
  const links = linksOf(classes);
  root.replaceChildren(
    heading("Diagram", `The classes of the schema, version ${version}, and the links between them.`,
      make("a.action", { href: pageAddress("schema") }, database.rights.isAdministrator ? "Edit the schema" : "Show the schema")));
  if (classes.length === 0) {
    root.append(empty("The schema has no classes yet."));
    return;
  }
  root.append(
    make("div.diagram.panel", { tabindex: "0", role: "group", "aria-label": "Diagram of the schema" }, picture(classes, links)),
    panel("Links", { note: "The lines of the diagram, in words." }, links.length === 0 ? empty("No class links to another one.")
      : table("Links between classes", ["Property", "Leads to", "How many"], links.map((one) => [
        make("code", {}, `${one.from}.${one.property.name}`),
        make("a.quiet-link", { href: routeAddress({ className: one.to }) }, one.to), one.words,
      ]))));
  showCounts(root, database);
}

function showCounts(root, database) {
  for (const text of root.querySelectorAll("[data-count]")) {
    const count = database.counts.get(text.dataset.count);
    text.textContent = count === undefined ? "" : tally(count);
  }
}

function linksOf(classes) {
  const names = new Set(classes.map((one) => one.name));
  return classes.flatMap((one) => one.properties
    .filter((property) => property.target !== null && property.kind !== "backlinks" && names.has(property.target))
    .map((property) => ({
      from: one.name, to: property.target, property,
      isMany: property.kind === "collection", isOwned: classes.find((each) => each.name === property.target).isEmbedded,
      words: property.kind !== "collection" ? "one or none" : property.type.endsWith("{}") ? "many, by key"
        : property.type.endsWith("<>") ? "many, each once" : "many, in order",
    })));
}

// MARK: Drawing

function picture(classes, links) {
  const measure = document.createElement("canvas").getContext("2d");
  const style = getComputedStyle(document.body).fontFamily;
  const widthOf = (words, font) => {
    measure.font = `${font} ${style}`;
    return measure.measureText(words).width;
  };
  const boxes = classes.map((one) => {
    const properties = one.properties.filter((property) => property.kind !== "objectKey");
    const shown = properties.length > most ? properties.slice(0, most - 1) : properties;
    const widest = shown.map((property) => widthOf(property.name, "600 12.5px") + widthOf(typeText(property), "11px") + 28);
    const width = Math.round(Math.min(320, Math.max(170, widthOf(one.name, "17px") + 90, ...widest) + 2 * edge));
    const rows = shown.length + (shown.length < properties.length ? 1 : 0);
    return { name: one.name, one, shown, hidden: properties.length - shown.length, width, height: head + rows * row + 10 };
  });
  const { places, width, height } = arrange(boxes, links);
  const byName = new Map(boxes.map((box) => [box.name, { ...box, ...places.get(box.name) }]));
  const lines = links.map((link) => line(link, byName));
  const mark = (name) => {
    for (const one of lines) {
      const isLit = name !== null && (one.dataset.from === name || one.dataset.to === name);
      one.classList.toggle("lit", isLit);
      one.setAttribute("marker-end", isLit ? "url(#arrow-lit)" : "url(#arrow)");
    }
  };
  const across = width + 2 * margin + arc;
  const made = svg("svg.entities", {
    viewBox: `${-margin} ${-margin} ${across} ${height + 2 * margin}`, width: across, height: height + 2 * margin,
  },
  svg("defs", {}, arrow("arrow", "arrow-head"), arrow("arrow-lit", "arrow-head.lit")),
  lines, [...byName.values()].map((box) => drawBox(box, mark)));
  // It shrinks to the window, as long as its words can be read.
  made.style.setProperty("--least", `${Math.round(across * 0.75)}px`);
  return made;
}

function arrow(id, kind) {
  return svg("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 10, markerHeight: 10, markerUnits: "userSpaceOnUse", orient: "auto" },
    svg(`path.${kind}`, { d: "M0 0.8 7 4 0 7.2z" }));
}

function drawBox({ name, one, shown, hidden, x, y, width, height }, mark) {
  const rows = shown.map((property, index) => {
    const middle = y + head + index * row + row / 2 + 4;
    return [
      svg(`text.property-text${property.isKey ? ".key" : ""}`, { x: rounded(x + edge), y: rounded(middle) }, cut(property.name, 24)),
      svg("text.type-text", { x: rounded(x + width - edge), y: rounded(middle), "text-anchor": "end" }, cut(typeText(property), 26)),
    ];
  });
  if (hidden > 0) {
    rows.push(svg("text.type-text", { x: rounded(x + edge), y: rounded(y + head + shown.length * row + row / 2 + 4) }, `and ${hidden} more`));
  }
  const words = `${name}, ${one.isEmbedded ? "embedded, " : ""}${one.properties.length} ${one.properties.length === 1 ? "property" : "properties"}`;
  return svg(`a.entity${one.isEmbedded ? ".embedded" : ""}`, {
    href: routeAddress({ className: name }), "aria-label": words,
    onfocus: () => mark(name), onblur: () => mark(null), onpointerenter: () => mark(name), onpointerleave: () => mark(null),
  },
  svg("rect.box", { x: rounded(x), y: rounded(y), width, height, rx: 10 }),
  svg("line.rule", { x1: rounded(x), x2: rounded(x + width), y1: rounded(y + head - 6), y2: rounded(y + head - 6) }),
  svg("text.class-text", { x: rounded(x + edge), y: rounded(y + 23) }, cut(name, 24)),
  svg("text.type-text", { x: rounded(x + width - edge), y: rounded(y + 22), "text-anchor": "end", "data-count": name }),
  rows);
}

/** A line from the row of a property to the head of the box that it leads to. */
function line({ from, to, property, isMany, isOwned }, byName) {
  const [start, end] = [byName.get(from), byName.get(to)];
  const index = start.shown.indexOf(property);
  const y1 = start.y + head + (index < 0 ? start.shown.length : index) * row + row / 2;
  const y2 = end.y + (head - 6) / 2;
  let d;
  if (start.column === end.column || from === to) {
    // Beside its own column, in an arc on the right.
    const [x1, x2] = [start.x + start.width, end.x + end.width];
    const far = Math.max(x1, x2) + arc;
    d = `M${rounded(x1)} ${rounded(y1)}C${rounded(far)} ${rounded(y1)} ${rounded(far)} ${rounded(y2)} ${rounded(x2 + 2)} ${rounded(y2)}`;
  } else {
    const isRight = end.x > start.x;
    const x1 = isRight ? start.x + start.width : start.x;
    const x2 = isRight ? end.x - 2 : end.x + end.width + 2;
    const bend = (x2 - x1) / 2;
    d = `M${rounded(x1)} ${rounded(y1)}C${rounded(x1 + bend)} ${rounded(y1)} ${rounded(x2 - bend)} ${rounded(y2)} ${rounded(x2)} ${rounded(y2)}`;
  }
  return svg(`path.link-line${isMany ? ".many" : ""}${isOwned ? ".owned" : ""}`, { d, "marker-end": "url(#arrow)", "data-from": from, "data-to": to },
    svg("title", {}, `${from}.${property.name} leads to ${to}`));
}

function typeText(property) {
  if (property.kind === "backlinks") return `← ${property.target}.${property.origin}`;
  return property.isKey ? `${property.type} · key` : property.type;
}

const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
