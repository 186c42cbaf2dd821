// The gateway's resources, and the errors of requests.

/** A refusal, with the members of the gateway's problem document. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `The gateway refused the request with status ${status}.`);
    this.status = status;
    this.body = body;
    this.code = body.code ?? null;
    this.position = Number.isInteger(body.position) ? body.position : null;
    this.length = Number.isInteger(body.length) ? body.length : null;
    this.property = body.property ?? null;
    this.parameter = body.parameter ?? null;
    this.hint = body.hint ?? null;
  }

  /** Whether this gateway has no such endpoint, or does not offer it to this caller. */
  get isAbsent() {
    return this.status === 403 || this.status === 405 || this.status === 501
      || (this.status === 404 && (this.code === null || this.code === "not_found" || this.code.endsWith(".unavailable")));
  }

  /** The sentence with the nearest name, for places that cannot offer it as a button. */
  get sentence() {
    return this.hint ? `${this.message} Did you mean ‘${this.hint}’?` : this.message;
  }
}

/** The gateway could not be reached at all. */
export class Unreachable extends Error {
  constructor() {
    super("The gateway cannot be reached.");
  }
}

/** `?a=b&…` of the parameters that are given; an array repeats its parameter. */
export function queryString(parameters = {}) {
  const pairs = pairsOf(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** The parameters as pairs; those that are null, undefined or empty are left out. */
export function pairsOf(parameters) {
  return Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== null && one !== undefined && one !== "")
      .map((one) => [name, String(one)]));
}

/** A segment of a path. Browsers remove `.` and `..` from paths, however they are encoded, unless `%FF` is in front. */
const escaped = (text) => (["", ".", ".."].includes(String(text)) ? "%FF" : "") + encodeURIComponent(text);

export const paths = {
  schema: "/v1/schema",
  plan: "/v1/schema/plan",
  inference: "/v1/schema/inference",
  demo: "/v1/demo",
  collection: (name) => `/v1/objects/${escaped(name)}`,
  object: (name, key) => `/v1/objects/${escaped(name)}/${escaped(key)}`,
  property: (name, key, property) => `/v1/objects/${escaped(name)}/${escaped(key)}/${escaped(property)}`,
  index: (name) => `/v1/index/objects/${escaped(name)}`,
  aggregates: (name) => `/v1/aggregates/objects/${escaped(name)}`,
  sections: (name) => `/v1/sections/objects/${escaped(name)}`,
  observe: (name) => `/v1/observe/objects/${escaped(name)}`,
  observeObject: (name, key) => `/v1/observe/objects/${escaped(name)}/${escaped(key)}`,
  snapshots: "/v1/snapshots",
  snapshot: (id) => `/v1/snapshots/${escaped(id)}`,
  snapshotChanges: (id) => `/v1/snapshots/${escaped(id)}/changes`,
  subscriptions: (set) => `/v1/subscriptions/${escaped(set)}`,
  subscription: (set, name) => `/v1/subscriptions/${escaped(set)}/${escaped(name)}`,
  subscriptionStream: (set) => `/v1/subscriptions/${escaped(set)}/stream`,
  imports: (name) => `/v1/import/${escaped(name)}`,
  exports: (name) => `/v1/export/${escaped(name)}`,
  keys: "/v1/keys",
  key: (id) => `/v1/keys/${escaped(id)}`,
  whoami: "/v1/whoami",
  metrics: "/metrics",
};
