// Lazy queries: each method returns a new one.

import { Edits } from "./edits.js";
import { load, segment } from "./transport.js";
import { stringify } from "./values.js";

const largestPage = 10_000;
const names = (all) => all.flat().join(",");

/** The filter with its placeholders counted from another number. */
function shifted(filter, by) {
  return filter.replace(/'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"|\$(K?)(\d+)/g, (token, letter, digits) =>
    digits === undefined ? token : `$${letter}${Number(digits) + by}`);
}

function checked(filter, args) {
  if (typeof filter !== "string") throw new TypeError(`The filter is ${filter}.`);
  // As null, it would find what has no value.
  const at = args.indexOf(undefined);
  if (at >= 0) throw new TypeError(`The argument $${at} is undefined. Null finds objects without a value.`);
  return filter;
}

const rows = ["limit", "offset"];
const written = ["fields", "expand", "keyPaths"];
const joined = (all) => ({ ...all, by: all?.by && names([all.by]), order: all?.order && names([all.order]) });

/** What each resource does not accept. */
const without = {
  objects: ["keyPaths"], sections: ["keyPaths"], values: written, index: [...rows, ...written, "types"],
  aggregates: [...rows, ...written, "sort"], groups: [...written, "sort"], write: [...written, "types", "snapshot"],
};

class Readable {
  constructor(client, path, state = {}) {
    this.client = client;
    this.path = path;
    this.state = Object.freeze(state);
  }

  with(more) { return new this.constructor(this.client, this.path, { ...this.state, ...more }); }

  fields(...paths) { return this.with({ fields: names(paths) }); }
  expand(...paths) { return this.with({ expand: names(paths) }); }
  at(snapshot) { return this.with({ snapshot: snapshot.snapshot ?? snapshot }); }

  get live() { return this.path; }
  get takesOffset() { return false; }

  observe(callback, options) {
    if (typeof callback !== "function") [callback, options] = [undefined, options ?? callback];
    return this.client.observe(this, `/v1/observe/${this.live}`, callback, options);
  }

  parameters(kind = "live") {
    const { args, ...given } = this.state;
    const state = { types: "typed", ...given };
    for (const name of without[kind] ?? []) delete state[name];
    return { ...state, args: args?.length > 0 ? stringify(args) : undefined };
  }

  async read(kind, more, options) {
    const path = kind === "objects" ? `/v1/${this.path}` : `/v1/${kind}/${this.path}`;
    return this.client.transport.send("GET", path, { ...options, parameters: { ...this.parameters(kind), ...more } });
  }
}

export class Query extends Readable {
  filter(text, ...args) {
    const before = this.state.args ?? [];
    checked(text, args);
    const filter = this.state.filter === undefined ? text : `(${this.state.filter}) AND (${shifted(text, before.length)})`;
    return this.with({ filter, args: [...before, ...args] });
  }

  sort(...paths) { return this.with({ sort: names(paths) }); }
  distinct(...paths) { return this.with({ distinct: names(paths) }); }
  limit(limit) { return this.with({ limit }); }
  offset(offset) { return this.with({ offset }); }
  keyPaths(...paths) { return this.with({ keyPaths: names(paths) }); }

  async *pages(size = 100, options) {
    const { limit = Infinity, offset = 0 } = this.state;
    let seen = 0;
    let after;
    while (true) {
      const more = { limit: Math.min(size, limit - seen, largestPage), offset: after === undefined ? offset + seen || undefined : undefined, after };
      const { value, mark } = await this.read("objects", more, options);
      const { items } = value;
      const count = Array.isArray(items) ? items.length : Object.keys(items).length;
      seen += count;
      yield Object.defineProperties(items, { version: { value: value.version }, mark: { value: mark } });
      after = value.next;
      // Values have a count in place of cursors.
      if (seen >= limit || count === 0 || (after === undefined && !(offset + seen < value.count))) return;
    }
  }

  async get(options) {
    let all = null;
    for await (const page of this.pages(largestPage, options)) {
      if (all === null) all = page;
      else if (Array.isArray(page)) for (const item of page) all.push(item);
      else Object.assign(all, page);
    }
    return all;
  }

  async first(options) { return (await this.limit(1).get(options))[0] ?? null; }

  async count(options) {
    const { value } = await this.read("aggregates", {}, options);
    return Math.max(0, Math.min(this.state.limit ?? Infinity, value.count - (this.state.offset ?? 0)));
  }

  async aggregate(functions, options) {
    return (await this.read("aggregates", joined(functions), options)).value;
  }

  async groups(by, functions, options) {
    return (await this.aggregate({ ...functions, by }, options)).groups;
  }

  sections(by, { ascending } = {}) { return new Sections(this.client, this.path, { ...this.state, by, ascending }); }

  aggregates(functions) {
    // Limits of a query count objects.
    const { limit, offset, ...state } = this.state;
    return new Aggregates(this.client, this.path, { ...state, ...joined(functions) });
  }

  #answer(kind, more, options) { return new Answer(this.client, this.path, { ...this.state, ...more }, kind, options); }

  indexOf(key, options) { return this.#answer("index", { of: String(key) }, options); }

  indexWhere(matching, ...args) {
    const before = this.state.args ?? [];
    checked(matching, args);
    return this.#answer("index", { args: [...before, ...args], matching: shifted(matching, before.length) });
  }

  values(keyPath, options) { return this.#answer("values", { keyPath }, options); }

  object(key) { return new ObjectReference(this.client, `${this.path}/${segment(key)}`, {}, { class: this.className, key }); }

  get className() { return decodeURIComponent(this.path.split("/")[1].replace(/^%FF/, "")); }
  get isClass() { return this.path.split("/").length === 2; }

  async create(value, { update, optimistic, ...options } = {}) {
    const { className } = this;
    const all = Array.isArray(value) ? value : [value];
    const request = () => this.client.transport.send("POST", `/v1/${this.path}`, { value, parameters: { update, types: "typed" }, ...options });
    const objects = (answer) => (Array.isArray(value) ? answer.value.items : [answer.value]);
    const operations = all.map((one) => ({ className, kind: "create", value: one }));
    const answer = await this.client.optimistically(optimistic && (() => operations), request, objects);
    return Array.isArray(value) ? answer.value.items : answer.value;
  }

  async update(value, options) { return (await this.#bulk("PATCH", value, options)).modified; }

  async delete(options) { return (await this.#bulk("DELETE", undefined, options)).deleted; }

  async #bulk(method, value, { all, ...options } = {}) {
    const parameters = { ...this.parameters("write"), all };
    return (await this.client.transport.send(method, `/v1/${this.path}`, { value, parameters, ...options })).value;
  }
}

export class Sections extends Readable {
  async get(options) { return (await this.read("sections", {}, options)).value.sections; }
  async keys(options) { return (await this.read("sections", { keys: true }, options)).value.keys; }

  get live() { return this.path.replace("objects/", "sections/"); }
}

export class Aggregates extends Readable {
  async get(options) {
    const { answer } = await load(() => import("./models.js"));
    return answer((await this.read("aggregates", {}, options)).value);
  }

  get live() { return `aggregates/${this.path}`; }
  get takesOffset() { return true; }

  parameters() { return super.parameters("groups"); }
}

/** Awaited it is read, observed it is live. */
class Answer extends Readable {
  constructor(client, path, state, kind, options) {
    super(client, path, state);
    Object.assign(this, { kind, options });
  }

  with(more) { return new Answer(this.client, this.path, { ...this.state, ...more }, this.kind, this.options); }

  get live() { return `${this.kind}/${this.path}`; }
  get takesOffset() { return true; }

  parameters() { return super.parameters(this.kind); }

  async get(options = this.options) {
    const { index, value = index, values = value } = (await this.read(this.kind, {}, options)).value;
    return values;
  }

  then(...all) { return this.get().then(...all); }
  catch(failed) { return this.get().catch(failed); }
  finally(block) { return this.get().finally(block); }
}

export class ObjectReference extends Edits {
  constructor(client, path, state, object) {
    super((operation) => client.edit(operation), object);
    this.client = client;
    this.path = path;
    this.reader = new Readable(client, path, state);
    this.object = object;
  }

  #with(reader) { return new ObjectReference(this.client, this.path, reader.state, this.object); }
  fields(...paths) { return this.#with(this.reader.fields(...paths)); }
  expand(...paths) { return this.#with(this.reader.expand(...paths)); }
  at(snapshot) { return this.#with(this.reader.at(snapshot)); }

  async get(options) {
    try {
      return (await this.reader.read("objects", {}, options)).value;
    } catch (error) {
      if (error.code === "object.not_found") return null;
      throw error;
    }
  }

  observe(callback, options) { return this.reader.observe(callback, options); }

  collection(...steps) { return new Query(this.client, [this.path, ...steps.map(segment)].join("/")); }

  async value(...steps) {
    const reader = new Readable(this.client, [this.path, ...steps.map(segment)].join("/"), this.reader.state);
    const { value } = await reader.read("objects");
    return value !== null && typeof value === "object" && "version" in value && "value" in value ? value.value : value;
  }

  async history({ limit, after, ...options } = {}) {
    const { value, mark } = await this.client.transport.send("GET", `/v1/history/${this.path}`, { parameters: { limit, after, types: "typed" }, ...options });
    return (await load(() => import("./models.js"))).page({ mark, next: null, begins: null, ...value });
  }

  async #write(method, kind, value, { optimistic, ifMatch, ...options } = {}) {
    const headers = ifMatch ? { "If-Match": ifMatch } : {};
    const parameters = method === "DELETE" ? {} : { types: "typed" };
    const request = () => this.client.transport.send(method, `/v1/${this.path}`, { value, parameters, headers, ...options });
    const operation = { className: this.object.class, kind, key: this.object.key, value };
    return (await this.client.optimistically(optimistic && (() => [operation]), request, (answer) => [answer.value])).value;
  }

  update(value, options) { return this.#write("PATCH", "set", value, options); }
  replace(value, options) { return this.#write("PUT", "set", value, options); }
  async delete(options) { await this.#write("DELETE", "delete", undefined, options); }
}
