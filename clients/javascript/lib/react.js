// Live results in React, without depending on it: `const { useQuery } = hooks(React)`.

/** - react: React, of which `useEffect`, `useMemo` and `useState` are used. */
export function hooks({ useEffect, useMemo, useState }) {
  /**
   * The live result of a query: `{items, state, error}`, where `items` is null before the first event. `make` makes the
   * query; it is made again when one of `dependencies` changes.
   */
  function useQuery(make, dependencies = [], options = {}) {
    const query = useMemo(make, dependencies);
    const [shown, show] = useState({ query: null });
    useEffect(() => {
      const update = () => show({ query, items: observation.items, state: observation.state, error: observation.error });
      const observation = query.observe(() => update(), { ...options, onState: () => queueMicrotask(update), onError: () => {} });
      return () => observation.stop();
    }, [query]);
    // The result of an earlier query is not shown for this one.
    return shown.query === query ? shown : { items: null, state: "connecting", error: null };
  }

  return { useQuery };
}
