// Long polls, for where streams cannot pass, such as behind a proxy that keeps a response until its end.

import { isTransient, pause, sleep } from "./transport.js";
import { stringify } from "./values.js";

/** How long the gateway may hold a response back, in seconds: less than most proxies wait. */
const wait = 25;
const largestPage = 10_000;

/** Two silent streams within this time, in milliseconds, are no accident. */
const memory = 150_000;
const silences = new WeakMap();

/**
 * Whether something on the way keeps streams: one of the hub's had no first line (`silence` is `"whole"`), or was silent
 * for the second time, while requests that have an end pass.
 */
export async function keepsStreams(hub, silence) {
  const before = silences.get(hub) ?? -Infinity;
  silences.set(hub, Date.now());
  if (silence !== "whole" && Date.now() - before > memory) return false;
  try {
    await hub.transport.send("GET", "/v1/whoami", { retries: 0 });
    return true;
  } catch (error) {
    return !isTransient(error.status);
  }
}

/** Asks again and again for what a stream would tell, as an `EventStream` does. Each answer is an event `initial`. */
export class Poll {
  /** How many there are at once: a gateway lets no caller have any number of requests that wait. */
  static most = 50;
  /** Where others wait, a poll has this long, in milliseconds. */
  static turn = 1000;
  #control = new AbortController();
  #limits;

  constructor(transport, path, parameters, on, { lastEventID = "" } = {}) {
    Object.assign(this, { transport, on, lastEventID });
    const [kind, ...rest] = path.replace("/v1/observe/", "").split("/");
    const isSections = kind === "sections";
    this.path = `/v1/${isSections ? "sections/objects" : kind}/${rest.join("/")}`;
    const { keyPaths, ...given } = parameters;
    this.parameters = given;
    // Beside pages of objects, which have a limit of their own, reads give everything.
    this.#limits = kind === "objects" && rest.length === 1;
    /** The key of an object alone is the second step; what is behind further steps shows when it is read. */
    this.mayBeObject = kind === "objects" && rest.length > 1;
    this.isObject = this.mayBeObject && rest.length === 2;
    this.#run();
  }

  stop() { this.#control.abort(); }

  async #run() {
    const { signal } = this.#control;
    // Nobody is called before whoever made this has it.
    await null;
    // What is known already changes only when the gateway responds.
    if (!signal.aborted && this.lastEventID !== "") this.on.open();
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        const { status, value, mark } = await this.#send({ wait, since: this.lastEventID });
        const text = status === 204 ? null : await this.#text(value, mark);
        if (signal.aborted) return;
        this.on.open();
        if (text !== null) this.on.event("initial", text, mark);
        this.lastEventID = mark;
        attempt = -1;
      } catch (error) {
        if (signal.aborted) return;
        if (!isTransient(error.status)) {
          this.#end(error);
          return;
        }
        this.on.lost(error);
        await sleep(pause(attempt, { most: 5000 }), signal).catch(() => {});
      }
    }
  }

  #send(more) {
    const { limit = Infinity } = this.parameters;
    const page = this.#limits ? { limit: Math.min(limit, largestPage) } : {};
    return this.transport.send("GET", this.path, {
      parameters: { ...this.parameters, ...page, ...more }, retries: 0, signal: this.#control.signal,
    });
  }

  /** The data of an event, from the answer to a read. */
  async #text(value, mark) {
    const version = Number.parseInt(mark, 10);
    const isAnswer = value !== null && typeof value === "object" && "items" in value && "version" in value;
    if (this.isObject || (this.mayBeObject && !isAnswer)) return stringify({ version, object: value });
    const { items } = value;
    if (items === undefined) return stringify(value);
    this.#limits = true;
    const { limit = Infinity } = this.parameters;
    const size = () => (Array.isArray(items) ? items : Object.keys(items)).length;
    // Values have a count in place of cursors.
    for (let { next, count = 0 } = value; size() < limit && (next !== undefined || size() < count); ) {
      const before = size();
      const { value: page } = await this.#send(next === undefined ? { offset: before } : { after: next });
      if (Array.isArray(items)) for (const item of page.items) items.push(item);
      else Object.assign(items, page.items);
      ({ next } = page);
      if (size() === before) break;
    }
    return stringify({ ...value, items });
  }

  #end(error) {
    this.stop();
    // What was there and is no more has been deleted.
    const isGone = error.status === 404 && this.lastEventID !== "";
    if (isGone) this.on.event("deleted", `{"version":${Number.parseInt(this.lastEventID, 10)}}`, this.lastEventID);
    else this.on.failed(error);
  }
}
