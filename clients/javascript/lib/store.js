// A live result as a store of Svelte, or as a signal: `subscribe`, and `value` for what is shown at present.

/**
 * The store of a query. The stream is open while there are subscribers. They are called with `{items, state, error}`,
 * where `items` is null before the first event.
 */
export function store(query, options = {}) {
  const subscribers = new Set();
  let observation = null;
  let value = { items: null, state: "connecting", error: null };

  const update = () => {
    if (observation === null) return;
    value = { items: observation.items, state: observation.state, error: observation.error };
    for (const subscriber of [...subscribers]) subscriber(value);
  };

  return {
    get value() { return value; },

    /** Calls the subscriber now and at every change. Returns the function that ends this. */
    subscribe(subscriber) {
      // A function may subscribe twice.
      const entry = (shown) => subscriber(shown);
      subscribers.add(entry);
      observation ??= query.observe(() => update(), { ...options, onState: () => queueMicrotask(update), onError: () => {} });
      entry(value);
      return () => {
        if (!subscribers.delete(entry) || subscribers.size > 0) return;
        observation.stop();
        observation = null;
      };
    },
  };
}
