// A query as a collection of TanStack DB, without depending on it: `createCollection(collectionOptions(query))`.

/** How long a written object is waited for, in milliseconds. The live result may not have it, such as with a filter. */
const patience = 10_000;

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
  const waiting = new Set();

  /** Resolves when the live result is at a version. */
  function reached(version) {
    if (observation === null || observation.version >= version) return undefined;
    return new Promise((done) => {
      const entry = { version };
      const timer = setTimeout(() => entry.settle(), patience);
      entry.settle = () => {
        clearTimeout(timer);
        waiting.delete(entry);
        done();
      };
      waiting.add(entry);
    });
  }

  async function write({ transaction: { mutations } }) {
    const answer = await client.transaction((tx) => {
      for (const { type, original, modified, changes } of mutations) {
        if (type === "insert") tx.create(className, modified);
        else if (type === "update") tx.object(className, original[key]).update(changes);
        else tx.object(className, original[key]).delete();
      }
    });
    await reached(answer.version);
    return answer;
  }

  const sync = {
    rowUpdateMode: "full",
    sync: ({ begin, write: put, commit, markReady, truncate }) => {
      let shown = new Map();
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
