// A model applies events to a value, and says what changed. What a program was given stays as it was.

import { Mismatch } from "./events.js";

export function check(holds) {
  if (!holds) throw new Mismatch("An event does not fit the result.");
}

export const initial = (version) => ({ type: "initial", version, deletions: [], insertions: [], modifications: [] });

/** Returns the array after an update: modifications and deletions are positions before it, insertions after it. */
export function applyUpdate(items, { deletions, insertions, modifications, objects }) {
  check(objects?.insertions.length === insertions.length && objects.modifications.length === modifications.length);
  const before = items.slice();
  modifications.forEach((at, index) => {
    check(at < before.length);
    before[at] = objects.modifications[index];
  });
  const kept = [];
  let from = 0;
  for (const at of [...deletions, before.length]) {
    check(at >= from && at <= before.length);
    for (; from < at; from += 1) kept.push(before[from]);
    from = at + 1;
  }
  check(deletions.length === 0 || deletions.at(-1) < before.length);
  if (insertions.length === 0) return kept;
  const after = [];
  let next = 0;
  insertions.forEach((at, index) => {
    for (; after.length < at; next += 1) {
      check(next < kept.length);
      after.push(kept[next]);
    }
    check(after.length === at);
    after.push(objects.insertions[index]);
  });
  for (; next < kept.length; next += 1) after.push(kept[next]);
  return after;
}

/** The objects of a query, or the values of a list or set. Parts of a long event are shown together. */
export class ListModel {
  value = null;
  /** For each element its index in the array that was shown last, or -1; null outside of a long event. */
  #indices = null;
  #modified = new Set();
  #shown = 0;

  apply(type, data, isPart = false) {
    const { version } = data;
    if (type === "initial") {
      this.value = data.items;
      this.#indices = null;
      this.#shown = isPart ? -1 : data.items.length;
      return isPart ? null : initial(version);
    }
    check(this.value !== null);
    const { deletions, insertions, modifications } = data;
    const isBeginning = this.#shown < 0;
    if (!isBeginning && (isPart || this.#indices)) {
      this.#indices ??= Array.from(this.value, (_, at) => at);
      for (const at of modifications) this.#modified.add(this.#indices[at]);
      const none = { insertions: insertions.map(() => -1), modifications: [] };
      this.#indices = applyUpdate(this.#indices, { deletions, insertions, modifications: [], objects: none });
    }
    this.value = applyUpdate(this.value, data);
    if (isPart) return null;
    const indices = this.#indices;
    const shown = this.#shown;
    this.#indices = null;
    this.#shown = this.value.length;
    if (isBeginning) return initial(version);
    if (indices === null) return { type, version, deletions, insertions, modifications };
    const kept = new Set(indices);
    const all = {
      type, version,
      deletions: Array.from({ length: shown }, (_, at) => at).filter((at) => !kept.has(at)),
      insertions: indices.flatMap((index, at) => (index < 0 ? [at] : [])),
      modifications: [...this.#modified].filter((index) => index >= 0 && kept.has(index)).sort((one, other) => one - other),
    };
    this.#modified.clear();
    return all;
  }
}
