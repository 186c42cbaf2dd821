// The key that the reader signed in with. It lives as long as the tab, and goes into headers alone, never into addresses.

const name = "realmgate.key";
let held = null;

try {
  held = sessionStorage.getItem(name);
} catch {
  // Storage may be forbidden: then a key lasts until the page is loaded again.
}

/** Called with the refusal when the gateway wants a key, or another one. */
let onRefused = () => {};

export const session = {
  get key() {
    return held;
  },

  /** Takes a key, or with null forgets it. */
  set key(key) {
    held = key === "" ? null : key;
    try {
      if (held === null) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, held);
    } catch {
      // As above.
    }
  },

  /** The headers that a request needs to be let in. */
  get headers() {
    return held === null ? {} : { Authorization: `Bearer ${held}` };
  },

  whenRefused(handler) {
    onRefused = handler;
  },

  refused(problem) {
    onRefused(problem);
  },
};
