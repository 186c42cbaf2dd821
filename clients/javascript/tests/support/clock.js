// A clock that a test turns: it takes the place of the timers and of the time that a program asks for.

const { setImmediate } = globalThis;

export class Clock {
  now = 1_800_000_000_000;
  #timers = new Map();
  #last = 0;

  constructor(t) {
    const names = ["setTimeout", "clearTimeout", "setInterval", "clearInterval"];
    const before = [Date.now, Math.random, ...names.map((name) => globalThis[name])];
    const add = (block, after, every) => {
      const id = (this.#last += 1);
      this.#timers.set(id, { at: this.now + after, block, every });
      return id;
    };
    Date.now = () => this.now;
    // The longest pause that the jitter allows.
    Math.random = () => 1;
    globalThis.setTimeout = (block, after = 0) => add(block, after, null);
    globalThis.setInterval = (block, every) => add(block, every, every);
    globalThis.clearTimeout = globalThis.clearInterval = (id) => this.#timers.delete(id);
    t.after(() => {
      [Date.now, Math.random] = before;
      names.forEach((name, at) => { globalThis[name] = before[at + 2]; });
    });
  }

  /** Lets everything run that needs no time. */
  async settle() {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done));
  }

  /** Turns the clock, timer by timer. */
  async advance(milliseconds) {
    const end = this.now + milliseconds;
    await this.settle();
    while (true) {
      const [id, timer] = [...this.#timers].sort(([, one], [, other]) => one.at - other.at)[0] ?? [];
      if (timer === undefined || timer.at > end) break;
      this.now = timer.at;
      if (timer.every === null) this.#timers.delete(id);
      else timer.at += timer.every;
      timer.block();
      await this.settle();
    }
    this.now = end;
  }
}
