import assert from "node:assert/strict";
import { stringify } from "../../lib/realmgate.js";

function number(name, otherwise) {
  const text = process.env[name] || String(otherwise);
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${name} is '${text}'. Give it a whole number above 0.`);
  return Number(text);
}

/** How long a test waits for what must come, in milliseconds. A test that waits so long has found a fault. */
export const patience = number("REALMGATE_PATIENCE", 120) * 1000;

/** How many times as long random tests are as in the gate. */
export const lengthFactor = number("REALMGATE_LONG_TESTS", 1);

/** The one limit of a test: many waits one after the other. */
export const limit = { timeout: 10 * lengthFactor * patience };

/** Waits until the block returns, without throwing, something that is not false. */
export async function eventually(block, pause = 20) {
  const end = performance.now() + patience;
  while (true) {
    try {
      const value = await block();
      if (value !== false) return value;
      if (performance.now() > end) assert.fail(`waited in vain for ${block}`);
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((done) => setTimeout(done, pause));
  }
}

/** The promise's value, or an error that says what did not come. */
export async function within(promise, what) {
  let timer;
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error(`waited in vain for ${what()}`)), patience); });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const same = (actual, expected, message) => assert.equal(stringify(actual), stringify(expected), message);

const asked = process.env.REALMGATE_SEED || null;
const run = asked === "random" ? String(Math.floor(Math.random() * 2 ** 32)) : asked;
if (run !== null && !/^\d+$/.test(run)) throw new Error(`REALMGATE_SEED is '${asked}'. Give it a whole number, or the word random.`);
if (asked === "random") process.stderr.write(`REALMGATE_SEED=${run}\n`);

/** Whether this run has the seeds that the gate uses. Only then may a test assert that chance reached a certain case. */
export const hasFixedSeeds = run === null;

/**
 * Pseudo-random numbers whose seed follows from the test's name, so that every run makes the same choices. REALMGATE_SEED
 * gives others: a number the same ones in each run, the word random new ones, with a number that is printed.
 */
export function random(t, argument = "") {
  if (run !== null) t.diagnostic(`REALMGATE_SEED=${run}`);
  // FNV-1a.
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(`${t.name} ${argument} ${run ?? ""}`)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  const shuffled = (all) => {
    const result = [...all];
    for (let at = result.length - 1; at > 0; at -= 1) {
      const other = below(at + 1);
      [result[at], result[other]] = [result[other], result[at]];
    }
    return result;
  };
  return { next, below, shuffled, pick: (all) => all[below(all.length)] };
}
