// The rows of a query: the first ones kept current by a live result, those after them from a tail that is
// fetched where it is looked at. It has no elements of the page.

import { own, same } from "../core/json.js";

/** The changes that one update made to the rows, by object key. */
export class RowChanges {
  inserted = new Set();
  /** Objects that are still here, with the names of the properties that differ; moved ones may have none. */
  modified = new Map();
  removed = new Set();

  /** Adds later changes. */
  merge(later) {
    for (const key of later.removed) {
      this.modified.delete(key);
      if (!this.inserted.delete(key)) this.removed.add(key);
    }
    for (const key of later.inserted) {
      if (this.removed.delete(key)) this.modified.set(key, []);
      else this.inserted.add(key);
    }
    for (const [key, names] of later.modified) {
      if (!this.inserted.has(key)) this.modified.set(key, [...new Set([...(this.modified.get(key) ?? []), ...names])]);
    }
  }

  get count() {
    return this.inserted.size + this.modified.size + this.removed.size;
  }
}

export class LiveRows {
  /** The rows that are followed. */
  rows = [];
  keys = [];
  version = null;
  /** The rows after those that are followed, and how many there are in all, where that is known. */
  tail = null;
  total = null;

  constructor(keyOf) {
    this.keyOf = keyOf;
    this.positions = new Map();
  }

  /** The position of an object, or -1. */
  indexOf(key) {
    return this.positions.get(key) ?? this.tail?.indexOf(key) ?? -1;
  }

  get(key) {
    return this.at(this.indexOf(key));
  }

  /** Shows a complete result and returns the differences, so that a reconnect can mark them. */
  initial(event) {
    const before = new Map(this.keys.map((key, index) => [key, this.rows[index]]));
    const changes = new RowChanges();
    this.#adopt(event.items, event.version);
    this.keys.forEach((key, index) => {
      const old = before.get(key);
      if (old === undefined) changes.inserted.add(key);
      else this.#compare(key, old, this.rows[index], changes, false);
      before.delete(key);
    });
    for (const key of before.keys()) changes.removed.add(key);
    return changes;
  }

  /**
   * Shows the result after a change, which has positions: deletions and modifications before it, insertions after it.
   * An object that is deleted and inserted at once has moved.
   */
  update(items, { version, deletions, insertions, modifications }) {
    const changes = new RowChanges();
    const { rows, keys } = this;
    this.#adopt(items, version);
    for (const position of modifications) {
      const key = keys[position];
      const now = this.positions.get(key);
      if (now !== undefined) this.#compare(key, rows[position], this.rows[now], changes, true);
    }
    const left = new Map(deletions.map((position) => [keys[position], rows[position]]));
    for (const position of insertions) {
      const key = this.keys[position];
      if (left.has(key)) this.#compare(key, left.get(key), this.rows[position], changes, true);
      else changes.inserted.add(key);
      left.delete(key);
    }
    for (const key of left.keys()) changes.removed.add(key);
    return changes;
  }

  /** The number of rows, also of those that have not been fetched. */
  get length() {
    if (this.tail === null || this.rows.length < this.tail.from) return this.rows.length;
    return Math.max(this.rows.length, this.total ?? 0);
  }

  at(index) {
    if (index < 0) return undefined;
    return index < this.rows.length ? this.rows[index] : this.tail?.at(index);
  }

  /** The key of the row at a position; of one that has not come yet a name that no key has. */
  keyAt(index) {
    if (index < this.keys.length) return this.keys[index];
    const key = this.tail?.keyAt(index);
    // A row may have moved between two pages: it is shown at one position.
    return key !== undefined && this.indexOf(key) === index ? key : `\u0000${index}`;
  }

  /** Shows the response to a write at once; the event that follows finds nothing new. */
  replace(key, object) {
    const index = this.indexOf(key);
    if (index >= 0 && index < this.rows.length) this.rows[index] = object;
    else this.tail?.refresh();
  }

  #adopt(rows, version) {
    // Responses to writes are put into it.
    this.rows = rows.slice();
    this.version = version;
    this.keys = rows.map(this.keyOf);
    this.positions = new Map(this.keys.map((key, index) => [key, index]));
  }

  #compare(key, before, after, changes, always) {
    const names = Object.keys(after).filter((name) => !same(own(before, name), after[name]));
    if (names.length > 0 || always) changes.modified.set(key, names);
  }
}
