// Server-sent events over fetch, which can send a credential; resumed until they are stopped.

import { RealmgateError, isTransient, pause, problemOf, sleep, unreachable } from "./transport.js";
import { parse } from "./values.js";

/** An event that does not fit. The stream begins again, without a mark. */
export class Mismatch extends Error {}

// A computer that wakes up should not wait for a timer.
const wakers = new Set();
export const wake = () => { for (const waker of wakers) waker(); };
globalThis.addEventListener?.("online", wake);
globalThis.document?.addEventListener("visibilitychange", () => { if (!document.hidden) wake(); });

/** Parses a stream of events, in pieces of any length. */
export class EventParser {
  #rest = "";
  #event = { data: [] };

  /** Returns the events that the piece completes: `{type, text, id}`. One without a type has no text. */
  add(piece) {
    const lines = (this.#rest + piece).split(/\r?\n/);
    this.#rest = lines.pop();
    return lines.flatMap((line) => {
      if (line === "") {
        const { type, data, id } = this.#event;
        this.#event = { data: [] };
        return data.length > 0 || type || id ? [{ type, text: type ? data.join("\n") : "", id }] : [];
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "data") this.#event.data.push(text);
      else if (field === "event") this.#event.type = text;
      else if (field === "id" && !text.includes("\0")) this.#event.id = text;
      return [];
    });
  }
}

/** In milliseconds. */
const heartbeat = 15_000;

/**
 * Calls `on.open()`, `on.event(type, data, id)`, `on.lost(error)` before it connects again, `on.failed(error)` at its end.
 * `on.repair(error, silence)`, if there is one, says whether it has seen to the error; it expects a first line at once. With `isRaw` the data is text.
 */
export class EventStream {
  #control = new AbortController();
  #connection = null;
  #wait = null;
  #lastChunk = 0;

  constructor(transport, path, parameters, on, { silence = 3 * heartbeat, lastEventID = "", isRaw = false } = {}) {
    Object.assign(this, { transport, path, parameters, on, silence, lastEventID, isRaw });
    wakers.add(this.#waker);
    this.#run();
  }

  stop() {
    wakers.delete(this.#waker);
    this.#control.abort();
    this.#connection?.abort();
  }

  #waker = () => {
    this.#wait?.abort();
    if (Date.now() - this.#lastChunk > heartbeat + 5000) this.#connection?.abort();
  };

  async #run() {
    const stopped = this.#control.signal;
    let delay = 0;
    for (let attempt = 0; !stopped.aborted; attempt += 1) {
      const { error, response, opened, silence } = await this.#connect();
      if (stopped.aborted) return;
      // A stream that lasted is healthy, even without an event.
      if (Date.now() - opened > Math.min(delay, 5000)) attempt = 0;
      const renews = error.status === 401 && typeof this.transport.token === "function" && attempt < 2;
      const isOver = !(await this.on.repair?.(error, silence)) && !isTransient(error.status) && !renews;
      if (stopped.aborted) return;
      if (isOver) {
        this.stop();
        this.on.failed(error);
        return;
      }
      this.on.lost(error);
      this.#wait = new AbortController();
      const onStop = () => this.#wait.abort();
      stopped.addEventListener("abort", onStop);
      delay = pause(attempt, { response });
      await sleep(delay, this.#wait.signal).catch(() => {});
      stopped.removeEventListener("abort", onStop);
    }
  }

  /** Returns why it ended. */
  async #connect() {
    const control = this.#connection = new AbortController();
    const state = { opened: Infinity };
    this.#lastChunk = Date.now();
    const watch = setInterval(() => {
      // The first line of a set comes at once, unless something on the way keeps it.
      if (this.on.repair && !state.hasBegun) state.silence = "whole";
      else if (Date.now() - this.#lastChunk > this.silence) state.silence = "long";
      if (state.silence) control.abort();
    }, this.silence / 4);
    try {
      const headers = { Accept: "text/event-stream" };
      if (this.lastEventID !== "") headers["Last-Event-ID"] = this.lastEventID;
      const response = await this.transport.open("GET", this.path, { parameters: this.parameters, headers, signal: control.signal });
      state.response = response;
      if (!response.ok) state.error = problemOf(response.status, await response.text());
      else if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) throw new TypeError("This is no event stream.");
      else {
        state.opened = Date.now();
        this.on.open?.();
        state.error = await this.#read(response.body.getReader(), control.signal, state);
      }
    } catch (error) {
      if (error instanceof Mismatch) {
        this.lastEventID = "";
        // What never fits is not asked for in a hurry.
        state.opened = Infinity;
      }
      state.error = unreachable(error);
    } finally {
      clearInterval(watch);
      control.abort();
    }
    return state;
  }

  /** A damaged event, or one that lost a line, may fail in any way. */
  #guard(block) {
    try {
      return block();
    } catch (cause) {
      throw new Mismatch("An event cannot be applied.", { cause });
    }
  }

  async #read(reader, signal, state) {
    const decoder = new TextDecoder();
    const parser = new EventParser();
    while (true) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) return unreachable();
      this.#lastChunk = Date.now();
      state.hasBegun = true;
      for (const { type, text, id } of parser.add(decoder.decode(value, { stream: true }))) {
        const document = this.#guard(() => (this.isRaw && text && type !== "error" && type !== "closing" ? text : parse(text)));
        if (type === "error" && document.subscription === undefined) return new RealmgateError(document.status, document);
        if (type === "closing") return new RealmgateError(503, { code: document.code, detail: "The server ends the stream." });
        this.#guard(() => this.on.event(type, this.isRaw ? text : document, id));
        state.opened = 0;
        if (signal.aborted || this.#control.signal.aborted) return unreachable();
        // Only now: an event that could not be applied has not been received.
        if (id !== undefined) this.lastEventID = id;
      }
    }
  }
}
