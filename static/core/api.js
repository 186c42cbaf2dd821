// The gateway's resources, and what its errors mean here. Requests are the JavaScript client's.

export { RealmgateError } from "../client/realmgate.js";
export { load } from "../client/transport.js";

/** Whether this gateway has no such endpoint, or does not offer it to this caller. */
export function isAbsent({ status, code }) {
  return status === 403 || status === 405 || status === 501
    || (status === 404 && ["http.404", "not_found"].includes(code)) || (status === 404 && code.endsWith(".unavailable"));
}

/** Whether a module of the console could not be loaded, in the words of Chromium, Firefox or Safari. */
export function isUnloaded(error) {
  return error instanceof TypeError && /dynamically imported module|importing a module script failed/i.test(error.message);
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
  transactions: "/v1/transactions",
  collection: (name) => `/v1/objects/${escaped(name)}`,
  object: (name, key) => `/v1/objects/${escaped(name)}/${escaped(key)}`,
  property: (name, key, property) => `/v1/objects/${escaped(name)}/${escaped(key)}/${escaped(property)}`,
  history: (name, key) => `/v1/history/objects/${escaped(name)}/${escaped(key)}`,
  index: (name) => `/v1/index/objects/${escaped(name)}`,
  aggregates: (name) => `/v1/aggregates/objects/${escaped(name)}`,
  sections: (name) => `/v1/sections/objects/${escaped(name)}`,
  observe: (name) => `/v1/observe/objects/${escaped(name)}`,
  observeSections: (name) => `/v1/observe/sections/${escaped(name)}`,
  observeAggregates: (name) => `/v1/observe/aggregates/objects/${escaped(name)}`,
  observeObject: (name, key) => `/v1/observe/objects/${escaped(name)}/${escaped(key)}`,
  snapshots: "/v1/snapshots",
  snapshot: (id) => `/v1/snapshots/${escaped(id)}`,
  snapshotChanges: (id) => `/v1/snapshots/${escaped(id)}/changes`,
  subscriptions: (set) => `/v1/subscriptions/${escaped(set)}`,
  subscription: (set, name) => `/v1/subscriptions/${escaped(set)}/${escaped(name)}`,
  subscriptionStream: (set) => `/v1/subscriptions/${escaped(set)}/stream`,
  realmImport: "/v1/import",
  imports: (name) => `/v1/import/${escaped(name)}`,
  exports: (name) => `/v1/export/${escaped(name)}`,
  keys: "/v1/keys",
  key: (id) => `/v1/keys/${escaped(id)}`,
  whoami: "/v1/whoami",
  metrics: "/metrics",
  metricsHistory: "/v1/metrics/history",
  observeLogs: "/v1/observe/logs",
  slowQueries: "/v1/slow-queries",
  connections: "/v1/connections",
  connection: (id) => `/v1/connections/${escaped(id)}`,
  roles: "/v1/roles",
  backup: "/v1/backup",
  backupCheck: "/v1/backup/check",
};
