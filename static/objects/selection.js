// The selected rows, by their objects' keys.

export class Selection {
  #keys = new Set();
  /** The row that was selected last: a range begins at it. */
  last = null;

  /** `changed()` is called after every change. */
  constructor(changed) {
    this.changed = changed;
  }

  get size() {
    return this.#keys.size;
  }

  get keys() {
    return [...this.#keys];
  }

  has(key) {
    return this.#keys.has(key);
  }

  toggle(key) {
    if (!this.#keys.delete(key)) this.#keys.add(key);
    this.last = key;
    this.changed();
  }

  add(keys, last) {
    for (const key of keys) this.#keys.add(key);
    this.last = last;
    this.changed();
  }

  /** Objects that are gone cannot be selected. */
  drop(keys) {
    const before = this.size;
    for (const key of keys) this.#keys.delete(key);
    if (this.size !== before) this.changed();
  }

  clear() {
    if (this.size === 0) return;
    this.#keys.clear();
    this.last = null;
    this.changed();
  }
}
