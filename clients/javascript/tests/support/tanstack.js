// A stand-in for TanStack DB.

import assert from "node:assert/strict";

/**
 * A collection that does with its options what the guide of TanStack DB for adapters says: synced rows by key, between
 * `begin` and `commit`; optimistic rows over them until the handler's promise is settled; complaints for calls that the
 * real one refuses.
 */
class Collection {
  synced = new Map();
  isReady = false;
  #open = null;
  #mutations = new Set();

  constructor(options) {
    this.options = options;
    this.cleanup = options.sync.sync({
      collection: this,
      begin: () => {
        assert.equal(this.#open, null, "begin within begin");
        this.#open = [];
      },
      write: (message) => {
        assert.notEqual(this.#open, null, "write before begin");
        this.#open.push(message);
      },
      truncate: () => this.#open.push({ type: "truncate" }),
      commit: () => {
        const state = new Map(this.synced);
        for (const { type, value } of this.#open) {
          if (type === "truncate") {
            state.clear();
            continue;
          }
          const key = options.getKey(value);
          assert.equal(state.has(key), type !== "insert", `${type} of ${key}`);
          if (type === "delete") state.delete(key);
          else state.set(key, value);
        }
        this.#open = null;
        this.synced = state;
      },
      markReady: () => { this.isReady = true; },
    });
  }

  get rows() {
    const rows = new Map(this.synced);
    for (const { type, key, modified } of [...this.#mutations].flat()) {
      if (type === "delete") rows.delete(key);
      else rows.set(key, modified);
    }
    return [...rows.values()];
  }

  async #run(mutations) {
    this.#mutations.add(mutations);
    const { type } = mutations[0];
    const handler = { insert: "onInsert", update: "onUpdate", delete: "onDelete" }[type];
    try {
      await this.options[handler]({ transaction: { mutations }, collection: this });
    } finally {
      this.#mutations.delete(mutations);
    }
  }

  insert(...values) {
    return this.#run(values.map((value) => ({ type: "insert", key: this.options.getKey(value), original: {}, modified: value, changes: value })));
  }
  update(key, changes) {
    const original = this.synced.get(key);
    return this.#run([{ type: "update", key, original, modified: { ...original, ...changes }, changes }]);
  }
  delete(key) {
    const original = this.synced.get(key);
    return this.#run([{ type: "delete", key, original, modified: original, changes: {} }]);
  }
}

export const createCollection = (options) => new Collection(options);
