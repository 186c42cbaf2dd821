// A query as a collection of TanStack DB, without depending on it: `createCollection(collectionOptions(query))`.

import { stringify } from "./values.js";

/** How long the live result of what was written is waited for, in milliseconds, and when a read is made beside it first. */
const patience = 10_000;
const firstRead = 100;

/**
 * The options of a collection that follows the query. Inserts, updates and deletions of one transaction of TanStack DB are
 * written in one commit, and their optimistic state ends when the live result has them.
 *
 * - query: `db.objects("Card")`, with filter and sort; without `fields` that leave out the key.
 * - key: the name of the primary key.
 */
export function collectionOptions(query, { key, id = query.path, onError, ...options } = {}) {
  if (key === undefined) throw new TypeError("Give `key`, the name of the primary key.");
  // Collections compare keys as they are: equal UUIDs are different objects.
  const getKey = (item) => (typeof item[key] === "number" ? item[key] : String(item[key]));
  const { client, className } = query;
  let observation = null;
  let shown = new Map();
  const waiting = new Set();

  /** Resolves when the live result has what was written of these keys at a version. */
  function reached(version, keys) {
    if (observation === null || observation.version >= version) return undefined;
    return new Promise((done) => {
      const entry = { version };
      const begun = Date.now();
      let timer = null;
      entry.settle = () => {
        clearTimeout(timer);
        waiting.delete(entry);
        done();
      };
      const ask = (pause) => {
        timer = setTimeout(async () => {
          const isThere = Date.now() - begun > patience || await agrees(keys).catch(() => false);
          if (!waiting.has(entry)) return;
          if (isThere) entry.settle();
          else ask(2 * pause);
        }, pause);
      };
      waiting.add(entry);
      ask(firstRead);
    });
  }

  /**
   * Whether a read shows the objects of these keys as the live result does. No event comes of what changes nothing there,
   * such as of an object that the filter does not select.
   */
  async function agrees(keys) {
    const { limit, distinct } = query.state;
    const isNarrow = limit === undefined && distinct === undefined && /^[A-Za-z]\w*$/.test(key);
    const read = isNarrow ? query.filter(keys.map((_, at) => `${key} == $${at}`).join(" OR "), ...keys) : query;
    const now = new Map((await read.get()).map((item) => [getKey(item), item]));
    return keys.map((one) => getKey({ [key]: one })).every((one) => stringify(now.get(one)) === stringify(shown.get(one)));
  }

  async function write({ transaction: { mutations } }) {
    const answer = await client.transaction((tx) => {
      for (const { type, original, modified, changes } of mutations) {
        if (type === "insert") tx.create(className, modified);
        else if (type === "update") tx.object(className, original[key]).update(changes);
        else tx.object(className, original[key]).delete();
      }
    });
    await reached(answer.version, mutations.map(({ modified }) => modified[key]));
    return answer;
  }

  const sync = {
    rowUpdateMode: "full",
    sync: ({ begin, write: put, commit, markReady, truncate }) => {
      shown = new Map();
      let isReady = false;
      const ready = () => {
        if (!isReady) markReady();
        isReady = true;
      };
      const follow = (items, change) => {
        const next = new Map(items.map((item) => [getKey(item), item]));
        begin();
        if (change.type === "initial" && shown.size > 0 && truncate) {
          truncate();
          shown = new Map();
        }
        for (const [itemKey, item] of shown) if (!next.has(itemKey)) put({ type: "delete", key: itemKey, value: item });
        for (const [itemKey, item] of next) {
          const before = shown.get(itemKey);
          // Objects that did not change are the same ones.
          if (before !== item) put({ type: before === undefined ? "insert" : "update", value: item });
        }
        commit();
        shown = next;
        ready();
        for (const entry of [...waiting]) if (observation.version >= entry.version) entry.settle();
      };
      observation = query.observe((items, change) => follow(items, change), {
        onError: (error) => {
          // A collection that never becomes ready would keep its users waiting.
          ready();
          if (onError) onError(error);
          else queueMicrotask(() => { throw error; });
        },
      });
      const { stop } = observation;
      return () => {
        stop.call(observation);
        observation = null;
        for (const entry of [...waiting]) entry.settle();
      };
    },
  };

  return { ...options, id, getKey, sync, onInsert: write, onUpdate: write, onDelete: write };
}
