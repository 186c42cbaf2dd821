// A live result as a program holds it.

/** Errors of a program's own callbacks are reported as uncaught and do not stop the stream. */
function call(callback, ...all) {
  try {
    callback?.(...all);
  } catch (error) {
    queueMicrotask(() => { throw error; });
  }
}

export class Observation {
  items = null;
  /** Whether it has a result, which may be null. */
  hasBegun = false;
  version = 0;
  state = "connecting";
  error = null;
  epoch = 0;
  overlay = null;
  #queue = null;
  #next = null;
  #cleanups = [];

  constructor(model, callback, { signal, onError, onState }, about = null) {
    Object.assign(this, { model, callback, onError, onState, about });
    if (signal?.aborted) this.stop();
    else if (signal) {
      const stop = () => this.stop();
      signal.addEventListener("abort", stop, { once: true });
      this.onEnd(() => signal.removeEventListener("abort", stop));
    }
  }

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
    if (this.hasBegun) this.turn("live");
  }

  /** Returns the change; null before the last part of a long event, undefined from a model that does not take the event. */
  receive(type, data, isPart) {
    if (this.state === "ended") return null;
    const change = this.model.apply(type, data, isPart);
    if (change === undefined) return change;
    this.turn("live");
    if (change === null) return null;
    this.version = change.version;
    this.hasBegun = true;
    this.show(change);
    return change;
  }

  /** Shows the result with what is written optimistically, and calls back. */
  show(change) {
    if (!this.hasBegun && change.type === "update") return;
    const { items, change: shown } = this.overlay?.view(this, change) ?? { items: this.model.value, change };
    if (shown === null) return;
    this.items = items;
    call(this.callback, items, shown);
    if (this.#queue === null) return;
    this.#queue.push([items, shown]);
    this.#next?.();
  }

  async *[Symbol.asyncIterator]() {
    this.#queue ??= !this.hasBegun ? [] : [[this.items, { type: "initial", version: this.version, deletions: [], insertions: [], modifications: [] }]];
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
