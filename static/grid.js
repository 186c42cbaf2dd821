// The table: only the rows in view are in the page, each held by its object's key, so that a row that moves glides to
// its new place, one that changed is washed in colour, and one that left fades where it stood.

import { same } from "./json.js";
import { brief, dateText, text } from "./values.js";

const rowHeight = 38;
const overscan = 10;
const markTime = 3200;
const leaveTime = 520;

export class Grid {
  #elements = new Map();
  #marks = new Map();
  #active = { row: 0, column: 0 };
  #activeKey = null;
  #frame = 0;
  #sweep = 0;
  #glide = 0;
  /** The widths that the columns need, without what a wide window adds. */
  widths = null;

  /**
   * `on.sort(property, additive)`, `on.edit(key, property, cell)`, `on.remove(key)`, `on.more()`;
   * `on.address(object, property, value)` gives where a link leads: `{href, title}`, or null.
   */
  constructor(root, on) {
    this.root = root;
    this.on = on;
    this.head = element("div", "head", { role: "row", "aria-rowindex": "1" });
    this.body = element("div", "body", { role: "rowgroup" });
    this.foot = element("div", "foot", { "aria-hidden": "true" });
    this.more = element("div", "more", { role: "row" });
    this.more.hidden = true;
    this.inner = element("div", "inner");
    this.inner.append(this.head, this.body, this.more, this.foot);
    root.append(this.inner);
    root.addEventListener("scroll", () => this.#schedule(), { passive: true });
    new ResizeObserver(() => {
      this.#widen();
      this.#schedule();
    }).observe(root);
    root.addEventListener("keydown", (event) => this.#keydown(event));
    root.addEventListener("focusin", (event) => this.#focused(event));
    root.addEventListener("dblclick", (event) => {
      const cell = event.target.closest(".cell");
      if (cell && !event.target.closest("a, .editor, .remove")) this.#edit(cell);
    });
    root.addEventListener("click", (event) => {
      const remove = event.target.closest(".remove");
      if (remove) this.on.remove(remove.closest(".row").dataset.key);
      const heading = event.target.closest(".heading.sortable");
      if (heading) this.on.sort(this.properties[Number(heading.dataset.column)], event.shiftKey);
    });
  }

  /** Starts over for a class. */
  show(objectClass, schema, rows) {
    this.class = objectClass;
    this.schema = schema;
    this.properties = objectClass.properties;
    this.live = rows;
    this.#active = { row: 0, column: 0 };
    this.#activeKey = null;
    this.#marks.clear();
    for (const row of this.#elements.values()) row.remove();
    this.#elements.clear();
    this.body.replaceChildren();
    this.measured = false;
    this.root.scrollTo(0, 0);
    this.root.setAttribute("aria-colcount", String(this.properties.length));
    this.#heading();
    this.aggregates(null);
    this.#measure();
    this.#layout();
  }

  /** Back to the first row: the order is another one. */
  toTop() {
    this.root.scrollTop = 0;
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

  /** Minimum, maximum and average under their columns; null takes the line away. */
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

  /** Shows the rows as they are now. `changes` says what to mark; without it nothing moves or glows. */
  refresh(changes = null, total = null) {
    if (!this.measured) this.#measure();
    if (changes !== null) {
      const until = performance.now() + markTime;
      for (const key of changes.inserted) this.#marks.set(key, { kind: "inserted", names: [], until, fresh: true });
      for (const [key, names] of changes.modified) {
        this.#marks.set(key, { kind: "modified", names, until, fresh: true });
      }
      this.root.classList.add("gliding");
      clearTimeout(this.#glide);
      this.#glide = setTimeout(() => this.root.classList.remove("gliding"), 420);
      for (const key of changes.removed) this.#leave(key);
    }
    this.root.setAttribute("aria-rowcount", String((total ?? this.live.rows.length) + 1));
    this.#layout();
    this.#render();
    this.#startSweep();
  }

  /** The line under the last row: a button that asks for more, or a sentence at the end of what can be shown. */
  showMore(text, { atEnd = false } = {}) {
    if (this.more.textContent === (text ?? "")) return;
    this.more.replaceChildren();
    this.more.hidden = text === null;
    if (text === null) return;
    const cell = element("div", "", { role: "gridcell" });
    this.more.append(cell);
    if (atEnd) {
      cell.textContent = text;
      return;
    }
    const button = element("button", "action");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", () => this.on.more());
    cell.append(button);
  }

  /** Puts the keyboard on the active cell. */
  focus() {
    this.#focusCell(this.#active.row, this.#active.column);
  }

  cell(key, property) {
    const row = this.#elements.get(key);
    return row?.children[this.properties.indexOf(property)] ?? null;
  }

  // MARK: Columns

  #heading() {
    this.head.replaceChildren();
    this.properties.forEach((property, column) => {
      const sortable = this.schema.sortPath(property) !== null;
      const heading = element("div", sortable ? "heading sortable" : "heading", {
        role: "columnheader", "aria-colindex": String(column + 1), tabindex: "-1",
      });
      heading.dataset.column = String(column);
      if (property.isNumeric) heading.classList.add("number");
      const name = element("span", "name");
      name.textContent = property.name;
      const type = element("span", "type");
      type.textContent = property.kind === "backlinks" ? `${property.target}.${property.origin}` : property.type;
      if (property.kind === "objectKey") heading.classList.add("number");
      else if (property.isKey) type.textContent += " · key";
      else if (property.indexed) type.textContent += " · index";
      const order = element("span", "order", { "aria-hidden": "true" });
      const top = element("span", "top");
      top.append(name, order);
      heading.append(top, type);
      if (sortable) heading.title = `Sort by ${property.name}; with Shift, by this too`;
      this.head.append(heading);
    });
    this.head.append(element("div", "filler", { role: "presentation" }));
  }

  /** Column widths from the headings and the first rows, once per class: columns must not move under the reader. */
  #measure() {
    this.measured = this.live.rows.length > 0;
    const context = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(this.root);
    context.font = `${style.fontSize} ${style.fontFamily}`;
    const sample = this.live.rows.slice(0, 120);
    const narrow = this.root.clientWidth < 560;
    this.widths = this.properties.map((property) => {
      const type = this.head.children[this.properties.indexOf(property)].querySelector(".type").textContent;
      let widest = Math.max(context.measureText(property.name).width + 26, context.measureText(type).width * 0.84);
      for (const row of sample) {
        widest = Math.max(widest, context.measureText(this.#words(row, property)).width);
      }
      const extra = { link: 14, backlinks: 14, bool: 18 }[property.kind] ?? (property === this.properties[0] ? 6 : 0);
      return Math.round(Math.min(widest + extra + 30, narrow ? 180 : 300));
    });
    this.#widen();
  }

  /** Shares out some of the room that a wide window leaves, not all: a line must stay readable across. */
  #widen() {
    if (!this.widths) return;
    const sum = this.widths.reduce((total, width) => total + width, 0);
    const factor = Math.max(1, Math.min(1.4, (this.root.clientWidth - 52) / sum));
    const columns = this.widths.map((width) => `${Math.floor(width * factor)}px`);
    this.root.style.setProperty("--pinned", columns[0] ?? "0px");
    this.root.style.setProperty("--columns", `${columns.join(" ")} minmax(52px, 1fr)`);
  }

  // MARK: Rows

  #layout() {
    this.body.style.height = `${this.live.rows.length * rowHeight}px`;
  }

  #schedule() {
    if (this.#frame !== 0 || !this.live) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  }

  #render() {
    const top = Math.max(0, this.root.scrollTop);
    const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
    const last = Math.min(
      this.live.rows.length - 1, Math.ceil((top + this.root.clientHeight) / rowHeight) + overscan);
    if (this.#activeKey !== null) {
      const moved = this.live.indexOf(this.#activeKey);
      if (moved >= 0) this.#active.row = moved;
    }
    this.#active.row = Math.min(this.#active.row, Math.max(0, this.live.rows.length - 1));

    const wanted = new Set();
    for (let index = first; index <= last; index += 1) wanted.add(this.live.keys[index]);
    for (const [key, row] of this.#elements) {
      // A row under edit or under the keyboard stays in the page even when it is scrolled away.
      if (!wanted.has(key) && this.live.indexOf(key) >= 0 && row.contains(document.activeElement)) wanted.add(key);
      if (!wanted.has(key)) {
        row.remove();
        this.#elements.delete(key);
      }
    }
    for (const key of wanted) this.#place(key, this.live.indexOf(key));
    this.#rove();
  }

  #place(key, index) {
    let row = this.#elements.get(key);
    if (!row) {
      row = this.#makeRow(key);
      this.#elements.set(key, row);
      this.body.append(row);
    }
    const transform = `translateY(${index * rowHeight}px)`;
    if (row.style.transform !== transform) row.style.transform = transform;
    row.setAttribute("aria-rowindex", String(index + 2));
    row.classList.toggle("odd", index % 2 === 1);
    const object = this.live.rows[index];
    if (row.object !== object) {
      this.properties.forEach((property, column) => this.#fill(row.children[column], object, property, row.object));
      row.object = object;
    }
    this.#mark(row, this.#marks.get(key));
  }

  #makeRow(key) {
    const row = element("div", "row", { role: "row" });
    row.dataset.key = key;
    this.properties.forEach((property, column) => {
      const cell = element("div", `cell ${property.kind}`, {
        role: "gridcell", "aria-colindex": String(column + 1), tabindex: "-1",
      });
      cell.dataset.column = String(column);
      if (property.isNumeric || property.kind === "objectKey") cell.classList.add("number");
      if (property.isKey) cell.classList.add("key");
      if (!property.isEditable) cell.setAttribute("aria-readonly", "true");
      row.append(cell);
    });
    const tail = element("div", "tail", { role: "presentation" });
    const remove = element("button", "remove icon", { tabindex: "-1", "aria-label": `Delete ${key}` });
    remove.type = "button";
    remove.textContent = "×";
    remove.title = "Delete this object";
    tail.append(remove);
    row.append(tail);
    return row;
  }

  #fill(cell, object, property, before) {
    const value = object[property.name];
    if (before !== undefined && same(before[property.name], value)) return;
    if (cell.classList.contains("editing")) return;
    cell.replaceChildren();
    cell.classList.toggle("null", value === null || (value === undefined && property.kind !== "backlinks"));
    if (property.kind === "backlinks" || (property.kind === "link" && value !== null && value !== undefined)) {
      cell.append(this.#link(object, value, property));
    } else if (property.kind === "bool" && typeof value === "boolean") {
      const dot = element("span", value ? "bit on" : "bit", { "aria-hidden": "true" });
      cell.append(dot, String(value));
    } else {
      cell.textContent = this.#words(object, property);
    }
    cell.title = property.kind === "string" || property.kind === "date" ? text(value, property) : "";
  }

  #words(object, property) {
    const value = object[property.name];
    if (property.kind === "backlinks") return Array.isArray(value) ? `${value.length} ${property.target}` : property.target;
    const plain = text(value, property);
    return property.kind === "date" ? dateText(plain) : plain.replace(/\r?\n/g, " ↵ ");
  }

  #link(object, value, property) {
    const link = element("a", "link", { tabindex: "-1" });
    link.textContent = this.#words(object, property);
    const address = this.on.address(object, property, value);
    if (address === null) return document.createTextNode(link.textContent);
    link.href = address.href;
    link.title = address.title;
    return link;
  }

  #leave(key) {
    const row = this.#elements.get(key);
    this.#marks.delete(key);
    if (!row) return;
    const hadFocus = row.contains(document.activeElement);
    this.#elements.delete(key);
    row.classList.add("leaving");
    row.dataset.mark = "deleted";
    row.setAttribute("aria-hidden", "true");
    row.removeAttribute("role");
    delete row.dataset.key;
    setTimeout(() => row.remove(), leaveTime);
    if (this.#activeKey === key) this.#activeKey = null;
    if (hadFocus) queueMicrotask(() => this.#focusCell(this.#active.row, this.#active.column));
  }

  // MARK: Marks

  #mark(row, mark) {
    if (mark === undefined) {
      if (row.dataset.mark !== undefined) {
        delete row.dataset.mark;
        for (const cell of row.querySelectorAll("[data-changed]")) delete cell.dataset.changed;
      }
      return;
    }
    if (row.dataset.mark === mark.kind && !mark.fresh) return;
    mark.fresh = false;
    delete row.dataset.mark;
    for (const cell of row.querySelectorAll("[data-changed]")) delete cell.dataset.changed;
    void row.offsetWidth; // So that the animation of a mark that is set again starts again.
    row.dataset.mark = mark.kind;
    for (const name of mark.names) {
      const column = this.properties.findIndex((property) => property.name === name);
      if (column >= 0) row.children[column].dataset.changed = "";
    }
  }

  #startSweep() {
    if (this.#sweep !== 0 || this.#marks.size === 0) return;
    this.#sweep = setInterval(() => {
      const now = performance.now();
      for (const [key, mark] of this.#marks) {
        if (mark.until > now) continue;
        this.#marks.delete(key);
        const row = this.#elements.get(key);
        if (row) this.#mark(row, undefined);
      }
      if (this.#marks.size === 0) {
        clearInterval(this.#sweep);
        this.#sweep = 0;
      }
    }, 250);
  }

  // MARK: Keyboard

  /** One cell takes part in the tab order: the active one, or its heading when the active row is -1. */
  #rove() {
    for (const cell of this.inner.querySelectorAll('[tabindex="0"]')) {
      if (cell.matches(".cell, .heading")) cell.tabIndex = -1;
    }
    const active = this.#cellAt(this.#active.row, this.#active.column) ?? this.head.children[this.#active.column];
    if (active) active.tabIndex = 0;
  }

  #cellAt(row, column) {
    if (row < 0) return this.head.children[column] ?? null;
    return this.#elements.get(this.live.keys[row])?.children[column] ?? null;
  }

  #focused(event) {
    const cell = event.target.closest(".cell, .heading");
    if (!cell) return;
    const row = cell.closest(".row");
    this.#active = { row: row ? this.live.indexOf(row.dataset.key) : -1, column: Number(cell.dataset.column) };
    this.#activeKey = row ? row.dataset.key : null;
    this.#rove();
  }

  #focusCell(row, column) {
    if (!this.live) return;
    const target = {
      row: Math.max(-1, Math.min(row, this.live.rows.length - 1)),
      column: Math.max(0, Math.min(column, this.properties.length - 1)),
    };
    this.#active = target;
    this.#activeKey = target.row < 0 ? null : this.live.keys[target.row];
    if (target.row >= 0) {
      const top = target.row * rowHeight;
      const room = this.root.clientHeight - this.head.offsetHeight - this.foot.offsetHeight;
      if (top < this.root.scrollTop) this.root.scrollTop = top;
      else if (top + rowHeight > this.root.scrollTop + room) this.root.scrollTop = top + rowHeight - room;
    }
    this.#render();
    const cell = this.#cellAt(target.row, target.column);
    cell?.focus({ preventScroll: true });
    if (cell) this.#revealColumn(cell);
  }

  #revealColumn(cell) {
    const pinned = this.head.children[0].offsetWidth;
    const left = cell.offsetLeft;
    if (Number(cell.dataset.column) === 0) return;
    if (left < this.root.scrollLeft + pinned) this.root.scrollLeft = left - pinned;
    const right = left + cell.offsetWidth;
    if (right > this.root.scrollLeft + this.root.clientWidth) this.root.scrollLeft = right - this.root.clientWidth;
  }

  #keydown(event) {
    if (event.target.closest(".editor") || !this.live) return;
    const cell = event.target.closest(".cell, .heading");
    if (!cell || event.altKey) return;
    const { row, column } = this.#active;
    const page = Math.max(1, Math.floor(this.root.clientHeight / rowHeight) - 3);
    const ends = event.ctrlKey || event.metaKey;
    const steps = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [ends ? 0 : row, 0],
      End: [ends ? this.live.rows.length - 1 : row, this.properties.length - 1],
      PageUp: [Math.max(0, row - page), column],
      PageDown: [row + page, column],
    };
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      this.#focusCell(...step);
      return;
    }
    const property = this.properties[column];
    if (cell.matches(".heading")) {
      if ((event.key === "Enter" || event.key === " ") && cell.matches(".sortable")) {
        event.preventDefault();
        this.on.sort(property, event.shiftKey);
      }
      return;
    }
    if (event.key === "Enter" || event.key === "F2" || (event.key === " " && property.kind === "bool")) {
      event.preventDefault();
      this.#edit(cell);
    } else if (event.key === "Delete") {
      event.preventDefault();
      this.on.remove(cell.closest(".row").dataset.key);
    } else if (event.key === "o" && !ends) {
      const link = cell.querySelector("a");
      if (link) {
        event.preventDefault();
        link.click();
      }
    } else if (event.key === "c" && ends && getSelection()?.isCollapsed !== false) {
      navigator.clipboard?.writeText(cell.textContent).catch(() => {});
    } else if (event.key === "Escape") {
      cell.blur();
    }
  }

  #edit(cell) {
    const row = cell.closest(".row");
    if (!row?.dataset.key || cell.classList.contains("editing")) return;
    const property = this.properties[Number(cell.dataset.column)];
    this.on.edit(row.dataset.key, property, cell);
  }

  /** Draws a cell anew from the rows, after an editor has left it. */
  restore(key, property) {
    const object = this.live.get(key);
    const cell = this.cell(key, property);
    if (!cell) return;
    cell.classList.remove("editing", "above");
    if (object) this.#fill(cell, object, property, undefined);
  }
}

function element(name, className, attributes = {}) {
  const made = document.createElement(name);
  made.className = className;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}
