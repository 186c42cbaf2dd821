// Many queries on one stream: a subscription set of the gateway. A browser has six connections for HTTP/1.1.

import { EventStream } from "./events.js";
import { check } from "./list-model.js";
import { RealmgateError, segment } from "./transport.js";
import { randomUUID } from "./values.js";

const cannotHaveSet = ["subscription.sets_limited", "subscription.too_many_sets", "subscription.too_many"];

export class SubscriptionSet {
  #path = `/v1/subscriptions/${segment(`js-${randomUUID()}`)}`;
  #members = new Map();
  #asked = new Set();
  #stream = null;
  #count = 0;
  #epoch = 0;

  constructor(transport, streamOptions) {
    this.transport = transport;
    this.streamOptions = streamOptions;
    // A page that comes back subscribes again, because its stream lists what there is.
    globalThis.addEventListener?.("pagehide", () => {
      if (this.size > 0) this.#send("DELETE", "", { keepalive: true });
    });
  }

  get size() { return this.#members.size; }

  /** Adds a query; calls `refused` where the server has no room for another subscription. */
  add(observation, query, refused) {
    const name = `q${(this.#count += 1)}`;
    this.#members.set(name, { observation, query, refused });
    observation.onEnd(() => this.#remove(name));
    this.#ask(name);
  }

  #remove(name) {
    if (!this.#members.delete(name)) return;
    this.#send("DELETE", `/${name}`);
    if (this.size > 0) return;
    this.#stream?.stop();
    this.#stream = null;
  }

  /** Sends what needs no answer. */
  #send(method, rest, options) {
    this.transport.send(method, this.#path + rest, { retries: 1, ...options }).catch(() => {});
  }

  async #ask(name) {
    const { observation, query, refused } = this.#members.get(name);
    this.#asked.add(name);
    try {
      await this.transport.send("PUT", `${this.#path}/${name}`, {
        value: { ...query, types: "typed", waitForSync: "never" }, retries: Infinity,
        isFinal: (error) => cannotHaveSet.includes(error.code),
      });
      if (this.size > 0) this.#stream ??= this.#open();
    } catch (error) {
      if (!this.#members.has(name)) return;
      if (cannotHaveSet.includes(error.code)) {
        this.#members.delete(name);
        refused();
      } else {
        observation.fail(error);
      }
    } finally {
      this.#asked.delete(name);
      // It may have ended before the gateway knew it.
      if (!this.#members.has(name)) this.#send("DELETE", `/${name}`);
    }
  }

  #open() {
    return new EventStream(this.transport, `${this.#path}/stream`, {}, {
      open: () => {
        this.#epoch += 1;
        for (const { observation } of this.#members.values()) observation.connected(this.#epoch);
      },
      event: (type, data, id) => this.#receive(type, data, id),
      lost: (error) => { for (const { observation } of this.#members.values()) observation.turn("waiting", error); },
      repair: async (error) => {
        if (error.code !== "subscription.unknown_set") return false;
        this.#stream.lastEventID = "";
        await Promise.all([...this.#members.keys()].map((name) => this.#ask(name)));
        return true;
      },
      failed: (error) => {
        this.#stream = null;
        for (const { observation } of [...this.#members.values()]) observation.fail(error);
      },
    }, this.streamOptions);
  }

  #receive(type, data, id) {
    if (type === "subscriptions") {
      const known = new Set(data.subscriptions);
      for (const name of known) if (!this.#members.has(name)) this.#send("DELETE", `/${name}`);
      for (const name of this.#members.keys()) if (!known.has(name) && !this.#asked.has(name)) this.#ask(name);
      return;
    }
    const member = this.#members.get(data.subscription);
    if (member === undefined) return;
    if (type === "initial" || type === "update") {
      // Without its id, the stream would be resumed from a state before it.
      check(id !== undefined);
      member.observation.epoch = this.#epoch;
      member.observation.receive(type, data, data.part);
    } else if (type === "removed") this.#ask(data.subscription);
    else if (type === "error") member.observation.fail(new RealmgateError(data.status, data));
  }
}
