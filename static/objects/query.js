// One query of one class: checked, counted, then followed.

import { RealmgateError, paths } from "../core/api.js";
import { sortText } from "../core/route.js";
import { LiveRows } from "./live-rows.js";
import { Tail } from "./tail.js";

/** The number of rows that are followed; those after them are fetched where they are looked at. */
export const followed = 200;

const refusedPause = 1500;
/** How often the gateway is asked for a new version: the stream reports the followed rows alone. */
const watchPause = 1000;
/** How long live sums wait for later ones before they are shown. */
const sumsPause = 100;

/** The parameters of a route's query. */
export function parametersOf({ filter, sort, distinct, snapshot }) {
  return { filter: filter.trim(), sort: sortText(sort), distinct, snapshot };
}

/**
 * Calls `on.state(state, sentence?)`, `on.sound()` when the gateway accepts the query and `on.unsound(problem)` when it does not,
 * `on.measured(answer)` with the aggregates, `on.recount()` when the number of all objects may be another one,
 * `on.elsewhere()` when something has changed that may not be in the rows,
 * `on.tail(differences)` when rows of the tail have come, and `on.rows(changes)`; changes are null for the first response to a query.
 */
export class Query {
  rows = null;
  /** How many objects the predicate selects. */
  selected = null;
  /** The last version that the gateway was seen at. */
  version = null;
  #control = null;
  /** The live result, and its query. */
  #stream = null;
  #asked = "";
  /** The live aggregates, the last ones, and the timer that shows them. */
  #sums = null;
  #answer = null;
  #shown = null;
  #timer = null;
  #retry = null;
  #watch = null;
  /** The version that was seen last by looking for one. */
  #seen = null;
  #isClosed = false;

  constructor(gateway, objectClass, on) {
    this.gateway = gateway;
    this.objectClass = objectClass;
    this.on = on;
    this.rows = new LiveRows((object) => objectClass.keyOf(object));
  }

  /** The parameters of the query, without the limit. */
  get parameters() {
    return parametersOf(this.route);
  }

  close() {
    this.#isClosed = true;
    this.#control?.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
    clearTimeout(this.#watch);
    this.#watch = null;
    this.#end();
    this.rows.tail?.close();
  }

  #end() {
    this.#stream?.stop();
    this.#stream = null;
    this.#sums?.stop();
    this.#sums = null;
    clearTimeout(this.#shown);
    this.#shown = null;
    this.#asked = "";
  }

  /** Sends the query that `place` names. The last valid result stays until there is another. */
  async ask(route) {
    this.route = route;
    this.#control?.abort();
    clearTimeout(this.#retry);
    this.#control = new AbortController();
    const { signal } = this.#control;
    try {
      await this.measure(signal);
      // The sort is checked by the collection; the aggregates do not know it.
      if (route.sort.length > 0) {
        await this.gateway.request("GET", paths.collection(this.objectClass.name), { query: { ...this.parameters, limit: 0 }, signal });
      }
      this.on.sound();
      if (route.snapshot === "") this.#follow();
      else await this.#read(signal);
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted) return;
      if (error instanceof RealmgateError && error.status >= 400 && error.status < 500) {
        this.on.unsound(error, this.#stream !== null);
        return;
      }
      if (!(error instanceof RealmgateError)) throw error;
      this.on.state("waiting", error.message);
      this.#retry = setTimeout(() => this.ask(route), 2000);
    }
  }

  /** The aggregates that the page shows: of which properties, by function. */
  get #functions() {
    const measured = this.objectClass.properties.filter((one) => !one.isKey && (one.isNumeric || one.kind === "date"));
    const names = measured.map((one) => one.path);
    return { min: names, max: names, average: measured.filter((one) => one.isNumeric).map((one) => one.path) };
  }

  /** The tally and the aggregates of the query. Without a signal the response is dropped when the query has changed. */
  async measure(signal) {
    const asked = this.route;
    const { filter, distinct, snapshot } = this.parameters;
    const answer = await this.gateway.request("GET", paths.aggregates(this.objectClass.name), {
      query: { filter, distinct, snapshot, ...this.#functions }, signal,
    });
    if (this.route !== asked || this.#isClosed) return;
    this.#measured(answer, answer.version);
  }

  #measured(answer, version) {
    this.#answer = answer;
    this.version = version;
    this.selected = answer.count;
    this.rows.total = answer.count;
    this.on.measured(this.#functions.min.length > 0 ? answer : null, answer.count);
  }

  /** Whether the tally and the aggregates follow the data by themselves. */
  get #hasLiveSums() {
    return this.#sums !== null && this.#sums.state === "live";
  }

  /** The tally and the aggregates again, soon, but not for every one of many changes. */
  measureSoon() {
    this.#timer ??= setTimeout(async () => {
      this.#timer = null;
      try {
        if (!this.#hasLiveSums) await this.measure(undefined);
        if (this.#isClosed) return;
        if (this.parameters.filter !== "") await this.on.recount();
      } catch (error) {
        // The stream reports when the gateway cannot be reached; the numbers stay as they were.
        if (!(error instanceof RealmgateError)) throw error;
      }
    }, 400);
  }

  #followSums() {
    const { filter, distinct } = this.parameters;
    const sums = this.gateway.objects(this.objectClass.name).with({ filter, distinct }).aggregates(this.#functions);
    this.#sums = sums.observe(() => {
      this.#shown ??= setTimeout(() => {
        this.#shown = null;
        const { items, version } = this.#sums;
        this.#measured(items, version);
      }, sumsPause);
    }, {
      // Then they are asked for: the watch goes on.
      onError: () => {
        this.#sums = null;
      },
    });
  }

  /** Where an object is among those that the query selects; null when it is not. */
  async indexOf(key) {
    const { snapshot, ...parameters } = this.parameters;
    const { index } = await this.gateway.request("GET", paths.index(this.objectClass.name), { query: { ...parameters, of: key } });
    return index === null || index === undefined ? null : Number(index);
  }

  /** Looks again and again for a new version, and measures then: what is beyond the followed rows changes as well. */
  #watchSoon(pause = watchPause) {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(async () => {
      const begun = performance.now();
      const stream = this.#stream;
      try {
        if (document.visibilityState === "visible") {
          const { version } = await this.gateway.request("GET", paths.collection(this.objectClass.name), { query: { limit: 0 } });
          if (this.#stream !== stream || stream === null) return;
          if (String(version) !== this.#seen) {
            // Of what changes no sum there is no event, but charts and rows beyond the followed ones may be others.
            if (this.#hasLiveSums) this.#measured(this.#answer, version);
            else await this.measure(undefined);
            if (this.#stream !== stream) return;
            if (this.parameters.filter !== "") await this.on.recount();
            if (this.#stream !== stream) return;
            this.#seen = String(version);
            this.rows.tail?.refresh();
            this.on.elsewhere();
          }
        }
      } catch (error) {
        // As above.
        if (!(error instanceof RealmgateError)) throw error;
      }
      // The longer a check takes, the less often it is made.
      if (this.#stream === stream) this.#watchSoon(Math.max(watchPause, 4 * (performance.now() - begun)));
    }, pause);
  }

  #follow() {
    const { filter, sort, distinct } = this.parameters;
    const asked = JSON.stringify([filter, sort, distinct]);
    if (this.#asked === asked) return;
    this.#end();
    this.#asked = asked;
    this.#seen = String(this.version);
    let isFresh = true;
    let hasWaited = false;
    const query = this.gateway.objects(this.objectClass.name).with({ filter, sort, distinct }).limit(followed);
    this.#stream = query.observe((items, change) => {
      // The first result of a new query is simply shown; after a reconnect, what changed meanwhile is marked.
      if (change.type !== "initial") {
        this.on.rows(this.rows.update(items, change));
        this.rows.tail?.refresh();
        return;
      }
      const changes = this.rows.initial({ items, version: change.version });
      if (isFresh) this.#makeTail();
      this.on.rows(isFresh ? null : changes);
      isFresh = false;
    }, {
      onState: (state) => {
        if (state === "ended") return;
        this.on.state(state);
        // What is beyond the followed rows may be other than before.
        if (state === "live" && hasWaited) this.#watchSoon(0);
        hasWaited = state === "waiting";
      },
      onError: (error) => {
        this.#end();
        this.on.state("waiting", this.gateway.noted(error).message);
        // The question says what is wrong with it; where it is sound, the gateway may accept the stream later.
        this.#retry = setTimeout(() => this.ask(this.route), refusedPause);
      },
    });
    this.#followSums();
    this.#watchSoon();
  }

  /** Reads the first rows of a snapshot, which nothing changes. */
  async #read(signal) {
    const answer = await this.gateway.request("GET", paths.collection(this.objectClass.name), {
      query: { ...this.parameters, limit: followed }, signal,
    });
    this.#end();
    this.rows.initial(answer);
    this.#makeTail();
    this.on.rows(null);
    this.on.state("frozen");
  }

  #makeTail() {
    this.rows.tail?.close();
    const { rows } = this;
    const { name } = this.objectClass;
    rows.tail = new Tail(followed, {
      keyOf: rows.keyOf,
      isFrozen: this.route.snapshot !== "",
      fetch: (offset, limit) => this.gateway.request("GET", paths.collection(name), { query: { ...this.parameters, offset, limit } }),
      changed: (differences) => this.on.tail(differences),
      failed: (error) => {
        if (!(error instanceof RealmgateError)) throw error;
        this.on.state("waiting", error.message);
      },
    });
  }
}
