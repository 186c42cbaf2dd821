// One live query: a stream of events that reconnects until it is closed.

import { EventReader } from "./event-reader.js";
import { parse } from "./json.js";

/**
 * Calls the handler of `on` that has an event's name with the event's data, `on.state(name)` with `connecting`, `live`
 * or `waiting`, and `on.refused(problem)` when the gateway refuses the stream; then it has ended.
 */
export class Stream {
  #reader;
  #begun = false;
  #closed = false;

  constructor(gateway, url, on) {
    this.url = url;
    on.state("connecting");
    this.#reader = new EventReader(gateway, url, {
      // A stream that was resumed says nothing when nothing has changed.
      open: () => {
        if (this.#begun) on.state("live");
      },
      event: ({ type, data }) => {
        if (this.#closed) return;
        if (type === "error") {
          this.close();
          on.refused(parse(data));
          return;
        }
        on[type]?.(parse(data));
        this.#begun = true;
        on.state("live");
      },
      lost: () => on.state("waiting"),
      refused: (problem) => {
        if (this.#closed) return;
        this.close();
        on.refused(problem);
      },
    });
  }

  close() {
    this.#closed = true;
    this.#reader?.close();
  }
}
