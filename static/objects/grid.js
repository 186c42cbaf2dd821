// The table: only the rows in view are in the page, each held by its object's key, so that a row that moves glides to
// its new place, one that changed is washed in colour, and one that left fades where it stood.

import { Columns } from "./columns.js";
import { element } from "../parts/element.js";
import { same } from "../core/json.js";
import { Marks } from "./marks.js";
import { text, words } from "../core/values.js";

const rowHeight = 38;
const overscan = 10;
const leaveTime = 520;

export class Grid {
  #elements = new Map();
  #active = { row: 0, column: 0 };
  #activeKey = null;
  #frame = 0;
  #glide = 0;

  /**
   * `on.sort(property, additive)`, `on.edit(key, property, cell)`, `on.remove(key)`, `on.open(key)`;
   * `on.address(object, property, value)` gives where a link leads: `{href, title}`, or null.
   */
  constructor(root, on) {
    this.root = root;
    this.on = on;
    this.marks = new Marks((key) => this.#elements.get(key));
    this.columns = new Columns(root);
    this.body = element("div", "body", { role: "rowgroup" });
    this.inner = element("div", "inner");
    this.inner.append(this.columns.head, this.body, this.columns.foot);
    root.append(this.inner);
    root.addEventListener(
      "scroll",
      () => {
        root.classList.toggle("scrolled", root.scrollLeft > 0);
        this.#schedule();
      },
      { passive: true });
    new ResizeObserver(() => {
      this.columns.widen();
      this.#schedule();
    }).observe(root);
    root.addEventListener("keydown", (event) => this.#keydown(event));
    root.addEventListener("focusin", (event) => this.#focused(event));
    root.addEventListener("dblclick", (event) => {
      const cell = event.target.closest(".cell");
      if (cell && !event.target.closest("a, .editor, .icon")) this.#edit(cell);
    });
    root.addEventListener("click", (event) => {
      const remove = event.target.closest(".remove");
      if (remove) this.on.remove(remove.closest(".row").dataset.key);
      const open = event.target.closest(".open");
      if (open) this.on.open(open.closest(".row").dataset.key);
      const heading = event.target.closest(".heading.sortable");
      if (heading) this.on.sort(this.properties[Number(heading.dataset.column)], event.shiftKey);
    });
  }

  /** Starts over for a class. */
  show(objectClass, schema, rows) {
    this.properties = objectClass.properties;
    this.live = rows;
    this.#active = { row: 0, column: 0 };
    this.#activeKey = null;
    this.marks.clear();
    for (const row of this.#elements.values()) row.remove();
    this.#elements.clear();
    this.body.replaceChildren();
    this.measured = false;
    this.root.scrollTo(0, 0);
    this.root.setAttribute("aria-colcount", String(this.properties.length));
    this.columns.show(objectClass, schema);
    this.columns.aggregates(null);
    this.#measure();
    this.#layout();
  }

  /** Back to the first row: the order is another one. */
  toTop() {
    this.root.scrollTop = 0;
  }

  /** Whether cells are edited and rows deleted here. */
  set isFrozen(frozen) {
    this.root.classList.toggle("frozen", frozen);
  }

  /** Shows the rows of the tail as they are now; `differences` are marked. */
  refreshTail(differences) {
    const [first, last] = this.#range();
    const inView = [];
    for (let index = first; index <= last; index += 1) inView.push(this.live.at(index));
    this.columns.fit(inView.filter((row) => row !== undefined));
    this.marks.add({ inserted: [], modified: differences, removed: [] });
    this.#layout();
    this.#render();
  }

  /** Shows the rows as they are now. `changes` says what to mark; without it nothing moves or glows. */
  refresh(changes = null, total = null) {
    if (!this.measured) this.#measure();
    else if (changes === null) this.columns.fit(this.live.rows);
    if (changes !== null) {
      this.columns.fit([...changes.inserted, ...changes.modified.keys()].map((key) => this.live.get(key)));
      this.marks.add(changes);
      this.root.classList.add("gliding");
      clearTimeout(this.#glide);
      this.#glide = setTimeout(() => this.root.classList.remove("gliding"), 420);
      for (const key of changes.removed) this.#leave(key);
    }
    this.root.setAttribute("aria-rowcount", String((total ?? this.live.length) + 1));
    this.#layout();
    this.#render();
  }

  /** Puts the keyboard on the active cell. */
  focus() {
    this.#focusCell(this.#active.row, this.#active.column);
  }

  cell(key, property) {
    const row = this.#elements.get(key);
    return row?.children[this.properties.indexOf(property)] ?? null;
  }

  /** Brings the row at a place into view, and marks it as new when it is there. */
  reveal(index, key) {
    this.marks.add({ inserted: [key], modified: new Map(), removed: [] });
    this.#layout();
    this.#scrollTo(index);
    this.#render();
  }

  // MARK: Rows

  #measure() {
    this.measured = this.live.rows.length > 0;
    this.columns.measure(this.live.rows);
  }

  #layout() {
    this.body.style.height = `${this.live.length * rowHeight}px`;
  }

  #schedule() {
    if (this.#frame !== 0 || !this.live) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  }

  /** The first and the last of the rows that are in the page. */
  #range() {
    const top = Math.max(0, this.root.scrollTop);
    return [
      Math.max(0, Math.floor(top / rowHeight) - overscan),
      Math.min(this.live.length - 1, Math.ceil((top + this.root.clientHeight) / rowHeight) + overscan),
    ];
  }

  #render() {
    const [first, last] = this.#range();
    if (this.#activeKey !== null) {
      const moved = this.live.indexOf(this.#activeKey);
      if (moved >= 0) this.#active.row = moved;
    }
    this.#active.row = Math.min(this.#active.row, Math.max(0, this.live.length - 1));
    this.live.tail?.want(first, last);

    const wanted = new Set();
    for (let index = first; index <= last; index += 1) wanted.add(this.live.keyAt(index));
    for (const [key, row] of this.#elements) {
      // A row under edit or under the keyboard stays in the page even when it is scrolled away.
      if (!wanted.has(key) && this.live.indexOf(key) >= 0 && row.contains(document.activeElement)) wanted.add(key);
      if (!wanted.has(key)) {
        row.remove();
        this.#elements.delete(key);
      }
    }
    for (const key of wanted) this.#place(key, key[0] === "\u0000" ? Number(key.slice(1)) : this.live.indexOf(key));
    this.#rove();
  }

  #place(key, index) {
    let row = this.#elements.get(key);
    if (!row) {
      row = key[0] === "\u0000" ? element("div", "row blank", { "aria-hidden": "true" }) : this.#makeRow(key);
      this.#elements.set(key, row);
      this.body.append(row);
    }
    const transform = `translateY(${index * rowHeight}px)`;
    if (row.style.transform !== transform) row.style.transform = transform;
    if (row.classList.contains("blank")) return;
    row.setAttribute("aria-rowindex", String(index + 2));
    row.classList.toggle("odd", index % 2 === 1);
    const object = this.live.at(index);
    if (row.object !== object) {
      this.properties.forEach((property, column) => this.#fill(row.children[column], object, property, row.object));
      row.object = object;
    }
    this.marks.apply(key, row, (name) => this.properties.findIndex((property) => property.name === name));
  }

  #makeRow(key) {
    const row = element("div", "row", { role: "row" });
    row.dataset.key = key;
    this.properties.forEach((property, column) => {
      const cell = element("div", `cell ${property.kind}`, {
        role: "gridcell", "aria-colindex": String(column + 1), tabindex: "-1",
      });
      cell.dataset.column = String(column);
      if (property.isNumeric || ["objectKey", "decimal128"].includes(property.kind)) cell.classList.add("number");
      if (property.isKey) cell.classList.add("key");
      if (!property.isEditable) cell.setAttribute("aria-readonly", "true");
      row.append(cell);
    });
    const tail = element("div", "tail", { role: "presentation" });
    const open = element("button", "open icon", { tabindex: "-1", "aria-label": `Open ${key}` });
    open.type = "button";
    open.textContent = "›";
    open.title = "Open this object";
    const remove = element("button", "remove icon", { tabindex: "-1", "aria-label": `Delete ${key}` });
    remove.type = "button";
    remove.textContent = "×";
    remove.title = "Delete this object";
    tail.append(open, remove);
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
      cell.textContent = words(object, property);
    }
    cell.title = ["string", "date", "data"].includes(property.kind) || property.isJSON ? text(value, property) : "";
  }

  #link(object, value, property) {
    const link = element("a", "link", { tabindex: "-1", "data-follow": "" });
    link.textContent = words(object, property);
    const address = this.on.address(object, property, value);
    if (address === null) return document.createTextNode(link.textContent);
    link.href = address.href;
    link.title = address.title;
    return link;
  }

  #leave(key) {
    const row = this.#elements.get(key);
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

  // MARK: Keyboard

  /** One cell takes part in the tab order: the active one, or its heading when the active row is -1. */
  #rove() {
    for (const cell of this.inner.querySelectorAll('[tabindex="0"]')) {
      if (cell.matches(".cell, .heading")) cell.tabIndex = -1;
    }
    const active = this.#cellAt(this.#active.row, this.#active.column) ?? this.columns.head.children[this.#active.column];
    if (active) active.tabIndex = 0;
  }

  #cellAt(row, column) {
    if (row < 0) return this.columns.head.children[column] ?? null;
    return this.#elements.get(this.live.keyAt(row))?.children[column] ?? null;
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
      row: Math.max(-1, Math.min(row, this.live.length - 1)),
      column: Math.max(0, Math.min(column, this.properties.length - 1)),
    };
    this.#active = target;
    this.#activeKey = target.row < 0 ? null : this.live.keyAt(target.row);
    if (target.row >= 0) this.#scrollTo(target.row);
    this.#render();
    const cell = this.#cellAt(target.row, target.column);
    cell?.focus({ preventScroll: true });
    if (cell) this.#revealColumn(cell);
  }

  #scrollTo(row) {
    const top = row * rowHeight;
    const room = this.root.clientHeight - this.columns.head.offsetHeight - this.columns.foot.offsetHeight;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top + rowHeight > this.root.scrollTop + room) this.root.scrollTop = top + rowHeight - room;
  }

  #revealColumn(cell) {
    const pinned = this.columns.head.children[0].offsetWidth;
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
      End: [ends ? this.live.length - 1 : row, this.properties.length - 1],
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
      event.preventDefault();
      const link = cell.querySelector("a");
      if (link) link.click();
      else this.on.open(cell.closest(".row").dataset.key);
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

  /** Draws a cell again from the rows, after an editor has left it. */
  restore(key, property) {
    const object = this.live.get(key);
    const cell = this.cell(key, property);
    if (!cell) return;
    cell.classList.remove("editing", "above", "leftward");
    if (object) this.#fill(cell, object, property, undefined);
  }
}
