// How the live results of a page reach a hub: in the page itself, or one that pages of the same origin share.

import { RealmgateError, load, pause, persist, sleep, unreachable } from "./transport.js";
import { parse } from "./values.js";

const isPage = globalThis.document !== undefined;

/** Streams for what has no room in a subscription set, at most, so that a browser has connections left for requests. */
const streamsOfPages = 3;

export class Connection {
  #members = new Map();
  #count = 0;
  #post = null;
  #connecting = null;
  /** What the shared hub connects to, as text. */
  #joined = null;
  #hello = null;

  constructor(transport, { silence, streams = isPage ? streamsOfPages : Infinity, share = true } = {}) {
    Object.assign(this, { transport, share, options: { silence, streams } });
  }

  /**
   * Follows with the observation what the spec names: `{path, parameters, read, subscription}`, the last as JSON. Where the
   * set has no room, it is the stream at the path, or what `otherwise` gives where there is none. `read` are the parameters
   * of the read, if they are others.
   */
  add(observation, spec) {
    const member = { observation, spec, misfits: 0 };
    observation.onEnd(() => this.#remove(member));
    this.#enter(member);
  }

  /** Runs what loads modules until they are there: the server may be away. */
  persist(observation, block) {
    return persist(block, (cause) => observation.state === "ended" || observation.turn("waiting", unreachable(cause)));
  }

  async #enter(member) {
    member.name = `q${(this.#count += 1)}`;
    this.#members.set(member.name, member);
    await this.persist(member.observation, () => (this.#connecting ??= this.#connect().catch((error) => {
      this.#connecting = null;
      throw error;
    })));
    this.#rejoin();
    if (this.#members.get(member.name) === member) this.#ask(member);
  }

  #ask({ name, spec: { path, parameters, read, subscription } }) {
    this.#post?.(["add", name, { path, parameters, read, subscription, written: this.transport.written }]);
  }

  #remove({ name }) {
    if (this.#members.delete(name)) this.#post?.(["remove", name]);
  }

  async #connect() {
    const config = isPage && this.share !== false ? this.#config() : null;
    const shared = config && await (await load(() => import("./sharing.js"))).share(config, this.transport, {
      message: (message) => this.#receive(message),
      // Another hub knows nothing of this page.
      welcome: () => { for (const member of this.#members.values()) this.#ask(member); },
    });
    if (shared) {
      this.#joined = JSON.stringify(config);
      [this.#post, this.#hello] = [shared.post, shared.hello];
      return;
    }
    const { Hub } = await load(() => import("./hub.js"));
    const hub = new Hub(this.transport, this.options).connect((message) => this.#receive(message));
    this.#post = hub.receive;
    // A page that comes back subscribes again, because its stream lists what there is.
    globalThis.addEventListener?.("pagehide", () => { for (const name of this.#members.keys()) hub.receive(["remove", name]); });
    globalThis.addEventListener?.("pageshow", ({ persisted }) => {
      if (persisted) for (const member of this.#members.values()) this.#ask(member);
    });
  }

  /** A page with another credential joins those that have the same. */
  #rejoin() {
    if (this.#joined === null) return;
    const config = this.#config();
    const text = JSON.stringify(config);
    if (config === null || text === this.#joined) return;
    this.#joined = text;
    this.#hello(config);
  }

  /** What pages have in common that share a hub; null where they cannot know. */
  #config() {
    const { base, token, headers, timeout, isOwn } = this.transport;
    if (isOwn || (typeof token === "function" && typeof this.share !== "string")) return null;
    const asks = typeof token === "function";
    return { url: new URL(`${base}/`, document.baseURI).href.replace(/\/+$/, ""), token: asks ? null : token ?? null, asks, share: String(this.share), headers, timeout, ...this.options };
  }

  #receive([kind, name, first, text, isPart]) {
    const member = this.#members.get(name);
    if (member === undefined) return;
    const { observation } = member;
    if (kind === "open") observation.connected(observation.epoch + 1);
    else if (kind === "lost") observation.turn("waiting", new RealmgateError(first.status, first));
    else if (kind === "event") this.#apply(member, first, text, isPart);
    else if (kind === "failed") {
      this.#members.delete(name);
      const error = new RealmgateError(first.status, first);
      if (member.spec.otherwise) this.#turn(member);
      else observation.fail(error);
    }
  }

  /** Follows in the other way that the spec has. */
  #turn(member) {
    member.spec = member.spec.otherwise();
    this.#enter(member);
  }

  #apply(member, type, text, isPart) {
    const { observation } = member;
    try {
      const { subscription, part, ...data } = parse(text);
      const change = observation.receive(type, data, isPart || part);
      if (change === undefined) {
        this.#remove(member);
        this.#turn(member);
        return;
      }
      if (type === "update" && change !== null) member.misfits = 0;
      if (change?.type === "deleted") observation.stop();
    } catch (cause) {
      this.#begin(member, cause);
    }
  }

  /** An event does not fit: the result is asked for again, without a hurry where none ever fits. */
  async #begin(member, cause) {
    this.#remove(member);
    member.observation.turn("waiting", unreachable(cause));
    await sleep(pause(member.misfits));
    member.misfits += 1;
    if (member.observation.state !== "ended") this.#enter(member);
  }
}
