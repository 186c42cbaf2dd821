// The summary of a query's result: count, minimum, maximum, sum and average of each property, and of groups.

import { RealmgateError, paths } from "../core/api.js";
import { own } from "../core/json.js";
import { brief, tally, text } from "../core/values.js";
import { make } from "../parts/element.js";
import { empty, panel, select, table } from "../parts/ui.js";
import { parametersOf } from "./query.js";

const functions = ["sum", "average", "min", "max"];
/** More groups than anyone reads; the sentence above says how many there are. */
const shownGroups = 500;
const pause = 300;

export class SummaryView {
  #turn = 0;
  #timer = null;
  #shown = "";
  #chosenFor = "";

  constructor(gateway, root, { turn, fail, chosen }) {
    this.gateway = gateway;
    this.root = root;
    this.turn = turn;
    this.fail = fail;
    this.chosen = chosen;
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#turn += 1;
    this.#shown = "";
    this.#chosenFor = "";
  }

  /** Asks again, soon, because rows have changed. */
  changed() {
    if (this.#shown === "") return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#load();
    }, pause);
  }

  show(objectClass, schema, place) {
    const shown = JSON.stringify([objectClass.name, place]);
    if (shown === this.#shown) return;
    this.close();
    this.#choose(objectClass, schema, place);
    this.#shown = shown;
    const numbers = this.measures.filter((one) => one.kind !== "date");
    this.sums = make("div", {});
    this.groups = make("div", {});
    this.sentence = make("p.note", { role: "status" });
    const byChoice = select(this.keys.map(({ path }) => path), {
      value: this.by?.path, id: "group-by", onchange: (event) => this.turn({ by: event.target.value }),
    });
    const ofChoice = select([["", "count only"], ...numbers.map((one) => one.name)], {
      value: this.of?.name ?? "", id: "group-of",
      onchange: (event) => {
        this.of = numbers.find((one) => one.name === event.target.value) ?? null;
        this.chosen();
        this.#load();
      },
    });
    this.root.replaceChildren(
      panel("Whole result", {}, this.sums),
      panel("Groups", {
        actions: this.by === null ? [] : [
          make("label.choice", {}, "by ", byChoice), make("label.choice", {}, "of ", ofChoice),
        ],
      }, this.sentence, this.groups));
    this.#load();
  }

  /** The same as a request. */
  commands(objectClass, schema, place) {
    this.#choose(objectClass, schema, place);
    const { filter, distinct, snapshot } = parametersOf(place);
    return { query: [paths.aggregates(objectClass.name), { filter, distinct, snapshot, ...this.#grouping }], stream: null };
  }

  get #grouping() {
    if (this.by === null) return {};
    return { by: this.by.path, ...(this.of ? Object.fromEntries(functions.map((name) => [name, this.of.path])) : {}) };
  }

  /** What is measured, and by what it is grouped; the reader's choice stays while the place is the same. */
  #choose(objectClass, schema, place) {
    const chosen = JSON.stringify([objectClass.name, place]);
    if (chosen === this.#chosenFor) return;
    this.#chosenFor = chosen;
    Object.assign(this, { objectClass, place });
    this.measures = objectClass.properties.filter((one) =>
      !one.isKey && (one.isNumeric || ["decimal128", "date"].includes(one.kind)));
    this.keys = objectClass.properties
      .map((one) => ({ property: one, path: schema.sortPath(one) }))
      .filter(({ property, path }) => path !== null && !property.isKey);
    // Few values make the more telling groups: texts and links before numbers and dates.
    const telling = this.keys.find(({ property }) => ["string", "bool", "link"].includes(property.kind)) ?? this.keys[0];
    const numbers = this.measures.filter((one) => one.kind !== "date");
    // What the predicate is about is probably what is to be added up.
    this.of = numbers.find((one) => place.filter.includes(one.path)) ?? numbers[0] ?? null;
    this.by = this.keys.find(({ path }) => path === place.by) ?? telling ?? null;
  }

  async #load() {
    const turn = ++this.#turn;
    const { filter, distinct, snapshot } = parametersOf(this.place);
    const path = paths.aggregates(this.objectClass.name);
    const names = (list) => list.map((one) => one.path);
    const numbers = this.measures.filter((one) => one.kind !== "date");
    // Without sums where one is larger than any integer.
    const ask = async (query) => {
      try {
        return await this.gateway.request("GET", path, { query });
      } catch (error) {
        if (error.code !== "query.sum_overflow") throw error;
        return this.gateway.request("GET", path, { query: { ...query, sum: [] } });
      }
    };
    try {
      const [all, grouped] = await Promise.all([
        ask({
          filter, distinct, snapshot, min: names(this.measures), max: names(this.measures), sum: names(numbers),
          average: names(numbers),
        }),
        this.by && ask({
          filter, distinct, snapshot, ...this.#grouping,
        }),
      ]);
      if (turn !== this.#turn) return;
      this.#drawAll(all);
      if (grouped) this.#drawGroups(grouped.groups);
      else this.groups.replaceChildren(empty(`${this.objectClass.name} has no property to make groups by.`));
    } catch (error) {
      if (turn !== this.#turn) return;
      if (!(error instanceof RealmgateError)) throw error;
      if (error.status === 0) this.sentence.textContent = error.message;
      else this.fail(error);
    }
  }

  #drawAll(answer) {
    const heads = ["property", ...["min", "max", "sum", "average"].map((words) => ({ words, number: true }))];
    const rows = this.measures.map((property) => [
      property.name,
      ...["min", "max", "sum", "average"].map((name) => value(own(answer[name], property.path), property)),
    ]);
    this.sums.replaceChildren(
      make("p.figure", {}, make("b", {}, tally(answer.count)), answer.count === 1 ? " object" : " objects"),
      rows.length > 0 ? table("Aggregates by property", heads, rows) : "");
  }

  #drawGroups(groups) {
    const more = groups.length > shownGroups ? `, the first ${tally(shownGroups)} of which are shown` : "";
    this.sentence.textContent = `${tally(groups.length)} ${groups.length === 1 ? "group" : "groups"}${more}`;
    const most = Math.max(1, ...groups.map((group) => Number(group.count)));
    const heads = [this.by.path, { words: "count", number: true }, { hidden: "Share" }];
    if (this.of) heads.push(...functions.map((words) => ({ words, number: true })));
    this.groups.replaceChildren(table("Groups", heads, groups.slice(0, shownGroups).map((group) => [
      text(own(group.key, this.by.path), this.by.property),
      tally(Number(group.count)),
      make("meter", { min: 0, max: most, value: Number(group.count), "aria-hidden": "true" }),
      ...(this.of ? functions.map((name) => value(own(group[name], this.of.path), this.of)) : []),
    ])));
  }
}

function value(found, property) {
  if (found === null || found === undefined) return "";
  return make("span", { title: text(found, property) }, brief(found, property));
}
