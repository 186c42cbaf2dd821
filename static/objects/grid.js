// The table: only the rows in view are in the page, each held by its object's key, so that a row that moves glides to
// its new position, one that changed is washed in colour, and one that left fades where it stood.

import { Columns } from "./columns.js";
import { element } from "../parts/element.js";
import { own, same } from "../core/json.js";
import { Marks } from "./marks.js";
import { Selection } from "./selection.js";
import { tally, text, words } from "../core/values.js";

const overscan = 10;
/** Rows that one frame makes while the reader scrolls: making a whole view of them at once would hold the page up. */
const rowsPerFrame = 8;
/** Browsers have no higher elements. More rows share this height: they are in pages, each of which is moved up further. */
const mostHeight = 30_000_000;
const pageHeight = mostHeight / 100;
const leaveTime = 520;

export class Grid {
  #elements = new Map();
  #active = { row: 0, column: 0 };
  #activeKey = null;
  #frame = 0;
  #glide = 0;
  /** Whether nothing is edited or deleted here, whether rows are deleted, and which properties are edited. */
  #isFrozen = false;
  #deletes = true;
  #writes = (property) => property.isEditable;
  /** How far the rows are moved up where they are too many for their height, and where the scroll bar was. */
  #shift = 0;
  #before = 0;
  /** The element that takes part in the tab order. */
  #stop = null;

  /**
   * `on.sort(property, additive)`, `on.edit(key, property, cell)`, `on.remove(key)`, `on.open(key)`, `on.look(key)` to show an object beside the table, `on.selected(keys)`;
   * `on.address(object, property, value)` gives where a link leads: `{href, title}`, or null; `counts` knows how many
   * objects link to each.
   */
  constructor(root, on, counts) {
    this.root = root;
    this.on = on;
    this.counts = counts;
    this.selection = new Selection(() => {
      this.#showSelection();
      on.selected(this.selection);
    });
    this.marks = new Marks((key) => this.#elements.get(key));
    this.columns = new Columns(root);
    this.body = element("div", "body", { role: "rowgroup" });
    this.inner = element("div", "inner");
    this.inner.append(this.columns.head, this.body, this.columns.foot);
    root.append(this.inner);
    root.addEventListener(
      "scroll",
      () => {
        this.#showEdges();
        this.#schedule();
      },
      { passive: true });
    new ResizeObserver(() => {
      this.#readHeight();
      this.columns.widen();
      this.#showEdges();
      this.#schedule();
    }).observe(root);
    root.addEventListener("keydown", (event) => this.#keydown(event));
    root.addEventListener("focusin", (event) => this.#focused(event));
    root.addEventListener("pointerover", (event) => {
      // Only where the pointer is: a browser looks at the style of each element whose title changes.
      const cell = event.target.closest(".row[role=row] > .cell");
      const property = this.properties[Number(cell?.dataset.column)];
      if (property !== undefined) cell.title = whole(own(cell.parentElement.object, property.name), property);
    });
    root.addEventListener("dblclick", (event) => {
      const cell = event.target.closest(".cell");
      if (cell && !event.target.closest("a, .editor, .icon")) this.#edit(cell);
    });
    root.addEventListener("click", (event) => {
      const pick = event.target.closest(".row-pick");
      if (pick) this.#pick(pick.closest(".row").dataset.key, event.shiftKey);
      const remove = event.target.closest(".remove");
      if (remove) this.on.remove(remove.closest(".row").dataset.key);
      const open = event.target.closest(".open");
      if (open && event.shiftKey) this.on.look(open.closest(".row").dataset.key);
      else if (open) this.on.open(open.closest(".row").dataset.key);
      const heading = event.target.closest(".heading.sortable");
      if (heading && !event.target.closest(".grip")) this.on.sort(this.properties[Number(heading.dataset.column)], event.shiftKey);
    });
  }

  /** Starts over for a class. `layout` says which columns there are, in which order, and how wide. */
  show(objectClass, schema, rows, layout) {
    Object.assign(this, { objectClass, schema, layout });
    this.properties = layout.properties;
    this.live = rows;
    this.selection.clear();
    this.#active = { row: 0, column: 0 };
    this.#activeKey = null;
    this.marks.clear();
    this.root.scrollTo(0, 0);
    this.#shift = 0;
    this.#before = 0;
    this.columns.aggregates(null);
    this.#begin();
  }

  /** Shows the same rows with the columns of the layout as it is now. */
  rearrange() {
    this.properties = this.layout.properties;
    const { column } = this.#active;
    this.#active.column = Math.min(column, this.properties.length - 1);
    this.#begin();
    this.#render();
  }

  #begin() {
    for (const row of this.#elements.values()) row.remove();
    this.#elements.clear();
    this.body.replaceChildren();
    this.measured = false;
    this.root.setAttribute("aria-colcount", String(this.properties.length + 1));
    this.columns.show(this.objectClass, this.schema, this.layout);
    this.#readHeight();
    this.#measure();
    this.#layout();
    this.#showEdges();
    this.#rove();
  }

  /** Back to the first row: the order is another one. */
  toTop() {
    this.#goTo(0);
  }

  /** What may be done with the rows: `writes(property)` says whether its cells are edited. Before `show`. */
  permit({ isFrozen, deletes, writes }) {
    this.#deletes = deletes && !isFrozen;
    this.#writes = writes;
    this.#isFrozen = isFrozen;
  }

  /** Whether rows can be selected: there must be something to do with them. */
  get #selects() {
    return !this.#isFrozen && (this.#deletes || this.properties.some((one) => this.#writes(one)));
  }

  /** Shows how many objects link to those in view, as far as it is known. */
  recount() {
    const counted = this.properties.filter((one) => one.kind === "backlinks");
    for (const row of this.#elements.values()) {
      if (!row.object) continue;
      for (const property of counted) this.#fill(row.children[this.properties.indexOf(property)], row.object, property);
    }
  }

  /** Shows the rows of the tail as they are now; `differences` are marked. */
  refreshTail(differences) {
    const [first, last] = this.#range();
    const inView = [];
    for (let index = first; index <= last; index += 1) inView.push(this.live.at(index));
    this.columns.fit(inView.filter((row) => row !== undefined));
    this.marks.add({ inserted: [], modified: differences, removed: [] });
    this.#layout();
    this.#schedule();
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

  /** Brings the row at a position into view, and marks it as new when it is there. */
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

  #readHeight() {
    this.rowHeight = parseFloat(getComputedStyle(this.root).getPropertyValue("--row")) || 38;
  }

  get #height() {
    return Math.min(this.live.length * this.rowHeight, mostHeight);
  }

  #layout() {
    this.body.style.height = `${this.#height}px`;
  }

  /** How far the rows around a position, in the height that all rows have, are moved up. */
  #shiftAt(top) {
    const all = this.live.length * this.rowHeight;
    if (all <= mostHeight) return 0;
    const pages = Math.ceil(all / pageHeight);
    return Math.round((Math.min(pages - 1, Math.floor(top / pageHeight)) * (all - mostHeight)) / (pages - 1));
  }

  /** Where the view begins, in the height that all rows have. */
  get #top() {
    return Math.max(0, this.root.scrollTop) + this.#shift;
  }

  #goTo(top) {
    this.#shift = this.#shiftAt(top);
    this.root.scrollTop = top - this.#shift;
    this.#before = this.root.scrollTop;
  }

  /** Follows the scroll bar: a wheel moves the rows as far as it scrolls, a jump leads to the same share of all rows. */
  #follow() {
    const { root } = this;
    const now = Math.max(0, root.scrollTop);
    const room = root.clientHeight;
    const all = this.live.length * this.rowHeight;
    if (all <= mostHeight) {
      this.#shift = 0;
    } else if (Math.abs(now - this.#before) > 4 * room) {
      this.#shift = this.#shiftAt((now * (all - room)) / (mostHeight - room));
    } else if (this.#shiftAt(now + this.#shift) !== this.#shift) {
      this.#goTo(now + this.#shift);
    }
    this.#before = Math.max(0, root.scrollTop);
  }

  /** Whether there is more to the left or to the right. */
  #showEdges() {
    const { root } = this;
    root.classList.toggle("scrolled", root.scrollLeft > 0);
    root.classList.toggle("cut", root.scrollLeft + root.clientWidth < root.scrollWidth - 1);
  }

  #schedule() {
    if (this.#frame !== 0 || !this.live) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render(rowsPerFrame);
    });
  }

  /** The first and the last of the rows that are in the page. */
  #range(top = this.#top) {
    return [
      Math.max(0, Math.floor(top / this.rowHeight) - overscan),
      Math.min(this.live.length - 1, Math.ceil((top + this.root.clientHeight) / this.rowHeight) + overscan),
    ];
  }

  /** - most: how many rows are made now; the others are made in the next frames, those in view first. */
  #render(most = Infinity) {
    // All that is measured is measured before anything is written.
    this.#follow();
    const top = this.#top;
    const shift = this.#shift;
    const [first, last] = this.#range(top);
    if (this.#activeKey !== null) {
      const moved = this.live.indexOf(this.#activeKey);
      if (moved >= 0) this.#active.row = moved;
    }
    this.#active.row = Math.min(this.#active.row, Math.max(0, this.live.length - 1));
    this.live.tail?.want(first, last, this.live.length - 1);

    const wanted = this.#wanted(first, last, most);
    const isGliding = this.root.classList.contains("gliding");
    const spare = { blank: [], full: [] };
    for (const [key, row] of this.#elements) {
      // A row under edit or under the keyboard stays in the page even when it is scrolled away.
      if (!wanted.has(key) && this.live.indexOf(key) >= 0 && row.contains(document.activeElement)) wanted.add(key);
      if (wanted.has(key)) continue;
      this.#elements.delete(key);
      // Rows come into view with the elements of those that left it: other elements would cost a browser several times as much.
      if (isGliding || row.contains(document.activeElement) || row.querySelector(".editing")) row.remove();
      else (row.classList.contains("blank") ? spare.blank : spare.full).push(row);
    }
    for (const key of wanted) this.#place(key, key[0] === "\u0000" ? Number(key.slice(1)) : this.live.indexOf(key), shift, spare);
    for (const row of [...spare.blank, ...spare.full]) row.remove();
    this.#rove();
    if (this.properties.some((one) => one.kind === "backlinks")) {
      this.counts.want(this.properties, [...this.#elements.values()].flatMap((row) => (row.object ? [row.object] : [])));
    }
  }

  /** The keys of these rows. Where too many would be new, the slot of a row that is made later is empty. */
  #wanted(first, last, most) {
    const wanted = [];
    const begin = Math.min(last, first + overscan);
    let left = most;
    // Those in view come before those around it.
    for (let step = 0; step <= last - first; step += 1) {
      const index = begin + step <= last ? begin + step : last - step;
      const key = this.live.keyAt(index);
      const isMade = key[0] === "\u0000" || this.#elements.has(key);
      if (!isMade) left -= 1;
      wanted[index - first] = isMade || left >= 0 ? key : `\u0000${index}`;
    }
    if (left < 0) this.#schedule();
    return new Set(wanted);
  }

  /** Puts the row at its position. `spare` has rows that are left in the page. */
  #place(key, index, shift, spare) {
    const isBlank = key[0] === "\u0000";
    let row = this.#elements.get(key);
    if (!row) {
      row = isBlank ? spare.blank.pop() ?? element("div", "row blank", { "aria-hidden": "true" }) : spare.full.pop() ?? this.#makeRow();
      if (!isBlank) this.#name(row, key);
      this.#elements.set(key, row);
      if (!row.isConnected) this.body.append(row);
    }
    const transform = `translateY(${index * this.rowHeight - shift}px)`;
    if (row.style.transform !== transform) row.style.transform = transform;
    if (isBlank) return;
    row.setAttribute("aria-rowindex", String(index + 2));
    const object = this.live.at(index);
    if (row.object !== object) {
      this.properties.forEach((property, column) => this.#fill(row.children[column], object, property, row.object));
      row.object = object;
    }
    this.marks.apply(key, row, (name) => this.properties.findIndex((property) => property.name === name));
  }

  /** Makes a row that of an object. */
  #name(row, key) {
    const isSelected = this.selection.has(key);
    this.marks.erase(row);
    row.dataset.key = key;
    row.classList.toggle("selected", isSelected);
    row.setAttribute("aria-selected", String(isSelected));
    row.querySelector(".open").setAttribute("aria-label", `Open ${key}`);
    row.querySelector(".remove")?.setAttribute("aria-label", `Delete ${key}`);
    const pick = row.querySelector(".row-pick");
    if (pick === null) return;
    pick.setAttribute("aria-label", `Select ${key}`);
    pick.checked = isSelected;
  }

  #makeRow() {
    const row = element("div", "row", { role: "row" });
    this.properties.forEach((property, column) => {
      const cell = element("div", `cell ${property.kind}`, {
        role: "gridcell", "aria-colindex": String(column + 1), tabindex: "-1",
      });
      cell.dataset.column = String(column);
      if (property.isNumeric || ["objectKey", "decimal128", "backlinks"].includes(property.kind)) cell.classList.add("number");
      if (property.isKey) cell.classList.add("key");
      if (this.#isFrozen || !this.#writes(property)) cell.setAttribute("aria-readonly", "true");
      row.append(cell);
    });
    const tail = element("div", "tail", { role: "gridcell", "aria-colindex": String(this.properties.length + 1) });
    const tool = (kind, sign, title, column) => {
      const made = element("button", `${kind} icon`, { type: "button", tabindex: "-1", title });
      made.textContent = sign;
      made.dataset.column = String(column);
      return made;
    };
    tail.append(tool("open", "›", "Open this object; with Shift, show it beside the table", this.properties.length));
    if (this.#deletes) tail.append(tool("remove", "×", "Delete this object", this.properties.length + 1));
    if (this.#selects) row.children[0]?.append(element("input", "row-pick", { type: "checkbox", tabindex: "-1" }));
    row.append(tail);
    return row;
  }

  /** Selects a row or the rows up to it, or takes it out of the selection. */
  #pick(key, isRange) {
    const [from, to] = [this.live.indexOf(this.selection.last), this.live.indexOf(key)];
    const keys = [];
    if (isRange && from >= 0) {
      for (let at = Math.min(from, to); at <= Math.max(from, to); at += 1) keys.push(this.live.keyAt(at));
    }
    if (keys.length > 0) this.selection.add(keys.filter((one) => this.live.indexOf(one) >= 0), key);
    else this.selection.toggle(key);
  }

  #showSelection() {
    this.root.classList.toggle("selecting", this.selection.size > 0);
    for (const [key, row] of this.#elements) {
      const isSelected = this.selection.has(key);
      row.classList.toggle("selected", isSelected);
      if (row.dataset.key !== undefined) row.setAttribute("aria-selected", String(isSelected));
      const pick = row.querySelector(".row-pick");
      if (pick) pick.checked = isSelected;
    }
  }

  #fill(cell, object, property, before) {
    const value = own(object, property.name);
    // Which objects link here is not a value: it depends on which object this is.
    if (before !== undefined && property.kind !== "backlinks" && same(own(before, property.name), value)) return;
    if (cell.classList.contains("editing")) return;
    cell.classList.toggle("null", value === null || (value === undefined && property.kind !== "backlinks"));
    const isLink = property.kind === "link" && value !== null && value !== undefined;
    const isTruth = property.kind === "bool" && typeof value === "boolean";
    if (cell.title !== "") cell.title = whole(value, property);
    const pick = cell.querySelector(":scope > .row-pick");
    if (property.kind !== "backlinks" && !isLink && !isTruth) {
      const shown = words(object, property);
      // A text that changes where it is costs no look at the styles.
      if (cell.firstChild instanceof Text && cell.firstChild.nextSibling === pick) cell.firstChild.data = shown;
      else cell.replaceChildren(shown, ...(pick === null ? [] : [pick]));
      return;
    }
    cell.replaceChildren();
    if (property.kind === "backlinks") {
      this.#fillCount(cell, object, property);
    } else if (isLink) {
      cell.append(this.#link(object, value, property));
    } else {
      cell.append(element("span", value ? "bit on" : "bit", { "aria-hidden": "true" }), String(value));
    }
    if (pick !== null) cell.append(pick);
  }

  /** How many objects link to this one, with the path to them. */
  #fillCount(cell, object, property) {
    const count = this.counts.get(property, object);
    cell.classList.toggle("null", count === 0);
    if (count === 0) cell.textContent = "none";
    else cell.append(this.#link(object, undefined, property, count === undefined ? "…" : tally(count)));
  }

  #link(object, value, property, shown = words(object, property)) {
    const link = element("a", "link", { tabindex: "-1", "data-follow": "" });
    link.textContent = shown;
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
    const active = this.#cellAt(this.#active.row, this.#active.column) ?? this.columns.head.children[this.#active.column];
    if (active === this.#stop) return;
    if (this.#stop) this.#stop.tabIndex = -1;
    if (active) active.tabIndex = 0;
    this.#stop = active ?? null;
  }

  /** The last position in a row: the buttons behind the cells are positions too. */
  get #lastColumn() {
    const isNarrow = matchMedia("(max-width: 760px)").matches;
    return this.properties.length + (!this.#deletes || isNarrow ? 0 : 1);
  }

  #cellAt(row, column) {
    const count = this.properties.length;
    if (row < 0) return this.columns.head.children[Math.min(column, count - 1)] ?? null;
    const found = this.#elements.get(this.live.keyAt(row));
    return (column < count ? found?.children[column] : found?.querySelector(".tail")?.children[column - count]) ?? null;
  }

  #focused(event) {
    const cell = event.target.closest(".cell, .heading, .tail > .icon");
    if (!cell) return;
    const row = cell.closest(".row");
    // A dialog gives the focus back to the row that was deleted in it: then the row in its place is next.
    const place = row === null ? -1 : this.live.indexOf(row.dataset.key);
    this.#active = { row: row !== null && place < 0 ? this.#active.row : place, column: Number(cell.dataset.column) };
    this.#activeKey = place < 0 ? null : row.dataset.key;
    this.#rove();
    if (row === null || place >= 0) return;
    queueMicrotask(() => {
      if (row.contains(document.activeElement)) this.#focusCell(this.#active.row, this.#active.column);
    });
  }

  #focusCell(row, column) {
    if (!this.live) return;
    const target = {
      row: Math.max(-1, Math.min(row, this.live.length - 1)),
      column: Math.max(0, Math.min(column, row < 0 ? this.properties.length - 1 : this.#lastColumn)),
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
    const { rowHeight } = this;
    const top = row * rowHeight;
    const room = this.root.clientHeight - this.columns.head.offsetHeight - this.columns.foot.offsetHeight;
    if (top < this.#top) this.#goTo(top);
    else if (top + rowHeight > this.#top + room) this.#goTo(top + rowHeight - room);
  }

  #revealColumn(cell) {
    const pinned = this.columns.head.children[0].offsetWidth;
    const left = cell.offsetLeft;
    if (Number(cell.dataset.column) === 0 || cell.matches(".icon")) return;
    if (left < this.root.scrollLeft + pinned) this.root.scrollLeft = left - pinned;
    const right = left + cell.offsetWidth + this.columns.head.lastChild.offsetWidth;
    if (right > this.root.scrollLeft + this.root.clientWidth) this.root.scrollLeft = right - this.root.clientWidth;
  }

  #keydown(event) {
    if (event.target.closest(".editor") || !this.live) return;
    const cell = event.target.closest(".cell, .heading, .tail > .icon");
    if (cell?.matches(".heading") && event.altKey) this.#arrange(event);
    if (!cell || event.altKey) return;
    const { row, column } = this.#active;
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.rowHeight) - 3);
    const ends = event.ctrlKey || event.metaKey;
    const steps = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [ends ? 0 : row, 0],
      End: [ends ? this.live.length - 1 : row, Math.max(column, this.properties.length - 1)],
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
    const { key } = cell.closest(".row").dataset;
    if (event.key === "x" && !ends && this.#selects) {
      event.preventDefault();
      this.#pick(key, false);
    } else if (cell.matches(".icon") && ["Enter", " "].includes(event.key)) {
      // The button does what it says.
    } else if (event.key === "Enter" || event.key === "F2" || (event.key === " " && property.kind === "bool")) {
      event.preventDefault();
      this.#edit(cell);
    } else if (event.key === "Delete") {
      event.preventDefault();
      this.on.remove(key);
    } else if (event.key === "o" && !ends) {
      event.preventDefault();
      const link = cell.querySelector("a");
      if (link) link.click();
      else this.on.open(key);
    } else if (event.key === "p" && !ends) {
      event.preventDefault();
      this.on.look(key);
    } else if (event.key === "c" && ends && getSelection()?.isCollapsed !== false) {
      navigator.clipboard?.writeText(cell.textContent).catch(() => {});
    } else if (event.key === "Escape") {
      cell.blur();
    }
  }

  /** Alt with the arrows moves the column, and makes it wider and narrower. */
  #arrange(event) {
    const { column } = this.#active;
    const property = this.properties[column];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const growth = { ArrowUp: 24, ArrowDown: -24 }[event.key];
    if (property === undefined || (step === undefined && growth === undefined)) return;
    event.preventDefault();
    if (growth !== undefined) this.layout.widen(property.name, this.columns.widthOf(property) + growth);
    else if (this.layout.move(property.name, step)) this.#active.column += step;
    this.rearrange();
    this.#focusCell(-1, this.#active.column);
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

/** The value of a cell where the column may be too narrow for it. */
function whole(value, property) {
  return value !== undefined && (["string", "date", "data"].includes(property.kind) || property.isJSON) ? text(value, property) : "";
}
