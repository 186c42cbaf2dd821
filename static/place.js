// Where the reader is: class, predicate and sort, kept in the address so that it can be shared and gone back to.

/** `#/Flight?filter=…&sort=-delay,number`, taken apart. */
export function readPlace(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  return {
    className: decode(path),
    filter: parameters.get("filter") ?? "",
    sort: parseSort(parameters.get("sort") ?? ""),
  };
}

export function placeAddress({ className, filter, sort }) {
  const parameters = [];
  if (filter) parameters.push(`filter=${encodeURIComponent(filter)}`);
  if (sort.length > 0) parameters.push(`sort=${encodeURIComponent(sortText(sort))}`);
  return `#/${encodeURIComponent(className)}${parameters.length > 0 ? `?${parameters.join("&")}` : ""}`;
}

export function parseSort(text) {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "" && one !== "-")
    .map((one) => (one[0] === "-" ? { path: one.slice(1), descending: true } : { path: one, descending: false }));
}

export function sortText(sort) {
  return sort.map(({ path, descending }) => (descending ? "-" : "") + path).join(",");
}

/** The sort after a click on a heading: ascending, descending, none; alone, or together with what was there. */
export function nextSort(sort, path, additive) {
  const present = sort.find((one) => one.path === path);
  const next = !present ? { path, descending: false } : present.descending ? null : { path, descending: true };
  if (!additive) return next ? [next] : [];
  if (!present) return [...sort, next];
  return sort.flatMap((one) => (one === present ? (next ? [next] : []) : [one]));
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
