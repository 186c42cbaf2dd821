// The key that the reader signed in with. It lives as long as the tab, and goes into headers alone, never into addresses.

const name = "realmgate.key";

export class Session {
  #key = null;
  #refused = () => {};
  #changed = () => {};

  constructor() {
    try {
      this.#key = sessionStorage.getItem(name);
    } catch {
      // Storage may be forbidden: then a key lasts until the page is loaded again.
    }
  }

  get key() {
    return this.#key;
  }

  /** Keeps a key, or with null forgets it. */
  set key(key) {
    this.#key = key === "" ? null : key;
    try {
      if (this.#key === null) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, this.#key);
    } catch {
      // As above.
    }
    this.#changed(this.#key);
  }

  /** The headers that carry the key. */
  get headers() {
    return this.#key === null ? {} : { Authorization: `Bearer ${this.#key}` };
  }

  /** `handler(key)` is called with each new key. */
  whenChanged(handler) {
    this.#changed = handler;
  }

  /** `handler(problem)` is called when the gateway asks for a key, or for another one. */
  whenRefused(handler) {
    this.#refused = handler;
  }

  refused(problem) {
    this.#refused(problem);
  }
}
