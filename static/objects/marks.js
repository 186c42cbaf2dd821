// Marks of the latest changes of rows, shown for a while: the row's `data-mark` and the changed cells' `data-changed`, which the
// style sheet fades.

const markTime = 3200;

export class Marks {
  #marks = new Map();
  #sweep = null;

  /** `rowOf(key)` gives the element of a row that is in the page, or undefined. */
  constructor(rowOf) {
    this.rowOf = rowOf;
  }

  clear() {
    this.#marks.clear();
  }

  add(changes) {
    const until = performance.now() + markTime;
    for (const key of changes.inserted) this.#marks.set(key, { kind: "inserted", names: [], until, fresh: true });
    for (const [key, names] of changes.modified) this.#marks.set(key, { kind: "modified", names, until, fresh: true });
    for (const key of changes.removed) this.#marks.delete(key);
    if (this.#marks.size > 0) this.#sweep ??= setInterval(() => this.#expire(), 250);
  }

  /** Brings a row to the mark that it has, if any. `columnOf(name)` gives the position of a property. */
  apply(key, row, columnOf) {
    const mark = this.#marks.get(key);
    if (mark === undefined) {
      this.erase(row);
      return;
    }
    if (row.dataset.mark === mark.kind && !mark.fresh) return;
    mark.fresh = false;
    erase(row);
    void row.offsetWidth; // So that the animation of a mark that is set again starts again.
    row.dataset.mark = mark.kind;
    for (const name of mark.names) {
      const column = columnOf(name);
      if (column >= 0) row.children[column].dataset.changed = "";
    }
  }

  /** Makes a row one without a mark. */
  erase(row) {
    if (row.dataset.mark !== undefined) erase(row);
  }

  #expire() {
    const now = performance.now();
    for (const [key, mark] of this.#marks) {
      if (mark.until > now) continue;
      this.#marks.delete(key);
      const row = this.rowOf(key);
      if (row) erase(row);
    }
    if (this.#marks.size === 0) {
      clearInterval(this.#sweep);
      this.#sweep = null;
    }
  }
}

function erase(row) {
  delete row.dataset.mark;
  for (const cell of row.querySelectorAll("[data-changed]")) delete cell.dataset.changed;
}
