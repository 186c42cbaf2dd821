// The schema of the database, and how many objects each class has, for all pages.

import { paths } from "./api.js";
import { stringify } from "./json.js";
import { Rights } from "./rights.js";
import { Schema } from "./schema.js";

const pollPause = 5000;
const faultPause = 1000;
/** So many counts are followed. Others are asked for, so that the set of all tabs has room for what they show. */
const mostFollowed = 20;
/** How often the caller's rights are read while the schema stays. */
const rightsPause = 60_000;

/** Sends the events `schema` and `counts` when these change, and `fault` (with the error) when a request fails. */
export class Database extends EventTarget {
  schema = null;
  /** What the caller may do. */
  rights = new Rights();
  counts = new Map();
  #timer = null;
  #turns = 0;
  #rightsTime = -Infinity;
  #isResting = true;
  /** The live counts by class. */
  #followed = new Map();

  constructor(gateway) {
    super();
    this.gateway = gateway;
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && !this.#isResting) this.poll();
    });
  }

  /** Asks the gateway now, and then every few seconds while the page is visible. */
  async poll() {
    const turn = this.#begin();
    this.#isResting = false;
    let pause = Math.max(pollPause, 50 * (this.counts.size - this.#followed.size));
    try {
      if (document.visibilityState === "visible") {
        await this.read();
        this.#follow();
        for (const { name } of this.schema.classes) if (turn === this.#turns && !this.#followed.has(name)) await this.count(name);
      }
    } catch (error) {
      this.dispatchEvent(new CustomEvent("fault", { detail: error }));
      // What is shown may be out of date as soon as the gateway can be reached again.
      pause = faultPause;
    }
    if (turn === this.#turns) this.#timer = setTimeout(() => this.poll(), pause);
  }

  /** Stops asking, such as while the reader signs in. */
  rest() {
    this.#begin();
    this.#isResting = true;
    for (const stream of this.#followed.values()) stream.stop();
    this.#followed.clear();
  }

  /** Follows the counts of the first classes, as long as these are there. */
  #follow() {
    const names = new Set(this.schema.classes.slice(0, mostFollowed).map((one) => one.name));
    for (const [name, stream] of this.#followed) {
      if (names.has(name) && stream.state !== "ended") continue;
      stream.stop();
      this.#followed.delete(name);
    }
    for (const name of names) {
      if (this.#followed.has(name)) continue;
      this.#followed.set(name, this.gateway.objects(name).aggregates().observe(({ count }) => {
        if (this.schema?.class(name)) this.counted(name, count);
      }, {
        // The next round begins again; it also finds the class gone, or the caller without a key.
        onError: () => {},
      }));
    }
  }

  #begin() {
    clearTimeout(this.#timer);
    return (this.#turns += 1);
  }

  /** Reads the schema, and with another one what the caller may do. */
  async read() {
    const isFirst = this.schema === null;
    const isDue = performance.now() - this.#rightsTime > rightsPause;
    const [source, early] = await Promise.all([this.gateway.request("GET", paths.schema), isFirst || isDue ? this.#readRights() : null]);
    const isOther = isFirst || stringify(source) !== this.schema.text;
    // Rights name the classes of a schema.
    const rights = early ?? (isOther ? await this.#readRights() : this.rights);
    const isTurned = !isFirst && !rights.agrees(this.rights);
    this.rights = rights;
    this.adopt(source);
    // Roles can change without the schema: pages offer other things then.
    if (!isOther && isTurned) this.dispatchEvent(new Event("schema"));
  }

  async #readRights() {
    const caller = await this.gateway.request("GET", paths.whoami);
    this.#rightsTime = performance.now();
    return new Rights(caller);
  }

  adopt(source) {
    if (this.schema !== null && stringify(source) === this.schema.text) return;
    this.schema = new Schema(source);
    for (const name of this.counts.keys()) if (this.schema.class(name) === null) this.counts.delete(name);
    this.dispatchEvent(new Event("schema"));
  }

  /** Counts all objects of a class, unless it is followed. */
  async recount(className) {
    if (this.#followed.get(className)?.state !== "live") await this.count(className);
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
