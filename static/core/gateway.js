// Requests to the gateway, with the key of the session.

import { Problem, Unreachable, queryString } from "./api.js";
import { parse, stringify } from "./json.js";

export class Gateway {
  /** The event readers that are open. */
  #readers = new Set();

  constructor(session) {
    this.session = session;
  }

  /** The response itself, if the gateway accepted the request; throws a `Problem` if it refused. */
  async respond(method, path, { query, body, headers = {}, signal } = {}) {
    let response;
    try {
      response = await fetch(path + queryString(query), {
        method,
        signal,
        cache: "no-store",
        headers: {
          ...this.session.headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers,
        },
        body: body === undefined ? undefined : stringify(body),
      });
      if (response.ok || response.status === 304) return response;
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Unreachable();
    }
    throw this.problemOf(response.status, await response.text());
  }

  /** The JSON of the response; null for an empty one. */
  async request(method, path, options) {
    const response = await this.respond(method, path, options);
    try {
      const text = await response.text();
      return text === "" ? null : parse(text);
    } catch (error) {
      if (error.name === "AbortError" || error instanceof SyntaxError) throw error;
      throw new Unreachable();
    }
  }

  /** The problem that a response describes; a 401 also leads to the sign-in. */
  problemOf(status, text) {
    let body = {};
    try {
      body = parse(text) ?? {};
    } catch {
      // A proxy on the way has sent a response of its own.
    }
    const problem = new Problem(status, body);
    if (status === 401) this.session.refused(problem);
    return problem;
  }

  // MARK: Streams

  opened(reader) {
    this.#readers.add(reader);
  }

  closed(reader) {
    this.#readers.delete(reader);
  }

  /** Ends all connections: a browser may keep a page that was left, and its connections with it. */
  rest() {
    for (const one of this.#readers) one.rest();
  }

  reconnect() {
    for (const one of this.#readers) one.reconnect();
  }
}
