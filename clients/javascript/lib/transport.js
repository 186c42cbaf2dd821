// Requests: credentials, retries with pauses, errors.

import { parse, randomUUID, stringify } from "./values.js";

export class RealmgateError extends Error {
  constructor(status, problem = {}, options) {
    super(problem.detail ?? problem.title ?? `The gateway responded with status ${status}.`, options);
    this.name = "RealmgateError";
    this.status = status;
    this.code = problem.code ?? (status === 0 ? "connection.failed" : `http.${status}`);
    for (const member of ["hint", "position", "length", "expected", "parameter", "property", "path", "operation", "faults", "errors", "requestId"]) {
      this[member] = problem[member] ?? null;
    }
  }
}

/** A segment of a path. Browsers remove `.` and `..` from paths unless `%FF` is in front. */
export const segment = (text) => (["", ".", ".."].includes(String(text)) ? "%FF" : "") + encodeURIComponent(String(text));

/** Parameters as in a URL, without those that are empty. */
export function encoded(parameters) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") form.append(name, String(one));
    }
  }
  return String(form);
}

export function sleep(milliseconds, signal) {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const stop = () => { clearTimeout(timer); fail(signal.reason); };
    const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); done(); }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** The milliseconds before another attempt: `Retry-After`, or twice as many each time; with jitter. */
export function pause(attempt, { least = 500, most = 30_000, response } = {}) {
  const header = response?.headers.get("Retry-After");
  const asked = header ? (/^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()) : NaN;
  if (asked >= 0) return asked + Math.random() * Math.min(1000, asked / 4 + 100);
  return Math.min(most, least * 2 ** Math.min(attempt, 20)) * (0.5 + Math.random() / 2);
}

/** The modules that were loaded from another address than their own. */
const elsewhere = new Map();

/**
 * Runs a block that imports one module. Firefox remembers for as long as a page lives that a module could not be loaded: then
 * it is imported from another address, which has the same file.
 */
export async function load(block) {
  try {
    return await block();
  } catch (error) {
    const [url] = /https?:\S+$/.exec(error?.message) ?? [];
    if (url === undefined) throw error;
    if (!elsewhere.has(url)) elsewhere.set(url, await import(`${url}?${randomUUID()}`));
    return elsewhere.get(url);
  }
}

/** Runs a block until it does not fail, or `isOver(cause)`. */
export async function persist(block, isOver = () => false) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await block();
    } catch (cause) {
      if (isOver(cause)) return null;
      await sleep(pause(attempt, { most: 5000 }));
    }
  }
}

export const isTransient = (status) => [0, 408, 425, 429, 502, 503, 504].includes(status);

const longestURL = 6000;

export class Transport {
  constructor(url, { token, headers = {}, fetch = globalThis.fetch, retries = 5, timeout = 30_000 } = {}) {
    this.base = String(url).replace(/\/+$/, "");
    this.token = token;
    this.headers = headers;
    // A browser's fetch wants to be called on the window.
    this.fetch = (...all) => fetch(...all);
    this.isOwn = fetch !== globalThis.fetch;
    this.retries = retries;
    this.timeout = timeout;
    this.written = null;
  }

  /** A function is called for every request, so that it can renew the token. */
  async authorization() {
    const token = typeof this.token === "function" ? await this.token() : this.token;
    return token ? { Authorization: `Bearer ${token}` } : {};
  }

  async open(method, path, { parameters = {}, body, headers = {}, signal, keepalive } = {}) {
    const form = encoded(parameters);
    let query = form && `?${form}`;
    const all = { ...this.headers, ...(await this.authorization()), ...headers };
    let target = path;
    if (method === "GET" && path.length + query.length > longestURL) {
      [method, target, body, query] = ["POST", path.replace("/v1/", "/v1/query/"), form, ""];
      all["Content-Type"] = "application/x-www-form-urlencoded";
    }
    return this.fetch(this.base + target + query, { method, headers: all, body, signal, keepalive, cache: "no-store" });
  }

  /**
   * Sends a request until it has an answer: again after a lost connection, 429 and 503, with growing pauses. A write has
   * an Idempotency-Key, so that the gateway runs it once. `body` is JSON that is written already. Returns
   * `{value, mark, status, headers}`; with `takesText`, the value of a response that is no JSON is its text.
   */
  async send(method, path, { value, headers = {}, signal, retries = this.retries, isFinal, takesText, ...rest } = {}) {
    const all = { Accept: "application/json", ...headers };
    if (method !== "GET" && !path.startsWith("/v1/subscriptions/") && !path.startsWith("/v1/snapshots")) {
      all["Idempotency-Key"] ??= randomUUID();
    }
    const body = value === undefined ? rest.body : stringify(value);
    if (body !== undefined) all["Content-Type"] = "application/json";
    for (let attempt = 0; ; attempt += 1) {
      const sent = this.written ? { ...all, "Realmgate-At-Least": this.written } : all;
      const { response, text, error } = await this.#attempt(method, path, { ...rest, body, headers: sent, signal });
      signal?.throwIfAborted();
      if (response?.ok) {
        const mark = response.headers.get("Realmgate-Mark");
        if (method !== "GET" && mark) this.written = mark;
        const isText = takesText && !/json/.test(response.headers.get("Content-Type"));
        return { value: text === "" ? null : isText ? text : read(text), mark, status: response.status, headers: response.headers };
      }
      const failure = error ?? problemOf(response.status, text);
      const isLate = failure.code === "store.behind" && attempt >= retries;
      if (sent !== all && (isLate || failure.code === "store.history_lost")) {
        this.written = null;
        continue;
      }
      const mayRenew = failure.status === 401 && typeof this.token === "function" && attempt === 0;
      if (!mayRenew && (!isTransient(failure.status) || attempt >= retries || isFinal?.(failure))) throw failure;
      if (!mayRenew) await sleep(pause(attempt, { response }), signal);
    }
  }

  /** One attempt, which fails when it takes longer than the timeout. */
  async #attempt(method, path, { signal, ...options }) {
    const control = new AbortController();
    const stop = () => control.abort(signal.reason);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", stop, { once: true });
    // The gateway may hold a response back for so many seconds.
    const { wait = 0 } = options.parameters ?? {};
    const timer = setTimeout(() => control.abort(), this.timeout + wait * 1000);
    try {
      const response = await this.open(method, path, { ...options, signal: control.signal });
      return { response, text: await response.text() };
    } catch (cause) {
      if (!isConnectionFailure(cause, control.signal)) throw cause;
      return { error: unreachable(cause) };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }
}

/** fetch, and the reading of a body that was cut, reject with a TypeError. */
const isConnectionFailure = (error, signal) =>
  signal.aborted || error instanceof TypeError || ["NetworkError", "AbortError"].includes(error?.name);

export const unreachable = (cause) =>
  new RealmgateError(0, { detail: "The gateway cannot be reached, or did not respond in time." }, { cause });

/** What is no JSON comes from elsewhere, such as the page of a network that wants a login. */
function read(text) {
  try {
    return parse(text);
  } catch (cause) {
    throw unreachable(cause);
  }
}

export function problemOf(status, text) {
  try {
    return new RealmgateError(status, JSON.parse(text));
  } catch {
    return new RealmgateError(status);
  }
}
