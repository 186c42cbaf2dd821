// Realmgate for JavaScript. The guide is docs/guide/javascript.md, the types are in realmgate.d.ts.
// @ts-self-types="./realmgate.d.ts"

import { EventStream } from "./events.js";
import { ListModel } from "./list-model.js";
import { Observation } from "./observation.js";
import { Query } from "./query.js";
import { Transport, segment } from "./transport.js";

export { RealmgateError } from "./transport.js";
export {
  Decimal128, Double, Float, Link, ObjectId, Timestamp, UUID, geoBox, geoCircle, geoPolygon, parse, stringify,
} from "./values.js";

export class Realmgate {
  #set = null;
  #observations = new Set();
  #alone = 0;
  #optimism = null;

  constructor(url, { streams = 1, silence, ...options } = {}) {
    this.transport = new Transport(url, options);
    this.streams = streams;
    this.streamOptions = { silence };
  }

  objects(className) { return new Query(this, `objects/${segment(className)}`); }

  object(className, key) { return this.objects(className).object(key); }

  async transaction(block, { ifVersion, include, optimistic, ...options } = {}) {
    const { Transaction } = await import("./transaction.js");
    const transaction = new Transaction();
    await block(transaction);
    const { operations } = transaction;
    const request = () => this.transport.send("POST", "/v1/transactions", { value: { ifVersion, operations }, parameters: { include }, ...options });
    const { value, mark } = await this.optimistically(optimistic && ((module) => module.shownOperations(operations)), request);
    return { ...value, mark };
  }

  async schema(options) { return (await this.transport.send("GET", "/v1/schema", options)).value; }
  async whoami(options) { return (await this.transport.send("GET", "/v1/whoami", options)).value; }

  async snapshot({ ttl, ...options } = {}) {
    return (await this.transport.send("POST", "/v1/snapshots", { parameters: { ttl }, ...options })).value;
  }

  async importRealm(file, options) {
    return (await import("./realm-file.js")).importRealm(this.transport, file, options);
  }

  close() { for (const observation of [...this.#observations]) observation.stop(); }

  async edit(operation) {
    return (await this.transport.send("POST", "/v1/transactions", { value: { operations: [operation] } })).value.results[0];
  }

  async optimistically(describe, request, confirm) {
    if (!describe) return request();
    const module = await import("./optimism.js");
    if (this.#optimism === null) {
      this.#optimism = new module.Optimism(() => this.schema());
      for (const observation of this.#observations) this.#optimism.attach(observation);
    }
    return this.#optimism.during(describe(module), request, confirm);
  }

  observe(query, path, callback, { matches, ...options } = {}) {
    const { snapshot, offset, ...state } = query.state;
    if (snapshot !== undefined || offset !== undefined) throw new TypeError("Live results have neither a snapshot nor an offset.");
    const isClass = query instanceof Query && query.isClass;
    const about = isClass
      ? { className: query.className, sort: state.sort, limit: state.limit ?? null, isFiltered: state.filter !== undefined, matches }
      : null;
    const observation = new Observation(new ListModel(), callback, options, about);
    if (observation.state === "ended") return observation;
    this.#observations.add(observation);
    observation.onEnd(() => this.#observations.delete(observation));
    this.#optimism?.attach(observation);
    const open = () => this.#open(path, query.parameters(), observation, isClass);
    if (!isClass) this.#choose(observation, open);
    else if (this.#alone >= this.streams) this.#share(state, observation, open);
    else open();
    return observation;
  }

  async #choose(observation, open) {
    const { Model } = await import("./models.js");
    observation.model = new Model();
    if (observation.state !== "ended") open();
  }

  async #share(state, observation, open) {
    const { SubscriptionSet } = await import("./subscriptions.js");
    this.#set ??= new SubscriptionSet(this.transport, this.streamOptions);
    if (observation.state !== "ended") this.#set.add(observation, { class: observation.about.className, ...state }, open);
  }

  #open(path, parameters, observation, isClass) {
    if (isClass) {
      this.#alone += 1;
      observation.onEnd(() => { this.#alone -= 1; });
    }
    const stream = new EventStream(this.transport, path, parameters, {
      open: () => observation.connected(observation.epoch + 1),
      event: (type, data, id) => {
        // Parts of a long event have an empty id.
        observation.receive(type, data, id.length === 0);
        if (type === "deleted") observation.stop();
      },
      lost: (error) => observation.turn("waiting", error),
      failed: (error) => observation.fail(error),
    }, this.streamOptions);
    observation.onEnd(() => stream.stop());
  }
}
