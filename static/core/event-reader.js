// Server-sent events over fetch: unlike an EventSource it can send a key in a header, and says why it was refused.

import { Unreachable } from "./api.js";

const pauses = [500, 1000, 2000, 5000];

/**
 * Reads the stream at `url` until it is closed, and resumes it when the connection ends.
 * Calls `on.open()`, `on.event({type, data, id})`, `on.lost()` when the connection ended and will be tried again, and
 * `on.refused(problem)` when the gateway refuses the stream; then it has ended.
 */
export class EventReader {
  /** The id of the last event, from which a reconnecting client resumes. */
  lastEventID = "";
  #control = new AbortController();
  #failures = 0;
  #retry = null;
  #timer = null;

  constructor(gateway, url, on, { lastEventID = "" } = {}) {
    this.gateway = gateway;
    this.url = url;
    this.on = on;
    this.lastEventID = lastEventID;
    gateway.opened(this);
    this.#read();
  }

  close() {
    this.gateway.closed(this);
    this.rest();
  }

  /** Ends the connection until `reconnect` opens it again. */
  rest() {
    clearTimeout(this.#timer);
    this.#control.abort();
  }

  /** Ends the connection and opens it again at once, as after a fault on the way. */
  reconnect() {
    this.rest();
    this.#control = new AbortController();
    this.#failures = 0;
    this.#read();
  }

  async #read() {
    const { signal } = this.#control;
    try {
      const headers = { Accept: "text/event-stream", ...this.gateway.session.headers };
      if (this.lastEventID !== "") headers["Last-Event-ID"] = this.lastEventID;
      const response = await fetch(this.url, { headers, signal, cache: "no-store" });
      const type = response.headers.get("Content-Type") ?? "";
      if (!response.ok && response.status < 500 && response.status !== 429) {
        this.on.refused(this.gateway.problemOf(response.status, await response.text()));
        return;
      }
      if (!response.ok || !type.startsWith("text/event-stream")) throw new Unreachable();
      this.on.open?.();
      await this.#events(response.body, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TypeError || error instanceof Unreachable || error.name === "AbortError")) throw error;
    }
    if (signal.aborted) return;
    this.on.lost();
    const pause = this.#failures === 0 && this.#retry !== null
      ? this.#retry : pauses[Math.min(this.#failures, pauses.length - 1)];
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#read(), pause);
  }

  async #events(body, signal) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    let event = { type: "message", data: [], id: null };
    while (true) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const raw of lines) {
        const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
        if (line === "") {
          if (event.id !== null) this.lastEventID = event.id;
          if (event.data.length > 0) {
            this.#failures = 0;
            this.on.event({ type: event.type, data: event.data.join("\n"), id: this.lastEventID });
            if (signal.aborted) return;
          }
          event = { type: "message", data: [], id: null };
          continue;
        }
        const colon = line.indexOf(":");
        if (colon === 0) {
          this.on.comment?.(line.slice(1).trim());
          continue;
        }
        const field = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (field === "data") event.data.push(text);
        else if (field === "event") event.type = text;
        else if (field === "id" && !text.includes("\0")) event.id = text;
        else if (field === "retry" && /^\d+$/.test(text)) this.#retry = Number(text);
      }
    }
  }
}
