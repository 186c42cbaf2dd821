// The columns of the table: headings with their sort marks, aggregates below, and widths.

import { element } from "../parts/element.js";
import { own } from "../core/json.js";
import { brief, words } from "../core/values.js";

/** The type of a property as a person needs it: the console shows and reads all times in UTC. */
export function typeWords(property) {
  return /\bdate\b/.test(property.type) ? `${property.type} · UTC` : property.type;
}

export class Columns {
  /** The widths that the columns need, without what a wide window adds. */
  #widths = null;
  /** The font of cells. Asking for it while rows are placed would lay out the page each time. */
  #font = null;
  #pen = document.createElement("canvas").getContext("2d");

  constructor(root) {
    this.root = root;
    this.head = element("div", "head", { role: "row", "aria-rowindex": "1" });
    this.foot = element("div", "foot", { "aria-hidden": "true" });
  }

  /** Starts over for a class. The reader's own widths are in `layout`. */
  show(objectClass, schema, layout) {
    Object.assign(this, { schema, layout });
    this.properties = layout.properties;
    this.#widths = null;
    this.#font = null;
    const { answer } = this;
    if (answer !== undefined) this.aggregates(answer);
    this.head.replaceChildren();
    this.properties.forEach((property, column) => {
      const sortable = this.schema.sortPath(property) !== null;
      const heading = element("div", sortable ? "heading sortable" : "heading", {
        role: "columnheader", "aria-colindex": String(column + 1), tabindex: "-1",
      });
      heading.dataset.column = String(column);
      if (property.isNumeric || ["decimal128", "backlinks"].includes(property.kind)) heading.classList.add("number");
      const name = element("span", "name");
      name.textContent = property.name;
      const type = element("span", "type");
      type.textContent = property.kind === "backlinks" ? `${property.target}.${property.origin}` : typeWords(property);
      if (property.kind === "objectKey") heading.classList.add("number");
      else if (property.isKey) type.textContent += " · key";
      else if (property.kind === "embedded") type.textContent += " · embedded";
      else if (property.indexed) type.textContent += " · index";
      else if (property.fullText) type.textContent += " · full text";
      const order = element("span", "order", { "aria-hidden": "true" });
      const top = element("span", "top");
      top.append(name, order);
      heading.append(top, type, this.#grip(property, column));
      heading.title = `${sortable ? `Sort by ${property.name}; hold Shift to add it to the sort. ` : ""}Alt and the arrows move the column and change its width`;
      this.head.append(heading);
    });
    const actions = element("div", "heading actions", {
      role: "columnheader", "aria-colindex": String(this.properties.length + 1),
    });
    const words = element("span", "hidden");
    words.textContent = "Actions";
    actions.append(words);
    this.head.append(actions);
    this.root.dispatchEvent(new Event("headings"));
  }

  /** The edge of a heading, which the pointer drags to another width. */
  #grip(property, column) {
    const grip = element("span", "grip", { "aria-hidden": "true" });
    let begin = null;
    grip.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      event.stopPropagation();
      begin = { x: event.clientX, width: this.widthOf(property) };
      grip.setPointerCapture(event.pointerId);
    });
    grip.addEventListener("pointermove", (event) => {
      if (begin === null) return;
      this.layout.widen(property.name, begin.width + event.clientX - begin.x);
      this.widen();
    });
    for (const name of ["pointerup", "pointercancel"]) grip.addEventListener(name, () => { begin = null; });
    grip.addEventListener("dblclick", (event) => {
      event.stopPropagation();
      this.layout.widen(property.name, this.#widths[column]);
      this.widen();
    });
    return grip;
  }

  /** The present width of a column. */
  widthOf(property) {
    return this.head.children[this.properties.indexOf(property)]?.offsetWidth ?? 120;
  }

  /** The sort keys in force, to mark the headings: `[{path, descending}]`. */
  sorted(keys) {
    for (const heading of this.head.querySelectorAll(".heading[data-column]")) {
      const property = this.properties[Number(heading.dataset.column)];
      const path = this.schema.sortPath(property);
      const position = path === null ? -1 : keys.findIndex((one) => one.path === path);
      const mark = heading.querySelector(".order");
      heading.removeAttribute("aria-sort");
      mark.textContent = "";
      if (position >= 0) {
        const { descending } = keys[position];
        heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
        mark.textContent = (descending ? "↓" : "↑") + (keys.length > 1 ? String(position + 1) : "");
      }
    }
  }

  /** Minimum, maximum and average under their columns; null removes the line. */
  aggregates(answer) {
    this.answer = answer;
    this.foot.replaceChildren();
    this.foot.hidden = answer === null;
    if (answer === null) return;
    for (const property of this.properties ?? []) {
      const cell = element("div", "sum");
      const low = own(answer.min, property.path) ?? null;
      const high = own(answer.max, property.path) ?? null;
      const mean = own(answer.average, property.path) ?? null;
      const lines = [];
      if (low !== null && property.kind === "date") lines.push(`${brief(low, property)} …`, brief(high, property));
      else if (low !== null) lines.push(`${brief(low, property)} … ${brief(high, property)}`);
      if (mean !== null) lines.push(`avg ${brief(mean, property)}`);
      cell.classList.toggle("number", property.isNumeric);
      cell.title = lines.join("\n");
      cell.append(...lines.map((line) => {
        const span = element("span", "");
        span.textContent = line;
        return span;
      }));
      this.foot.append(cell);
    }
  }

  /**
   * Column widths from the headings and the first rows, which should be done once per class: columns must not move
   * under the reader.
   */
  measure(rows) {
    const sample = rows.slice(0, 120);
    this.#widths = this.properties.map((property, column) => {
      const type = this.head.children[column].querySelector(".type").textContent;
      const heading = Math.max(this.#width(property.name) + 26, this.#width(type) * 0.84);
      return this.#room(property, sample.map((row) => words(row, property)), heading);
    });
    this.fit(rows);
    this.widen();
  }

  /** Makes room for these rows where a value that is cut off would be misread: keys, numbers and dates. */
  fit(rows) {
    let grown = false;
    this.properties.forEach((property, column) => {
      if (!property.isKey && !property.isNumeric && !["date", "decimal128"].includes(property.kind)) return;
      const longest = rows.reduce((found, row) => {
        const text = words(row, property);
        return text.length > found.length ? text : found;
      }, "");
      if (this.#widths === null) return;
      const room = this.#room(property, [longest], 0);
      if (room <= this.#widths[column]) return;
      this.#widths[column] = room;
      grown = true;
    });
    if (grown) this.widen();
  }

  #room(property, texts, least) {
    const extra = { link: 14, backlinks: 30, bool: 18 }[property.kind] ?? (property === this.properties[0] ? 20 : 0);
    const pick = property === this.properties[0] && matchMedia("(pointer: coarse), (max-width: 760px)").matches ? 12 : 0;
    const widest = texts.reduce((width, text) => Math.max(width, this.#width(text, property.isKey)), least);
    return Math.round(Math.min(widest + extra + pick + 30, this.root.clientWidth < 560 ? 180 : 300));
  }

  #width(text, isBold = false) {
    if (this.#font === null) {
      const style = getComputedStyle(this.root);
      this.#font = `${style.fontSize} ${style.fontFamily}`;
    }
    this.#pen.font = `${isBold ? "600 " : ""}${this.#font}`;
    return this.#pen.measureText(text).width;
  }

  /** Shares out some of the room that a wide window leaves, not all: a line must stay readable across. */
  widen() {
    if (this.#widths === null) return;
    const tailWidth = parseFloat(getComputedStyle(this.root).getPropertyValue("--tail")) || 76;
    const chosen = this.properties.map((one) => this.layout.widthOf(one));
    const sum = this.#widths.reduce((total, width, column) => total + (chosen[column] ?? width), 0);
    const factor = Math.max(1, Math.min(1.4, (this.root.clientWidth - tailWidth) / sum));
    const columns = this.#widths.map((width, column) => `${chosen[column] ?? Math.floor(width * factor)}px`);
    this.root.style.setProperty("--pinned", columns[0] ?? "0px");
    this.root.style.setProperty("--columns", `${columns.join(" ")} minmax(${tailWidth}px, 1fr)`);
  }
}
