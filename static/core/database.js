// The schema of the database, and how many objects each class has, for all pages.

import { paths } from "./api.js";
import { stringify } from "./json.js";
import { Schema } from "./schema.js";

const pollPause = 5000;

/** Sends the events `schema` and `counts` when these change, and `fault` (with the error) when a request fails. */
export class Database extends EventTarget {
  schema = null;
  counts = new Map();
  #timer = null;

  constructor(gateway) {
    super();
    this.gateway = gateway;
  }

  /** Asks the gateway now, and then every few seconds while the page is visible. */
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

  /** Stops asking, such as while the reader signs in. */
  rest() {
    clearTimeout(this.#timer);
  }

  /** Reads the schema. */
  async read() {
    this.adopt(await this.gateway.request("GET", paths.schema));
  }

  adopt(source) {
    if (this.schema !== null && stringify(source) === this.schema.text) return;
    this.schema = new Schema(source);
    for (const name of this.counts.keys()) if (this.schema.class(name) === null) this.counts.delete(name);
    this.dispatchEvent(new Event("schema"));
  }

  /** Counts all objects of a class. */
  async count(className) {
    const { count } = await this.gateway.request("GET", paths.aggregates(className));
    this.counted(className, count);
  }

  counted(className, count) {
    if (this.counts.get(className) === count) return;
    this.counts.set(className, count);
    this.dispatchEvent(new Event("counts"));
  }
}
