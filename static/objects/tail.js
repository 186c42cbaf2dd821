// The rows after those that are followed live: fetched page by page where the reader looks, and looked at again while
// they are in view. Only the pages last seen are kept.

import { own, same } from "../core/json.js";

const pageSize = 200;
const mostPages = 30;
/** So many rows on both sides of the view are fetched as well: a wheel then meets rows that are there. */
const ahead = pageSize / 2;
const pause = 80;
const again = 3000;

export class Tail {
  /** Pages by their number: `{rows, keys, version, time}`. */
  #pages = new Map();
  #places = new Map();
  #timer = null;
  /** Whether the timer is for rows that are missing. */
  #isSoon = false;
  #wanted = [0, -1];
  #near = [0, -1];
  #asking = new Set();
  #closed = false;

  /**
   * `from` is the position of the first row of the tail. `fetch(offset, limit)` gives `{version, items}`;
   * `changed(names)` is called when rows are there, with what became different, by key, in rows that were there before.
   */
  constructor(from, { keyOf, fetch, changed, failed, isFrozen }) {
    Object.assign(this, { from, keyOf, fetch, changed, failed, isFrozen });
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  at(index) {
    return this.#find(index, "rows");
  }

  keyAt(index) {
    return this.#find(index, "keys");
  }

  indexOf(key) {
    return this.#places.get(key) ?? -1;
  }

  /** Sees to it that these rows come soon, and stay right while they are in view. `end` is the last row that there is. */
  want(first, last, end = last) {
    this.#wanted = [Math.max(first, this.from), last];
    this.#near = [Math.max(first - ahead, this.from), Math.min(last + ahead, end)];
    if (this.#closed || this.#near[0] > this.#near[1]) {
      this.#rest();
      return;
    }
    if (this.#missing().length > 0) this.#soon();
    else if (this.#isInView) this.#timer ??= this.#start(again);
    else this.#rest();
  }

  get #isInView() {
    return this.#wanted[0] <= this.#wanted[1];
  }

  #missing() {
    return this.#numbers(this.#near).filter((number) => !this.#pages.has(number));
  }

  /** The rows may be others by now. */
  refresh() {
    if (this.isFrozen) return;
    for (const page of this.#pages.values()) page.isStale = true;
    if (this.#isInView) this.#timer ??= this.#start(400);
  }

  /** Does not wait for the view to stop: rows also come while it moves on. Rows that come are a reason to look again. */
  #soon() {
    if (this.#isSoon || this.#asking.size > 0) return;
    this.#rest();
    this.#isSoon = true;
    this.#timer = this.#start(pause);
  }

  #rest() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#isSoon = false;
  }

  #start(time) {
    return setTimeout(() => {
      this.#timer = null;
      this.#isSoon = false;
      this.#fetch();
    }, time);
  }

  /** The pages of these rows. */
  #numbers([first, last]) {
    const numbers = [];
    for (let index = Math.floor((first - this.from) / pageSize); index * pageSize + this.from <= last; index += 1) {
      numbers.push(index);
    }
    return numbers;
  }

  #find(index, part) {
    const offset = index - this.from;
    return this.#pages.get(Math.floor(offset / pageSize))?.[part][offset % pageSize];
  }

  async #fetch() {
    const now = performance.now();
    const isDue = (page) => page !== undefined && !this.isFrozen && (page.isStale || now - page.time > again - 100);
    const due = [...this.#missing(), ...this.#numbers(this.#wanted).filter((number) => isDue(this.#pages.get(number)))]
      .filter((number) => !this.#asking.has(number));
    await Promise.all(due.map((number) => this.#fetchPage(number)));
    if (!this.#closed && !this.isFrozen && this.#isInView) this.#timer ??= this.#start(again);
  }

  async #fetchPage(number) {
    this.#asking.add(number);
    try {
      const answer = await this.fetch(this.from + number * pageSize, pageSize);
      if (!this.#closed) this.#adopt(number, answer);
    } catch (error) {
      if (!this.#closed) this.failed(error);
    } finally {
      this.#asking.delete(number);
    }
  }

  #adopt(number, { version, items }) {
    const before = this.#pages.get(number);
    const keys = items.map(this.keyOf);
    const differences = new Map();
    if (before) {
      before.keys.forEach((key) => this.#places.delete(key));
      const old = new Map(before.keys.map((key, index) => [key, before.rows[index]]));
      items.forEach((row, index) => {
        const other = old.get(keys[index]);
        if (!other || before.version === version) return;
        const names = Object.keys(row).filter((name) => !same(row[name], own(other, name)));
        if (names.length > 0) differences.set(keys[index], names);
      });
    }
    this.#pages.delete(number);
    this.#pages.set(number, { rows: items, keys, version, time: performance.now(), isStale: false });
    keys.forEach((key, index) => this.#places.set(key, this.from + number * pageSize + index));
    // The first page of the map is the one that was fetched longest ago.
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= mostPages) break;
      this.#pages.get(oldest).keys.forEach((key) => this.#places.delete(key));
      this.#pages.delete(oldest);
    }
    this.changed(differences);
  }
}
