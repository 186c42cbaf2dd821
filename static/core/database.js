// What all pages know of the database: its schema, and how many objects each class has.

import { paths, request } from "./api.js";
import { stringify } from "./json.js";
import { Schema } from "./schema.js";

const pollPause = 5000;

/** Tells of a new schema with `schema`, of other counts with `counts`, and with `fault` (an error) when it cannot ask. */
class Database extends EventTarget {
  schema = null;
  counts = new Map();
  #timer = null;

  /** Asks now, and from now on every few seconds while somebody looks. */
  async poll() {
    clearTimeout(this.#timer);
    try {
      if (document.visibilityState === "visible") {
        await this.read();
        for (const one of this.schema.classes) await this.count(one.name);
      }
    } catch (error) {
      this.dispatchEvent(new CustomEvent("fault", { detail: error }));
    }
    const pause = this.schema === null ? 1000 : Math.max(pollPause, 50 * this.counts.size);
    this.#timer = setTimeout(() => this.poll(), pause);
  }

  /** Stops asking, as when a key is wanted first. */
  rest() {
    clearTimeout(this.#timer);
  }

  /** Reads the schema. */
  async read() {
    this.adopt(await request("GET", paths.schema));
  }

  adopt(source) {
    if (this.schema !== null && stringify(source) === this.schema.text) return;
    this.schema = new Schema(source);
    for (const name of this.counts.keys()) if (this.schema.class(name) === null) this.counts.delete(name);
    this.dispatchEvent(new Event("schema"));
  }

  /** Counts all objects of a class. */
  async count(className) {
    const { count } = await request("GET", paths.aggregates(className));
    this.counted(className, count);
  }

  counted(className, count) {
    if (this.counts.get(className) === count) return;
    this.counts.set(className, count);
    this.dispatchEvent(new Event("counts"));
  }
}

export const database = new Database();
