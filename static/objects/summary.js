// The summary of a query's result: count, minimum, maximum, sum and average of each property, and of groups.

import { Problem, Unreachable, paths } from "../core/api.js";
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

  constructor(gateway, root, { turn, fail }) {
    this.gateway = gateway;
    this.root = root;
    this.turn = turn;
    this.fail = fail;
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#turn += 1;
    this.#shown = "";
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
    this.#shown = shown;
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
    this.of = numbers.find((one) => place.filter.includes(one.name)) ?? numbers[0] ?? null;
    this.by = this.keys.find(({ path }) => path === place.by) ?? telling ?? null;

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

  async #load() {
    const turn = ++this.#turn;
    const { filter, distinct, snapshot } = parametersOf(this.place);
    const path = paths.aggregates(this.objectClass.name);
    const names = (list) => list.map((one) => one.name);
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
          filter, distinct, snapshot, by: this.by.path,
          ...(this.of ? Object.fromEntries(functions.map((name) => [name, this.of.name])) : {}),
        }),
      ]);
      if (turn !== this.#turn) return;
      this.#drawAll(all);
      if (grouped) this.#drawGroups(grouped.groups);
      else this.groups.replaceChildren(empty(`${this.objectClass.name} has no property to make groups by.`));
    } catch (error) {
      if (turn !== this.#turn) return;
      if (error instanceof Problem) this.fail(error);
      else if (error instanceof Unreachable) this.sentence.textContent = error.message;
      else throw error;
    }
  }

  #drawAll(answer) {
    const heads = ["property", ...["min", "max", "sum", "average"].map((words) => ({ words, number: true }))];
    const rows = this.measures.map((property) => [
      property.name,
      ...["min", "max", "sum", "average"].map((name) => value(answer[name]?.[property.name], property)),
    ]);
    this.sums.replaceChildren(
      make("p.figure", {}, make("b", {}, tally(answer.count)), answer.count === 1 ? " object" : " objects"),
      rows.length > 0 ? table("Aggregates by property", heads, rows) : "");
  }

  #drawGroups(groups) {
    const more = groups.length > shownGroups ? `, the first ${tally(shownGroups)} of which are shown` : "";
    this.sentence.textContent = `${tally(groups.length)} ${groups.length === 1 ? "group" : "groups"}${more}`;
    const most = Math.max(1, ...groups.map((group) => Number(group.count)));
    const heads = [this.by.path, { words: "count", number: true }, ""];
    if (this.of) heads.push(...functions.map((words) => ({ words, number: true })));
    this.groups.replaceChildren(table("Groups", heads, groups.slice(0, shownGroups).map((group) => [
      text(group.key[this.by.path], this.by.property),
      tally(Number(group.count)),
      make("meter", { min: 0, max: most, value: Number(group.count), "aria-hidden": "true" }),
      ...(this.of ? functions.map((name) => value(group[name]?.[this.of.name], this.of)) : []),
    ])));
  }
}

function value(found, property) {
  if (found === null || found === undefined) return "";
  return make("span", { title: text(found, property) }, brief(found, property));
}
