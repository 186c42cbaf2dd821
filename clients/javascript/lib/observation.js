// A live result as a program holds it.

/** Errors of a program's own callbacks are reported as uncaught and do not stop the stream. */
function call(callback, ...all) {
  try {
    callback?.(...all);
  } catch (error) {
    queueMicrotask(() => { throw error; });
  }
}

/** A result that is kept up to date until `stop()`. Also an async iterator of `[items, change]`. */
export class Observation {
  /** The result as it is shown; null before the first event. */
  items = null;
  /** The version of the database that the result shows; 0 before the first event. */
  version = 0;
  /** `connecting`, `live`, `waiting` to connect again, or `ended`. */
  state = "connecting";
  /** The reason of `waiting`, or of an end. */
  error = null;
  /** The connection's number: an `initial` of a later one replaces everything before. */
  epoch = 0;
  /** Shows pending writes over the result, once there are any. */
  overlay = null;
  #queue = null;
  #next = null;
  #cleanups = [];

  constructor(model, callback, { signal, onError, onState } = {}, about = null) {
    Object.assign(this, { model, callback, onError, onState, about });
    if (signal?.aborted) this.stop();
    else if (signal) {
      const stop = () => this.stop();
      signal.addEventListener("abort", stop, { once: true });
      this.onEnd(() => signal.removeEventListener("abort", stop));
    }
  }

  /** Calls the block at the end, at once if it has come. */
  onEnd(block) {
    if (this.state === "ended") block();
    else this.#cleanups.push(block);
  }

  stop() { this.#end(null); }
  fail(error) { this.#end(error); }

  #end(error) {
    if (this.state === "ended") return;
    this.turn("ended", error);
    for (const block of this.#cleanups.splice(0)) block();
    if (error !== null && this.#queue === null) {
      if (this.onError) call(this.onError, error);
      else call(() => { throw error; });
    }
    this.#next?.();
  }

  turn(state, error = null) {
    if (this.state === "ended" || (this.state === state && this.error === error)) return;
    this.state = state;
    this.error = error;
    call(this.onState, state, error);
  }

  /** A connection begins. A stream that is resumed is silent while nothing changes. */
  connected(epoch) {
    this.epoch = epoch;
    if (this.items !== null) this.turn("live");
  }

  /** Applies an event. Throws when it does not fit. */
  receive(type, data, isPart) {
    if (this.state === "ended") return;
    const change = this.model.apply(type, data, isPart);
    this.turn("live");
    if (change === null) return;
    this.version = change.version;
    this.show(change);
  }

  /** Shows the result with what is written optimistically, and calls back. */
  show(change) {
    if (this.items === null && change.type === "update") return;
    const { items, change: shown } = this.overlay?.view(this, change) ?? { items: this.model.value, change };
    if (shown === null) return;
    this.items = items;
    call(this.callback, items, shown);
    if (this.#queue === null) return;
    this.#queue.push([items, shown]);
    this.#next?.();
  }

  async *[Symbol.asyncIterator]() {
    this.#queue ??= this.items === null ? [] : [[this.items, { type: "initial", version: this.version, deletions: [], insertions: [], modifications: [] }]];
    try {
      while (true) {
        while (this.#queue.length > 0) yield this.#queue.shift();
        if (this.state === "ended") break;
        await new Promise((done) => { this.#next = done; });
      }
      if (this.error !== null) throw this.error;
    } finally {
      this.stop();
    }
  }
}
