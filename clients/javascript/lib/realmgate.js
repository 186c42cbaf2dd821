// Realmgate for JavaScript. The guide is docs/guide/javascript.md, the types are in realmgate.d.ts.
// @ts-self-types="./realmgate.d.ts"

import { Connection } from "./connection.js";
import { ListModel } from "./list-model.js";
import { Observation } from "./observation.js";
import { Query } from "./query.js";
import { Transport, encoded, load, segment } from "./transport.js";
import { stringify } from "./values.js";

export { RealmgateError } from "./transport.js";
export {
  Decimal128, Double, Float, Link, ObjectId, Timestamp, UUID, geoBox, geoCircle, geoPolygon, parse, stringify,
} from "./values.js";

export class Realmgate {
  #connection = null;
  #observations = new Set();
  #optimism = null;
  #writes = 0;
  /** A promise of the schema, for the names of primary keys. */
  #schema = null;

  constructor(url, { streams, silence, share, ...options } = {}) {
    this.transport = new Transport(url, options);
    this.connectionOptions = { streams, silence, share };
  }

  objects(className) { return new Query(this, `objects/${segment(className)}`); }

  object(className, key) { return this.objects(className).object(key); }

  async transaction(block, { ifVersion, include, optimistic, ...options } = {}) {
    const { Transaction } = await load(() => import("./transaction.js"));
    const transaction = new Transaction();
    await block(transaction);
    const { operations } = transaction;
    const request = () => this.transport.send("POST", "/v1/transactions", { value: { ifVersion, operations }, parameters: { include }, ...options });
    const { value, mark } = await this.optimistically(optimistic && ((module) => module.shownOperations(operations)), request);
    return { ...value, mark };
  }

  async request(method, path, options) {
    const { value, mark, status } = await this.transport.send(method, path, { ...options, takesText: true });
    return { value, mark, status };
  }

  async schema(options) { return (await this.transport.send("GET", "/v1/schema", options)).value; }
  async whoami(options) { return (await this.transport.send("GET", "/v1/whoami", options)).value; }

  async snapshot({ ttl, ...options } = {}) {
    return (await this.transport.send("POST", "/v1/snapshots", { parameters: { ttl }, ...options })).value;
  }

  async importRealm(file, options) {
    return (await load(() => import("./realm-file.js"))).importRealm(this.transport, file, options);
  }

  close() { for (const observation of [...this.#observations]) observation.stop(); }

  async edit(operation) {
    return (await this.transport.send("POST", "/v1/transactions", { value: { operations: [operation] } })).value.results[0];
  }

  async optimistically(describe, request, confirm) {
    if (!describe) return request();
    // Modules and the schema may come to a later write first.
    const order = (this.#writes += 1);
    const module = await load(() => import("./optimism.js"));
    if (this.#optimism === null) {
      this.#optimism = new module.Optimism((isFresh) => this.#readSchema(isFresh));
      for (const observation of this.#observations) this.#optimism.attach(observation);
    }
    return this.#optimism.during(describe(module), request, confirm, order);
  }

  observe(query, path, callback, options) {
    const { matches, ...others } = options ?? {};
    const { snapshot, offset, ...state } = query.state;
    if (snapshot !== undefined) throw new TypeError("Live results have no snapshot.");
    if (offset !== undefined && !query.takesOffset) throw new TypeError("Live results have no offset.");
    const isClass = query instanceof Query && query.isClass;
    const about = isClass
      ? { className: query.className, sort: state.sort, limit: state.limit ?? null, isFiltered: state.filter !== undefined, matches }
      : null;
    const observation = new Observation(new ListModel(), callback, others, about);
    if (observation.state === "ended") return observation;
    this.#observations.add(observation);
    observation.onEnd(() => this.#observations.delete(observation));
    this.#optimism?.attach(observation);
    this.#connection ??= new Connection(this.transport, this.connectionOptions);
    const alone = followed(path, query.parameters());
    if (isClass) {
      this.#connection.add(observation, { ...alone, subscription: subscribed(query) });
      // So that the first write that is shown at once waits for nothing.
      this.#readSchema().then(() => load(() => import("./optimism.js"))).catch(() => {});
    } else {
      this.#choose(query, alone, observation);
    }
    return observation;
  }

  /** What is no query of a class has a model that is loaded for it. */
  async #choose(query, alone, observation) {
    const isObject = query.path.split("/").length === 3;
    const loaded = await this.#connection.persist(observation, () => load(() => import("./models.js")));
    const schema = isObject && await this.#readSchema().catch(() => null);
    if (loaded === null || observation.state === "ended") return;
    const { Model, FoundModel, found } = loaded;
    const state = schema ? found(schema, query) : null;
    observation.model = new (state === null ? Model : FoundModel)();
    if (state === null) {
      this.#connection.add(observation, alone);
      return;
    }
    // A query of its key also writes other fields and linked objects, as a read does; the object's own stream does not.
    const otherwise = () => {
      observation.model = new Model();
      return { ...followed(alone.path, { types: alone.parameters.types }), read: alone.parameters };
    };
    this.#connection.add(observation, { subscription: subscribed(state), otherwise });
  }

  #readSchema(isFresh) {
    if (isFresh) this.#schema = null;
    if (this.#schema === null) {
      this.#schema = this.schema();
      this.#schema.catch(() => { this.#schema = null; });
    }
    return this.#schema;
  }
}

/** A stream, as the subscription set carries it. */
function followed(path, parameters) {
  const form = encoded(parameters);
  const end = path.replace("/v1/observe/", "") + (form && `?${form}`);
  return { path, parameters, subscription: stringify({ path: end, waitForSync: "never" }) };
}

/** The body of a subscription. As in a URL, what is empty is absent. */
function subscribed({ className, state }) {
  const given = Object.entries({ types: "typed", ...state }).filter(([, value]) => value !== "");
  return stringify({ class: className, ...Object.fromEntries(given), waitForSync: "never" });
}
