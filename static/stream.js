// One live query: an EventSource that is opened again for as long as it is wanted.

import { parse } from "./json.js";

const pauses = [500, 1000, 2000, 5000];

/**
 * Calls `on.initial(data)` and `on.update(data)` with the events, `on.state(name)` with `connecting`, `live` or
 * `waiting`, and `on.refused()` when the gateway answers with something else than a stream: the EventSource does not
 * show what, so the caller has to ask.
 */
export class Stream {
  #source = null;
  #timer = null;
  #failures = 0;
  #begun = false;
  #closed = false;

  constructor(url, on) {
    this.url = url;
    this.on = on;
    this.#open();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#source?.close();
  }

  #open() {
    if (this.#closed) return;
    this.#begun = false;
    this.on.state(this.#failures === 0 ? "connecting" : "waiting");
    const source = new EventSource(this.url);
    this.#source = source;
    // A stream that the browser resumed says nothing when nothing has changed.
    source.addEventListener("open", () => {
      if (this.#begun && !this.#closed) this.on.state("live");
    });
    source.addEventListener("initial", (event) => this.#deliver(this.on.initial, event));
    source.addEventListener("update", (event) => this.#deliver(this.on.update, event));
    source.addEventListener("error", (event) => {
      if (this.#closed) return;
      if (typeof event.data === "string") {
        // The gateway's own `error` event: the stream has ended with a reason.
        source.close();
        this.on.refused();
        this.#again();
        return;
      }
      this.on.state("waiting");
      // Without an answer the browser tries again by itself; after a refusal it does not.
      if (source.readyState === EventSource.CLOSED) {
        if (this.#failures === 0) this.on.refused();
        this.#again();
      }
    });
  }

  #deliver(handler, event) {
    if (this.#closed) return;
    this.#failures = 0;
    this.#begun = true;
    handler(parse(event.data));
    this.on.state("live");
  }

  #again() {
    const pause = pauses[Math.min(this.#failures, pauses.length - 1)];
    this.#failures += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), pause);
  }
}
