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
  const word = /(?:[\p{L}_$]|\\u[0-9a-f]{4})(?:[\p{L}\p{N}_$.]|\\[ nrt]|\\u[0-9a-f]{4})*$/u.exec(before)?.[0] ?? "";
  if (word === "" || /[\p{L}\p{N}_$]/u.test(text[caret] ?? "")) return nothing;
  const steps = word.split(".");
  const prefix = steps.pop();
  let owner = objectClass;
  for (const step of steps) {
    const property = owner?.properties.find((one) => one.path === step);
    owner = property?.target ? schema.class(property.target) : null;
  }
  if (!owner) return nothing;
  const names = owner.properties
    .filter((one) => one.kind !== "objectKey")
    .map((one) => ({ name: one.path, note: one.type }));
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

const pause = 150;

/**
 * The list under an input. `source(text, caret)` gives the candidates, `later(text, caret, signal)` a promise of others, for
 * which it is asked after a pause where `source` has none, or null; `changed()` is called after one was put in. Candidates
 * that are an offer, before anything of them is typed, do not take the Tab key.
 */
export class Completion {
  #shown = { start: 0, names: [] };
  #control = null;
  #timer = null;
  #chosen = -1;

  constructor(input, list, { source, later = () => null, changed }) {
    this.input = input;
    this.list = list;
    this.source = source;
    this.later = later;
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
    clearTimeout(this.#timer);
    this.#control?.abort();
    this.#shown = { start: 0, names: [] };
    this.#show();
  }

  #update() {
    const { value } = this.input;
    const caret = this.input.selectionStart ?? 0;
    clearTimeout(this.#timer);
    this.#control?.abort();
    this.#shown = this.source(value, caret);
    this.#show();
    if (this.#shown.names.length === 0) this.#timer = setTimeout(() => this.#askLater(value, caret), pause);
  }

  async #askLater(value, caret) {
    const control = new AbortController();
    this.#control = control;
    const found = await this.later(value, caret, control.signal);
    if (found === null || control.signal.aborted || document.activeElement !== this.input) return;
    if (this.input.value !== value || this.input.selectionStart !== caret) return;
    this.#shown = found;
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
    const { start, names, quote = "" } = this.#shown;
    const { name } = names[index];
    const caret = this.input.selectionStart;
    // A quote that is closed already is a part of what is replaced.
    const end = quote !== "" && this.input.value[caret] === quote ? caret + 1 : caret;
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
    if (this.#shown.isOffer && this.#chosen < 0) delete actions.Tab;
    if (this.#chosen >= 0) actions.Enter = () => this.#take(this.#chosen);
    const action = event.shiftKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    action();
  }
}
