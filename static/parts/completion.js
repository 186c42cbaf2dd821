// Names while they are typed: properties, also through links, and the words of the predicate language.

const keywords = [
  "AND", "OR", "NOT", "IN", "BETWEEN", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "ANY", "ALL", "NONE", "nil",
  "true", "false", "TRUEPREDICATE", "SORT", "DISTINCT", "LIMIT",
];
const most = 8;

/** The names that fit at the caret: `{start, names}`, where `start` is the beginning of the current word. */
export function candidates(text, caret, objectClass, schema) {
  const before = text.slice(0, caret);
  const nothing = { start: caret, names: [] };
  if (insideString(before)) return nothing;
  const word = /[\p{L}_$][\p{L}\p{N}_$.]*$/u.exec(before)?.[0] ?? "";
  if (word === "" || /[\p{L}\p{N}_$]/u.test(text[caret] ?? "")) return nothing;
  const steps = word.split(".");
  const prefix = steps.pop();
  let owner = objectClass;
  for (const step of steps) {
    const property = owner?.property(step);
    owner = property?.target ? schema.class(property.target) : null;
  }
  if (!owner) return nothing;
  const names = owner.properties
    .filter((one) => one.kind !== "objectKey")
    .map((one) => ({ name: one.name, note: one.type }));
  if (steps.length === 0) names.push(...keywords.map((name) => ({ name, note: "" })));
  const begins = (one) => one.name.toLowerCase().startsWith(prefix.toLowerCase());
  const found = names.filter((one) => begins(one) && one.name !== prefix).slice(0, most);
  // A word that is complete needs no help, whatever longer names begin with it.
  if (names.some((one) => one.name === prefix)) return nothing;
  return { start: caret - prefix.length, names: found };
}

function insideString(text) {
  let quote = null;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (quote === null && (character === "'" || character === '"')) quote = character;
    else if (quote !== null && character === "\\") index += 1;
    else if (character === quote) quote = null;
  }
  return quote !== null;
}

/** The list under an input. `source()` gives the candidates; `changed()` is called after one was put in. */
export class Completion {
  #shown = { start: 0, names: [] };
  #chosen = -1;

  constructor(input, list, { source, changed }) {
    this.input = input;
    this.list = list;
    this.source = source;
    this.changed = changed;
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", list.id);
    input.setAttribute("aria-expanded", "false");
    input.addEventListener("input", () => this.#update());
    input.addEventListener("blur", () => this.close());
    input.addEventListener("keydown", (event) => this.#keydown(event));
    // Before the input loses the focus to the press.
    list.addEventListener("pointerdown", (event) => {
      const option = event.target.closest("[role=option]");
      if (!option) return;
      event.preventDefault();
      this.#take([...list.children].indexOf(option));
    });
  }

  close() {
    this.#shown = { start: 0, names: [] };
    this.#show();
  }

  #update() {
    this.#shown = this.source(this.input.value, this.input.selectionStart ?? 0);
    this.#show();
  }

  #show() {
    const { names } = this.#shown;
    this.#chosen = -1;
    this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-expanded", String(names.length > 0));
    this.list.hidden = names.length === 0;
    this.list.replaceChildren(...names.map(({ name, note }, index) => {
      const option = document.createElement("li");
      option.id = `${this.list.id}-${index}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      const word = document.createElement("span");
      word.textContent = name;
      const type = document.createElement("span");
      type.className = "type";
      type.textContent = note;
      option.append(word, type);
      return option;
    }));
  }

  #choose(index) {
    const count = this.#shown.names.length;
    this.#chosen = (index + count) % count;
    [...this.list.children].forEach((option, position) => {
      option.setAttribute("aria-selected", String(position === this.#chosen));
    });
    this.input.setAttribute("aria-activedescendant", `${this.list.id}-${this.#chosen}`);
  }

  #take(index) {
    const { start, names } = this.#shown;
    const { name } = names[index];
    const end = this.input.selectionStart;
    this.input.setRangeText(name, start, end, "end");
    this.close();
    this.changed();
  }

  #keydown(event) {
    if (this.#shown.names.length === 0 || event.isComposing) return;
    const actions = {
      ArrowDown: () => this.#choose(this.#chosen + 1),
      ArrowUp: () => this.#choose(this.#chosen < 0 ? -1 : this.#chosen - 1),
      Tab: () => this.#take(Math.max(0, this.#chosen)),
      Escape: () => this.close(),
    };
    if (this.#chosen >= 0) actions.Enter = () => this.#take(this.#chosen);
    const action = event.shiftKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    action();
  }
}
