// The gateway's resources, as this page uses them.

import { parse, stringify } from "./json.js";

/** A refusal, with the members of the gateway's problem document. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `The gateway answered with status ${status}.`);
    this.status = status;
    this.code = body.code ?? null;
    this.position = Number.isInteger(body.position) ? body.position : null;
    this.length = Number.isInteger(body.length) ? body.length : null;
    this.property = body.property ?? null;
    this.parameter = body.parameter ?? null;
    this.hint = body.hint ?? null;
  }
}

/** The gateway could not be reached at all. */
export class Unreachable extends Error {}

export async function request(method, path, { query, body, signal } = {}) {
  let response;
  let text;
  try {
    response = await fetch(path + queryString(query), {
      method,
      signal,
      cache: "no-store",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : stringify(body),
    });
    text = await response.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("Gateway not reachable");
  }
  if (response.ok) return text === "" ? null : parse(text);
  let problem = {};
  try {
    problem = parse(text);
  } catch {
    // Something between here and the gateway answered in words of its own.
  }
  throw new Problem(response.status, problem);
}

/** `?a=b&…` of the parameters that are given; an array repeats its parameter. */
export function queryString(parameters = {}) {
  const pairs = pairsOf(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** The parameters as pairs, without those that are null, undefined or empty. */
export function pairsOf(parameters) {
  return Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== null && one !== undefined && one !== "")
      .map((one) => [name, String(one)]));
}

export const paths = {
  schema: "/v1/schema",
  collection: (name) => `/v1/objects/${encodeURIComponent(name)}`,
  object: (name, key) => `/v1/objects/${encodeURIComponent(name)}/${encodeURIComponent(key)}`,
  aggregates: (name) => `/v1/aggregates/objects/${encodeURIComponent(name)}`,
  observe: (name) => `/v1/observe/objects/${encodeURIComponent(name)}`,
};
