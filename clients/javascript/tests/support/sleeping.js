// The computer that the client is on, as a test wants it. Import it before the client, which asks once whether its
// surroundings tell of a network.

const listeners = new Map();
globalThis.addEventListener ??= (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]);

let skipped = 0;
const now = Date.now.bind(Date);
Date.now = () => now() + skipped;

/** Streams that wait are opened at once. */
export function wake() {
  for (const listener of listeners.get("online") ?? []) listener();
}

/** An hour passes in which the computer sleeps. */
export function sleepAndWake() {
  skipped += 3_600_000;
  wake();
}
