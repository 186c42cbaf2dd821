// The current route, kept in the address so that it can be shared and returned to. Data has addresses that begin with
// `#/`, as `#/Flight?filter=…&sort=-delay,number` and `#/Flight/7`; every other page has its name, as `#streams`.

/** The parts of an address: `{page, className, key, parameters…}`. */
export function readRoute(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  if (path !== "" && !path.startsWith("/")) {
    return { page: decode(path), parameters: Object.fromEntries(parameters) };
  }
  const [className = "", key = null] = path.slice(1).split("/").map(decode);
  return {
    page: key === null ? "objects" : "object",
    className,
    key,
    filter: parameters.get("filter") ?? "",
    sort: parseSort(parameters.get("sort") ?? ""),
    distinct: parameters.get("distinct") ?? "",
    view: parameters.get("view") ?? "",
    by: parameters.get("by") ?? "",
    snapshot: parameters.get("snapshot") ?? "",
  };
}

export function routeAddress({ className, filter = "", sort = [], distinct = "", view = "", by = "", snapshot = "" }) {
  const parameters = withoutEmpty({ filter, sort: sortText(sort), distinct, view, by, snapshot });
  return `#/${encodeURIComponent(className)}${parameters}`;
}

export function objectAddress(className, key, snapshot = "") {
  return `#/${encodeURIComponent(className)}/${encodeURIComponent(key)}${withoutEmpty({ snapshot })}`;
}

export function pageAddress(page, parameters = {}) {
  return `#${page}${withoutEmpty(parameters)}`;
}

function withoutEmpty(parameters) {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
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

/** The sort after a click on a heading: ascending, descending, none; alone, or added to the sort before. */
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
