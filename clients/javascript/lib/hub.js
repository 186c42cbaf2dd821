// What live results have from the gateway, for all pages that share it: one subscription set, and streams for what has no
// room in it. A browser has six connections for HTTP/1.1 to an origin, in all its tabs together.

import { EventStream, Mismatch, wake } from "./events.js";
import { segment } from "./transport.js";
import { parse, randomUUID } from "./values.js";

const cannotHaveSet = ["subscription.sets_limited", "subscription.too_many_sets", "subscription.too_many"];
/** Events of a result. */
const told = ["initial", "update", "change", "deleted"];

/** The members of a problem, which an error is made of again on the other side. */
const plain = ({ message, ...members }) => ({ ...members, detail: message });

/** The name at the beginning of an event of a set. */
function nameIn(text) {
  const [, name] = /^\{"subscription":"([^"\\]+)"/.exec(text) ?? [];
  if (name === undefined) throw new Mismatch("An event has no name.");
  return name;
}

/**
 * Streams of their own, at most so many at once. Where there are more members, each has a turn until it has what it
 * missed, because a stream is resumed after its last event.
 */
class Turns {
  #open = new Map();
  #waiting = [];

  constructor(most) { this.most = most; }

  add(member) {
    this.#waiting.push(member);
    this.#next();
  }

  remove(member) {
    this.#waiting = this.#waiting.filter((one) => one !== member);
    if (this.#open.has(member)) this.#close(member);
    this.#next();
  }

  /** Those without a turn would not connect either. */
  lost(problem) { for (const member of this.#waiting) member.post("lost", problem); }

  #next() {
    while (this.#waiting.length > 0 && this.#open.size < this.most) {
      const member = this.#waiting.shift();
      this.#open.set(member, { stream: member.open(() => this.#heard(member)), timer: null, since: Date.now() });
    }
    if (this.#waiting.length > 0) for (const member of this.#open.keys()) this.#heard(member);
  }

  #close(member) {
    const { stream, timer } = this.#open.get(member);
    clearTimeout(timer);
    stream.stop();
    this.#open.delete(member);
    return stream.lastEventID;
  }

  /** Something came. The turn ends when nothing more comes, or when it has lasted. */
  #heard(member) {
    const turn = this.#open.get(member);
    if (turn === undefined || this.#waiting.length === 0) return;
    clearTimeout(turn.timer);
    turn.timer = setTimeout(() => {
      // Without a mark, the stream has not had its first event, or is within a long one.
      if (turn.stream.lastEventID === "" || !turn.stream.isOpen || this.#waiting.length === 0) return;
      member.lastEventID = this.#close(member);
      this.add(member);
    }, Date.now() - turn.since > 2000 ? 0 : 300);
  }
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

  constructor(transport, { silence, streams = Infinity } = {}) {
    this.transport = transport;
    this.options = { silence, isRaw: true };
    this.turns = new Turns(streams);
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
        if (spec.subscription) this.#subscribe(member);
        else this.#follow(member);
      },
      end: () => {
        port.post = () => {};
        for (const name of [...members.keys()]) remove(name);
      },
    };
  }

  // MARK: Streams

  #follow(member) {
    const { path, parameters } = member.spec;
    member.open = (heard) => {
      const stream = new EventStream(this.transport, path, parameters, {
        open: () => {
          stream.isOpen = true;
          member.post("open");
          heard();
        },
        event: (type, text, id) => {
          // Parts of a long event have an empty id.
          member.post("event", type, text, id?.length === 0);
          if (type === "deleted") member.stop();
          heard();
        },
        lost: (error) => {
          stream.isOpen = false;
          member.post("lost", plain(error));
          this.turns.lost(plain(error));
        },
        failed: (error) => {
          member.stop();
          member.post("failed", plain(error));
        },
      }, { ...this.options, lastEventID: member.lastEventID });
      return stream;
    };
    member.stop = () => this.turns.remove(member);
    this.turns.add(member);
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
      repair: async (error) => {
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
