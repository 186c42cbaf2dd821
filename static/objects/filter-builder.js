// A dialog that puts a condition together from choices, for readers who do not know the query language. It shows the text
// that it writes, and how many objects that selects.
//
// Cost: an aggregate request after each pause while the conditions change.

import { RealmgateError, paths } from "../core/api.js";
import { tally } from "../core/values.js";
import { narrowed } from "../charts/distribution.js";
import { showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { button, iconButton, plainError, select, sentenceOf } from "../parts/ui.js";
import { joined, readConditions, subjectsOf, takesValue } from "./conditions.js";
import { valueControl } from "./value-control.js";

const pause = 250;

class Row {
  constructor(builder, { subject, operator, typed = "" }) {
    Object.assign(this, { builder });
    const { subjects } = builder;
    this.property = select([]);
    const groups = new Map();
    subjects.forEach((one, index) => {
      const option = make("option", { value: String(index) }, one.words);
      if (one.group === null) this.property.append(option);
      else {
        if (!groups.has(one.group.path)) groups.set(one.group.path, make("optgroup", { label: one.group.words }));
        groups.get(one.group.path).append(option);
      }
    });
    this.property.append(...groups.values());
    this.operator = make("select", {});
    this.slot = make("span.condition-value", {});
    this.root = make("li.condition", {}, this.property, this.operator, this.slot,
      iconButton("×", "Remove this condition", () => builder.remove(this)));
    this.property.addEventListener("change", () => this.#turn());
    this.operator.addEventListener("change", () => this.#showValue());
    this.property.value = String(subjects.indexOf(subject));
    this.#turn(operator, typed);
  }

  get subject() {
    return this.builder.subjects[Number(this.property.value)];
  }

  number(position) {
    this.property.setAttribute("aria-label", `Property of condition ${position}`);
    this.operator.setAttribute("aria-label", `Comparison of condition ${position}`);
    this.control?.input.setAttribute("aria-label", `Value of condition ${position}`);
    this.position = position;
  }

  /** Another property has other comparisons and another control. */
  #turn(operator = null, typed = "") {
    const { operators, property } = this.subject;
    this.operator.replaceChildren(...operators.map(([value, words]) => make("option", { value }, words)));
    if (operator !== null) this.operator.value = operator;
    this.control = valueControl(this.builder.gateway, this.builder.schema, property);
    const { input } = this.control;
    if (typed !== "") input.value = typed;
    input.addEventListener("input", () => this.builder.changed());
    this.slot.replaceChildren(input);
    this.number(this.position ?? 1);
    this.#showValue();
  }

  #showValue() {
    this.slot.hidden = !takesValue(this.operator.value);
    this.builder.changed();
  }

  /** `{subject, operator, value}`. Throws for what is not a value of the property. */
  read() {
    const { subject } = this;
    const operator = this.operator.value;
    if (!takesValue(operator)) return { subject, operator };
    const value = this.control.read();
    const { kind, isNumeric } = subject.key ?? subject.property;
    const isText = typeof value === "string";
    if (isText && value.trim() === "" && (kind !== "string" || subject.key)) throw plainError(`Enter a value for ${subject.words}.`);
    if (isNumeric && isText) throw plainError(`‘${value}’ is not a number for ${subject.words}.`);
    if (kind === "decimal128" && !/^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(value)) throw plainError(`‘${value}’ is not a number for ${subject.words}.`);
    if (kind === "uuid" && !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) throw plainError(`‘${value}’ is no UUID.`);
    if (kind === "objectId" && !/^[\da-f]{24}$/i.test(value)) throw plainError(`‘${value}’ is not an object id.`);
    return { subject, operator, value };
  }
}

class Builder {
  #rows = [];
  #timer = null;
  #control = null;

  constructor({ gateway, schema, objectClass, route, apply }) {
    Object.assign(this, { gateway, schema, objectClass, route });
    this.subjects = subjectsOf(objectClass, schema);
    const read = readConditions(route.filter, this.subjects);
    /** What stays in front of the conditions, because it is not a list of conditions. */
    this.kept = read === null ? route.filter : "";
    this.list = make("ul.conditions", {});
    this.connector = select([["AND", "all of them hold"], ["OR", "any of them holds"]], { onchange: () => this.changed() });
    this.connector.value = read?.connector ?? "AND";
    this.choice = make("label.choice", {}, "where ", this.connector);
    this.text = make("code.built", {});
    this.count = make("p.note", { role: "status" });
    // Few look for a key by its conditions.
    this.first = this.subjects.find((one) => one.property !== objectClass.keyProperty) ?? this.subjects[0];
    const conditions = read === null || read.conditions.length === 0 ? [{ subject: this.first }] : read.conditions;
    for (const one of conditions) this.#append(one);
    const dialog = showDialog({
      title: `Objects of ${objectClass.name}`, verb: "Show them", wide: true,
      body: make("div.builder", {},
        this.kept !== "" && make("p.note", {}, "The condition in the field stays, and these are added to it."),
        this.choice, this.list, button("Add a condition", () => {
          this.#append({ subject: this.first });
          this.#rows.at(-1).property.focus();
        }),
        make("div.built-text", {}, this.text, this.count)),
      submit: () => apply(this.#filter()),
    });
    dialog.addEventListener("close", () => {
      clearTimeout(this.#timer);
      this.#control?.abort();
    });
    this.changed();
  }

  #append(condition) {
    const row = new Row(this, condition);
    this.#rows.push(row);
    this.list.append(row.root);
    this.#arrange();
  }

  remove(row) {
    const at = this.#rows.indexOf(row);
    this.#rows.splice(at, 1);
    row.root.remove();
    this.#arrange();
    (this.#rows[Math.min(at, this.#rows.length - 1)]?.property ?? this.list.nextElementSibling)?.focus();
  }

  #arrange() {
    this.#rows.forEach((row, index) => row.number(index + 1));
    this.choice.hidden = this.#rows.length < 2;
    this.changed();
  }

  #filter() {
    const conditions = this.#rows.map((row) => row.read());
    const connector = this.connector.value;
    const made = joined(conditions, connector);
    if (this.kept === "") return made;
    if (made === "") return this.kept;
    return narrowed(this.kept, conditions.length > 1 && connector === "OR" ? `(${made})` : made);
  }

  /** Shows the text, and soon the number of objects. */
  changed() {
    if (this.text === undefined || this.#rows.length === 0 && this.list.children.length > 0) return;
    clearTimeout(this.#timer);
    this.#control?.abort();
    let filter;
    try {
      filter = this.#filter();
    } catch (error) {
      this.text.textContent = "";
      this.count.textContent = sentenceOf(error);
      return;
    }
    this.text.textContent = filter === "" ? "TRUEPREDICATE" : filter;
    this.#timer = setTimeout(() => this.#ask(filter), pause);
  }

  async #ask(filter) {
    const control = new AbortController();
    this.#control = control;
    try {
      const { count } = await this.gateway.request("GET", paths.aggregates(this.objectClass.name), {
        query: { filter, snapshot: this.route.snapshot }, signal: control.signal,
      });
      if (!control.signal.aborted) this.count.textContent = `${tally(count)} ${count === 1 ? "object" : "objects"}`;
    } catch (error) {
      if (control.signal.aborted) return;
      if (!(error instanceof RealmgateError)) throw error;
      this.count.textContent = sentenceOf(error);
    }
  }
}

/** Opens the dialog for `{gateway, schema, objectClass, place, apply}`; `apply(filter)` is called with the text. */
export function buildFilter(options) {
  return new Builder(options);
}
