// What live results have from the gateway, for all pages that share it: one subscription set, and streams for what has no
// room in it. A browser has six connections for HTTP/1.1 to an origin, in all its tabs together.

import { EventStream, Mismatch, wake } from "./events.js";
import { load, persist, segment } from "./transport.js";
import { parse, randomUUID } from "./values.js";

/** The members of a problem, which an error is made of again on the other side. */
export const plain = ({ message, ...members }) => ({ ...members, detail: message });

const cannotHaveSet = ["subscription.sets_limited", "subscription.too_many_sets", "subscription.too_many"];
/** Events of a result. */
const told = ["initial", "update", "change", "deleted"];

/** The name at the beginning of an event of a set. */
function nameIn(text) {
  const [, name] = /^\{"subscription":"([^"\\]+)"/.exec(text) ?? [];
  if (name === undefined) throw new Mismatch("An event has no name.");
  return name;
}

const newPath = () => `/v1/subscriptions/${segment(`js-${randomUUID()}`)}`;

/** One live result of one page. */
class Member {
  lastEventID = "";
  stop = () => {};

  constructor(port, name, spec) { Object.assign(this, { port, name, spec, id: `${port.id}-${name}` }); }

  post(kind, ...rest) { this.port.post([kind, this.name, ...rest]); }
}

export class Hub {
  #path = newPath();
  /** The members of the set, by the names of their subscriptions. */
  #members = new Map();
  #asked = new Set();
  #stream = null;
  #ports = 0;
  /** The members beside the set, and what follows them. */
  #alone = new Set();
  #turns = null;
  /** Where streams cannot pass, all members are beside the set, and are asked for again and again. */
  #isPolling = false;

  constructor(transport, { silence, streams = Infinity } = {}) {
    this.transport = transport;
    this.options = { silence, isRaw: true };
    this.streams = streams;
  }

  /**
   * Connects a page. Messages to it are arrays, given to `post`: `open`, `lost`, `failed` and `event`, each with the name
   * of a live result. Those from it are given to `receive` of what this returns: `add`, `remove`, `wake`.
   */
  connect(post) {
    const port = { id: `p${(this.#ports += 1)}`, post };
    const members = new Map();
    const remove = (name) => {
      members.get(name)?.stop();
      members.delete(name);
    };
    return {
      receive: ([kind, name, spec]) => {
        if (kind === "wake") wake();
        if (kind === "remove") remove(name);
        if (kind !== "add") return;
        // A page that is welcomed while it adds does it twice.
        remove(name);
        const member = new Member(port, name, spec);
        members.set(name, member);
        if (spec.written) this.transport.written = spec.written;
        this.#begin(member);
      },
      end: () => {
        port.post = () => {};
        for (const name of [...members.keys()]) remove(name);
      },
    };
  }

  #begin(member) {
    if (member.spec.subscription && !this.#isPolling) this.#subscribe(member);
    else if (member.spec.path) this.#follow(member);
    // Its page has another way.
    else member.post("failed", {});
  }

  // MARK: Beside the set

  /** What follows such members is loaded for the first one. */
  async #follow(member) {
    this.#alone.add(member);
    member.stop = () => this.#alone.delete(member);
    const turns = await (this.#turns ??= this.#load());
    if (!this.#alone.has(member) || turns !== await this.#turns) return;
    member.stop = () => {
      this.#alone.delete(member);
      turns.remove(member);
    };
    turns.add(member);
  }

  #load() {
    return persist(async () => {
      const { Turns } = await load(() => import("./turns.js"));
      return new Turns(this.transport, this.options, this.streams, this.#isPolling && (await load(() => import("./polling.js"))).Poll);
    });
  }

  /** The stream of the set was silent. Where it cannot pass, all are polled. */
  async #doubt(silence) {
    const { keepsStreams } = await persist(() => load(() => import("./polling.js")));
    if (!(await keepsStreams(this, silence)) || this.#stream === null) return;
    this.#isPolling = true;
    const all = [...this.#members.values(), ...this.#alone];
    for (const member of this.#alone) member.stop();
    this.#leave();
    this.#turns = null;
    all.forEach((member) => this.#begin(member));
  }

  // MARK: The set

  #subscribe(member) {
    this.#members.set(member.id, member);
    member.stop = () => this.#unsubscribe(member);
    this.#ask(member.id);
  }

  #unsubscribe({ id }) {
    if (!this.#members.delete(id)) return;
    if (this.#members.size > 0) {
      this.#send("DELETE", `/${id}`);
      return;
    }
    this.#leave();
  }

  /** Ends the set. */
  #leave() {
    this.#members.clear();
    this.#stream?.stop();
    this.#stream = null;
    // A page that goes away still sends this.
    this.#send("DELETE", "", { keepalive: true });
    // What is subscribed next must not meet the deletion.
    this.#path = newPath();
  }

  /** Sends what needs no answer. */
  #send(method, rest, options, path = this.#path) {
    this.transport.send(method, path + rest, { retries: 1, ...options }).catch(() => {});
  }

  #fail(id, problem) {
    const member = this.#members.get(id);
    this.#members.delete(id);
    member?.post("failed", problem);
  }

  async #ask(id) {
    const member = this.#members.get(id);
    const path = this.#path;
    this.#asked.add(id);
    try {
      await this.transport.send("PUT", `${path}/${id}`, {
        body: member.spec.subscription, retries: Infinity, isFinal: (error) => cannotHaveSet.includes(error.code),
      });
      if (path === this.#path && this.#members.size > 0) this.#stream ??= this.#open();
    } catch (error) {
      if (!this.#members.has(id)) return;
      // Older gateways have no paths in sets.
      const isOlder = error.code === "subscription.invalid" && member.spec.subscription.startsWith('{"path"');
      if (member.spec.path && (isOlder || cannotHaveSet.includes(error.code))) {
        this.#members.delete(id);
        this.#follow(member);
      } else {
        this.#fail(id, plain(error));
      }
    } finally {
      this.#asked.delete(id);
      // It may have ended before the gateway knew it.
      if (!this.#members.has(id)) this.#send("DELETE", `/${id}`, {}, path);
    }
  }

  #open() {
    const all = (...message) => { for (const member of this.#members.values()) member.post(...message); };
    return new EventStream(this.transport, `${this.#path}/stream`, {}, {
      open: () => all("open"),
      event: (type, text, id) => this.#receive(type, text, id),
      lost: (error) => all("lost", plain(error)),
      repair: async (error, silence) => {
        if (silence) await this.#doubt(silence);
        if (error.code !== "subscription.unknown_set") return false;
        this.#stream.lastEventID = "";
        await Promise.all([...this.#members.keys()].map((id) => this.#ask(id)));
        return true;
      },
      failed: (error) => {
        this.#stream = null;
        for (const id of [...this.#members.keys()]) this.#fail(id, plain(error));
      },
    }, this.options);
  }

  #receive(type, text, id) {
    if (type === "subscriptions") {
      const known = new Set(parse(text).subscriptions);
      for (const name of known) if (!this.#members.has(name)) this.#send("DELETE", `/${name}`);
      for (const name of this.#members.keys()) if (!known.has(name) && !this.#asked.has(name)) this.#ask(name);
      return;
    }
    if (type === "barrier") return;
    const name = nameIn(text);
    const member = this.#members.get(name);
    if (member === undefined) return;
    if (told.includes(type)) {
      // Without its id, the stream would be resumed from a state before it.
      if (id === undefined) throw new Mismatch("An event has no mark.");
      member.post("event", type, text);
    } else if (type === "removed") this.#ask(name);
    else if (type === "error") this.#fail(name, parse(text));
  }
}
