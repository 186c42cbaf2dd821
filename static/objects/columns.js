// The columns of the table: headings with their sort marks, aggregates below, and widths.

import { element } from "../parts/element.js";
import { brief, words } from "../core/values.js";

export class Columns {
  /** The widths that the columns need, without what a wide window adds. */
  #widths = null;
  #pen = document.createElement("canvas").getContext("2d");

  constructor(root) {
    this.root = root;
    this.head = element("div", "head", { role: "row", "aria-rowindex": "1" });
    this.foot = element("div", "foot", { "aria-hidden": "true" });
  }

  /** Starts over for a class. */
  show(objectClass, schema) {
    this.schema = schema;
    this.properties = objectClass.properties;
    this.head.replaceChildren();
    this.properties.forEach((property, column) => {
      const sortable = this.schema.sortPath(property) !== null;
      const heading = element("div", sortable ? "heading sortable" : "heading", {
        role: "columnheader", "aria-colindex": String(column + 1), tabindex: "-1",
      });
      heading.dataset.column = String(column);
      if (property.isNumeric || property.kind === "decimal128") heading.classList.add("number");
      const name = element("span", "name");
      name.textContent = property.name;
      const type = element("span", "type");
      type.textContent = property.kind === "backlinks" ? `${property.target}.${property.origin}` : property.type;
      if (property.kind === "objectKey") heading.classList.add("number");
      else if (property.isKey) type.textContent += " · key";
      else if (property.kind === "embedded") type.textContent += " · embedded";
      else if (property.indexed) type.textContent += " · index";
      else if (property.fullText) type.textContent += " · full text";
      const order = element("span", "order", { "aria-hidden": "true" });
      const top = element("span", "top");
      top.append(name, order);
      heading.append(top, type);
      if (sortable) heading.title = `Sort by ${property.name}; hold Shift to add it to the sort`;
      this.head.append(heading);
    });
    this.head.append(element("div", "filler", { role: "presentation" }));
  }

  /** The sort keys in force, to mark the headings: `[{path, descending}]`. */
  sorted(keys) {
    for (const heading of this.head.querySelectorAll(".heading")) {
      const property = this.properties[Number(heading.dataset.column)];
      const path = this.schema.sortPath(property);
      const place = path === null ? -1 : keys.findIndex((one) => one.path === path);
      const mark = heading.querySelector(".order");
      heading.removeAttribute("aria-sort");
      mark.textContent = "";
      if (place >= 0) {
        const { descending } = keys[place];
        heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
        mark.textContent = (descending ? "↓" : "↑") + (keys.length > 1 ? String(place + 1) : "");
      }
    }
  }

  /** Minimum, maximum and average under their columns; null removes the line. */
  aggregates(answer) {
    this.foot.replaceChildren();
    this.foot.hidden = answer === null;
    if (answer === null) return;
    for (const property of this.properties) {
      const cell = element("div", "sum");
      const low = answer.min?.[property.name] ?? null;
      const high = answer.max?.[property.name] ?? null;
      const mean = answer.average?.[property.name] ?? null;
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
      const room = this.#room(property, [longest], 0);
      if (room <= this.#widths[column]) return;
      this.#widths[column] = room;
      grown = true;
    });
    if (grown) this.widen();
  }

  #room(property, texts, least) {
    const extra = { link: 14, backlinks: 14, bool: 18 }[property.kind] ?? (property === this.properties[0] ? 6 : 0);
    const widest = texts.reduce((width, text) => Math.max(width, this.#width(text, property.isKey)), least);
    return Math.round(Math.min(widest + extra + 30, this.root.clientWidth < 560 ? 180 : 300));
  }

  #width(text, isBold = false) {
    const style = getComputedStyle(this.root);
    this.#pen.font = `${isBold ? "600 " : ""}${style.fontSize} ${style.fontFamily}`;
    return this.#pen.measureText(text).width;
  }

  /** Shares out some of the room that a wide window leaves, not all: a line must stay readable across. */
  widen() {
    if (this.#widths === null) return;
    const sum = this.#widths.reduce((total, width) => total + width, 0);
    const factor = Math.max(1, Math.min(1.4, (this.root.clientWidth - 52) / sum));
    const columns = this.#widths.map((width) => `${Math.floor(width * factor)}px`);
    this.root.style.setProperty("--pinned", columns[0] ?? "0px");
    this.root.style.setProperty("--columns", `${columns.join(" ")} minmax(52px, 1fr)`);
  }
}
