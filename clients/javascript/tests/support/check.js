import assert from "node:assert/strict";
import { stringify } from "../../lib/realmgate.js";

/** Waits until the block returns, without throwing, something that is not false. */
export async function eventually(block, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  while (true) {
    try {
      const value = await block();
      if (value !== false) return value;
      if (Date.now() > end) assert.fail(`waited in vain for ${block}`);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

export const same = (actual, expected, message) => assert.equal(stringify(actual), stringify(expected), message);

/** Pseudo-random numbers with a seed that is printed: REALMGATE_SEED repeats a run. */
export function random(t) {
  const seed = Number(process.env.REALMGATE_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`REALMGATE_SEED=${seed}`);
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return { next, below, pick: (all) => all[below(all.length)] };
}
