// The summary of a query's result: count, minimum, maximum, sum and average of each property, and of groups. It follows
// the data: what a commit changes in the results costs what it changes, not what there is.

import { RealmgateError, paths } from "../core/api.js";
import { own } from "../core/json.js";
import { brief, tally, text } from "../core/values.js";
import { make } from "../parts/element.js";
import { empty, panel, select, table } from "../parts/ui.js";
import { parametersOf } from "./query.js";

const functions = ["sum", "average", "min", "max"];
/** More groups than anyone reads; the sentence above says how many there are. */
const shownGroups = 500;

export class SummaryView {
  #turn = 0;
  #streams = [];
  /** What is to be drawn, by the function that draws it. */
  #waiting = new Map();
  #withoutSums = false;
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
    this.#end();
    this.#turn += 1;
    this.#withoutSums = false;
    this.#shown = "";
    this.#chosenFor = "";
  }

  /** Called after changes of the table's rows. Does nothing: the sums have streams of their own. */
  changed() {}

  show(objectClass, schema, route) {
    const shown = JSON.stringify([objectClass.name, route]);
    if (shown === this.#shown) return;
    this.close();
    this.#choose(objectClass, schema, route);
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
  commands(objectClass, schema, route) {
    this.#choose(objectClass, schema, route);
    const { filter, distinct, snapshot } = parametersOf(route);
    const grouped = { filter, distinct, ...this.#grouping };
    return {
      query: [paths.aggregates(objectClass.name), { ...grouped, snapshot }],
      stream: snapshot === "" ? [paths.observeAggregates(objectClass.name), grouped] : null,
    };
  }

  get #grouping() {
    if (this.by === null) return {};
    return { by: this.by.path, ...(this.of ? Object.fromEntries(functions.map((name) => [name, this.of.path])) : {}) };
  }

  /** What is measured, and by what it is grouped; the reader's choice stays while the route is the same. */
  #choose(objectClass, schema, route) {
    const chosen = JSON.stringify([objectClass.name, route]);
    if (chosen === this.#chosenFor) return;
    this.#chosenFor = chosen;
    Object.assign(this, { objectClass, route });
    this.measures = objectClass.properties.filter((one) =>
      !one.isKey && (one.isNumeric || ["decimal128", "date"].includes(one.kind)));
    this.keys = objectClass.properties
      .map((one) => ({ property: one, path: schema.sortPath(one) }))
      .filter(({ property, path }) => path !== null && !property.isKey);
    // Few values make the more telling groups: texts and links before numbers and dates.
    const telling = this.keys.find(({ property }) => ["string", "bool", "link"].includes(property.kind)) ?? this.keys[0];
    const numbers = this.measures.filter((one) => one.kind !== "date");
    // What the predicate is about is probably what is to be added up.
    this.of = numbers.find((one) => route.filter.includes(one.path)) ?? numbers[0] ?? null;
    this.by = this.keys.find(({ path }) => path === route.by) ?? telling ?? null;
  }

  /** What is asked for: the sums of all, and those of the groups, or null. Without sums where one is larger than any integer. */
  get #questions() {
    const names = (list) => list.map((one) => one.path);
    const numbers = names(this.measures.filter((one) => one.kind !== "date"));
    const all = { min: names(this.measures), max: names(this.measures), sum: numbers, average: numbers };
    const groups = this.by && { ...this.#grouping, limit: shownGroups };
    return [all, groups].map((one) => one && { ...one, ...(this.#withoutSums ? { sum: [] } : {}) });
  }

  /** Follows the results; in a snapshot they are read. */
  #load() {
    this.#end();
    const turn = ++this.#turn;
    const [all, groups] = this.#questions;
    const { filter, distinct, snapshot } = parametersOf(this.route);
    const query = this.gateway.objects(this.objectClass.name).with({ filter, distinct, snapshot: snapshot || undefined });
    if (groups === null) this.groups.replaceChildren(empty(`${this.objectClass.name} has no property to make groups by.`));
    const fail = (error) => {
      if (turn !== this.#turn) return;
      if (!(error instanceof RealmgateError)) throw error;
      if (error.code === "query.sum_overflow" && !this.#withoutSums) {
        this.#withoutSums = true;
        this.#load();
      } else if (error.status === 0) this.sentence.textContent = error.message;
      else this.fail(this.gateway.noted(error));
    };
    const shown = (draw) => (answer) => {
      if (turn === this.#turn) this.#drawSoon(draw, answer);
    };
    const parts = [[all, (answer) => this.#drawAll(answer)], [groups, (answer) => this.#drawGroups(answer)]];
    for (const [question, draw] of parts.filter(([one]) => one !== null)) {
      const answer = query.aggregates(question);
      if (snapshot === "") this.#streams.push(answer.observe(shown(draw), { onError: fail }));
      else answer.get().then(shown(draw), fail);
    }
  }

  #end() {
    for (const stream of this.#streams.splice(0)) stream.stop();
    this.#waiting.clear();
  }

  /** Draws with the next frame what is the newest then: there may be many commits in a second. */
  #drawSoon(draw, answer) {
    if (this.#waiting.size === 0) {
      requestAnimationFrame(() => {
        const all = [...this.#waiting];
        this.#waiting.clear();
        for (const [one, newest] of all) one(newest);
      });
    }
    this.#waiting.set(draw, answer);
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
    const others = Number(groups.others?.groups ?? 0);
    const count = groups.length + others;
    const more = others > 0 ? `, the first ${tally(groups.length)} of which are shown` : "";
    this.sentence.textContent = `${tally(count)} ${count === 1 ? "group" : "groups"}${more}`;
    const most = Math.max(1, ...groups.map((group) => Number(group.count)));
    const heads = [this.by.path, { words: "count", number: true }, { hidden: "Share" }];
    if (this.of) heads.push(...functions.map((words) => ({ words, number: true })));
    this.groups.replaceChildren(table("Groups", heads, groups.map((group) => [
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
