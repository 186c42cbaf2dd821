// The gateway's resources, as this page uses them.

import { parse, stringify } from "./json.js";

/** A refusal, with the members of the gateway's problem document. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `The gateway answered with status ${status}.`);
    this.status = status;
    this.code = body.code ?? null;
    this.position = Number.isInteger(body.position) ? body.position : null;
    this.property = body.property ?? null;
    this.parameter = body.parameter ?? null;
    this.hint = body.hint ?? null;
  }
}

/** The gateway could not be reached at all. */
export class Unreachable extends Error {}

export async function request(method, path, { query, body, signal } = {}) {
  let response;
  try {
    response = await fetch(path + queryString(query), {
      method,
      signal,
      cache: "no-store",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("The gateway does not answer.");
  }
  const text = await response.text();
  let content = null;
  try {
    content = text === "" ? null : parse(text);
  } catch {
    content = null;
  }
  if (!response.ok) throw new Problem(response.status, content ?? {});
  return content;
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
