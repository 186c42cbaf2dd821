// A list under an input that looks for the object to link to: by its key and by the texts that it has.

import { RealmgateError, paths } from "../core/api.js";
import { own } from "../core/json.js";
import { literal, text } from "../core/values.js";
import { freshID, make } from "../parts/element.js";

const pause = 150;
const most = 8;
/** More properties make a search slow that no index helps. */
const mostSearched = 3;

export class LinkPicker {
  #found = [];
  #chosen = -1;
  #timer = null;
  #control = null;

  constructor(gateway, target, input) {
    Object.assign(this, { gateway, target, input });
    this.list = make("ul.completions.picks", { id: freshID("picks"), role: "listbox", "aria-label": `Objects of ${target.name}`, hidden: true });
    const place = make("span.picker", {});
    input.replaceWith(place);
    place.append(input, this.list);
    for (const [name, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-controls": this.list.id, "aria-expanded": "false", autocomplete: "off",
    })) input.setAttribute(name, value);
    input.addEventListener("input", () => this.#later());
    input.addEventListener("blur", () => this.close());
    input.addEventListener("keydown", (event) => this.#keydown(event));
    this.list.addEventListener("pointerdown", (event) => {
      const option = event.target.closest("[role=option]");
      // Before the input loses the focus to the press.
      event.preventDefault();
      if (option) this.#take([...this.list.children].indexOf(option));
    });
  }

  close() {
    clearTimeout(this.#timer);
    this.#control?.abort();
    this.#show([]);
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#search(), pause);
  }

  async #search() {
    this.#control?.abort();
    this.#control = new AbortController();
    const { signal } = this.#control;
    try {
      const { items } = await this.gateway.request("GET", paths.collection(this.target.name), {
        query: { filter: searchFilter(this.target, this.input.value.trim()), limit: most }, signal,
      });
      if (!signal.aborted && this.input === document.activeElement) this.#show(items);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof RealmgateError)) throw error;
      // What was typed can still be a key: saving says what is wrong with it.
      this.#show([]);
    }
  }

  #show(items) {
    this.#found = items;
    this.#chosen = -1;
    this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-expanded", String(items.length > 0));
    this.list.replaceChildren(...items.map((item, index) =>
      make("li", { id: `${this.list.id}-${index}`, role: "option", "aria-selected": "false" },
        make("span", {}, this.target.keyOf(item)), make("span.type", {}, description(this.target, item)))));
    this.list.hidden = items.length === 0;
    this.#place();
  }

  /** Puts the list below the input, or above it, over whatever would cut it off. */
  #place() {
    const { list } = this;
    if (typeof list.showPopover !== "function") return;
    list.popover = "manual";
    if (list.hidden) {
      if (list.matches(":popover-open")) list.hidePopover();
      return;
    }
    if (!list.matches(":popover-open")) list.showPopover();
    const box = this.input.getBoundingClientRect();
    const height = list.offsetHeight;
    const isAbove = box.bottom + height + 8 > innerHeight && box.top > height + 8;
    list.style.left = `${Math.max(4, Math.min(box.left, innerWidth - list.offsetWidth - 4))}px`;
    list.style.top = `${isAbove ? box.top - height - 4 : box.bottom + 4}px`;
    list.style.minWidth = `${Math.max(220, box.width)}px`;
  }

  #choose(index) {
    const count = this.#found.length;
    this.#chosen = (index + count) % count;
    [...this.list.children].forEach((one, place) => one.setAttribute("aria-selected", String(place === this.#chosen)));
    this.input.setAttribute("aria-activedescendant", `${this.list.id}-${this.#chosen}`);
    this.list.children[this.#chosen].scrollIntoView({ block: "nearest" });
  }

  #take(index) {
    const key = this.target.keyOf(this.#found[index]);
    this.input.value = this.target.keyProperty === null ? `#${key}` : key;
    this.close();
    this.input.focus();
  }

  #keydown(event) {
    if (event.isComposing) return;
    if (this.#found.length === 0) {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.#search();
      return;
    }
    const actions = {
      ArrowDown: () => this.#choose(this.#chosen + 1),
      ArrowUp: () => this.#choose(this.#chosen < 0 ? -1 : this.#chosen - 1),
      Escape: () => this.close(),
    };
    if (this.#chosen >= 0) {
      actions.Enter = () => this.#take(this.#chosen);
      actions.Tab = actions.Enter;
    }
    const action = event.shiftKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    action();
  }
}

/** The texts by which people know an object. */
const told = (target) => target.properties.filter((one) => one.kind === "string" && !one.isKey).slice(0, mostSearched);

/** What selects the objects that the reader may mean. */
export function searchFilter(target, typed) {
  if (typed === "") return "";
  const key = target.keyProperty;
  const wanted = literal(typed, { kind: "string" });
  const parts = told(target).map((one) => `${one.path} CONTAINS[c] ${wanted}`);
  if (key?.kind === "string") parts.unshift(`${key.path} BEGINSWITH[c] ${wanted}`);
  else if (key?.kind === "int" && /^-?\d{1,18}$/.test(typed)) parts.unshift(`${key.path} == ${typed}`);
  return parts.length > 0 ? parts.join(" OR ") : "FALSEPREDICATE";
}

function description(target, item) {
  return told(target).map((one) => own(item, one.name)).filter((value) => typeof value === "string" && value !== "")
    .map((value) => text(value, { kind: "string" }).slice(0, 40)).join(" · ");
}
