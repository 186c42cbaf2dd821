// The gateway, reached by the JavaScript client with the key of the session.

import { EventStream } from "../client/events.js";
import { Realmgate } from "../client/realmgate.js";
import { problemOf, unreachable } from "../client/transport.js";

/** Requests that take longer than this are given up, in milliseconds. A summary of a large class takes its time. */
const timeout = 120_000;

export class Gateway {
  #logs = new Set();

  constructor(session) {
    this.session = session;
    this.client = new Realmgate("", { token: session.key, timeout, retries: 1 });
    session.whenChanged((key) => {
      this.client.transport.token = key;
    });
  }

  /** The objects of a class as a query whose values are plain JSON, as people read and write it. */
  objects(className) {
    return this.client.objects(className).with({ types: undefined });
  }

  /** One object, to be observed, in the same form. */
  object(className, key) {
    return this.client.object(className, key).reader.with({ types: undefined });
  }

  /** Sends a request; returns the client's response `{value, mark, status, headers}`. Throws a `RealmgateError`. */
  async send(method, path, { query, body, headers, signal } = {}) {
    const { transport } = this.client;
    const send = () => transport.send(method, path, { parameters: query, value: body, headers, signal });
    try {
      return await send();
    } catch (error) {
      // After a backup was restored, the version of the last write never comes.
      if (error.code !== "store.behind" || transport.written === null) throw this.noted(error);
      transport.written = null;
    }
    try {
      return await send();
    } catch (error) {
      throw this.noted(error);
    }
  }

  /** The JSON of the response; null for an empty one. */
  async request(method, path, options) {
    return (await this.send(method, path, options)).value;
  }

  /** Runs the operations that `block(transaction)` writes down: all or none. */
  async transaction(block) {
    try {
      return await this.client.transaction(block);
    } catch (error) {
      throw this.noted(error);
    }
  }

  /** The response itself, for a body that is no JSON or is read as it comes. */
  async respond(method, path, { query, headers, signal } = {}) {
    let response;
    try {
      response = await this.client.transport.open(method, path, { parameters: query, headers, signal });
      if (response.ok) return response;
      throw this.noted(problemOf(response.status, await response.text()));
    } catch (error) {
      throw error instanceof TypeError ? unreachable(error) : error;
    }
  }

  /** The same error; a 401 also leads to the sign-in. */
  noted(error) {
    if (error.status === 401) this.session.refused(error);
    return error;
  }

  /**
   * The events of any address as they are: `on.open()`, `on.event(type, data, id)`, `on.lost(error)`, and
   * `on.failed(error)` at the end. Returns `{lastEventID, stop}`.
   */
  events(address, on, options) {
    const [path, text = ""] = address.split(/\?(.*)/s);
    const parameters = {};
    for (const [name, value] of new URLSearchParams(text)) parameters[name] = [...(parameters[name] ?? []), value];
    const stream = new EventStream(this.client.transport, path, parameters, {
      ...on, failed: (error) => on.failed(this.noted(error)),
    }, options);
    this.#logs.add(stream);
    return {
      get lastEventID() {
        return stream.lastEventID;
      },
      stop: () => {
        stream.stop();
        this.#logs.delete(stream);
      },
    };
  }

  /** Ends all streams: a browser may keep a page that was left, and its connections with it. */
  rest() {
    this.client.close();
    for (const one of this.#logs) one.stop();
    this.#logs.clear();
  }
}
