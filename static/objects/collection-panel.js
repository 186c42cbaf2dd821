// A list, set or map of an object: its elements, and every edit of them, by buttons, keys and dragging.

import { paths } from "../core/api.js";
import { Link } from "../client/realmgate.js";
import { own, same, stringify } from "../core/json.js";
import { Property } from "../core/schema.js";
import { fromInput, linkFromInput, tally, text } from "../core/values.js";
import { targetAddress } from "./links.js";
import { confirmRemoval } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { toastFault } from "../parts/toast.js";
import { button, iconButton, panel, plainError, sentenceOf } from "../parts/ui.js";
import { Dragging } from "./dragging.js";
import { offerUndo } from "./edit-undo.js";
import { LinkPicker } from "./link-picker.js";

const step = 200;

const kinds = { "[]": "list", "<>": "set", "{}": "map" };

export class CollectionPanel {
  #shown = step;

  constructor(context, property, values) {
    this.context = context;
    this.property = property;
    this.isFrozen = !context.writes(property);
    this.kind = kinds[property.type.slice(-2)];
    const { schema } = context;
    const embedded = new Set(schema.classes.filter((one) => one.isEmbedded).map((one) => one.name));
    // One element as a property of its own, for reading input and writing text.
    this.element = new Property({ name: property.name, type: property.type.slice(0, -2) }, false, embedded);
    this.target = schema.class(this.element.target);
    this.path = paths.property(context.objectClass.name, context.key, property.name);
    this.values = values ?? (this.kind === "map" ? {} : []);
    this.list = make(this.kind === "list" ? "ol.elements" : "ul.elements", { "aria-label": property.name });
    this.count = make("span.count", {});
    this.fault = make("p.field-fault", { role: "alert", hidden: true });
    const clear = button("Empty", () => this.#clear(), { label: `Empty ${property.name}` });
    this.root = panel(property.name, {
      note: property.type, actions: this.isFrozen ? [this.count] : [this.count, clear],
    }, this.list, !this.isFrozen && this.#form());
    if (this.kind === "list" && !this.isFrozen) {
      new Dragging(this.list, (from, to) => this.#move(from, to).catch((error) => {
        toastFault(error);
        throw error;
      }));
    }
    this.list.addEventListener("keydown", (event) => this.#keydown(event));
    this.#draw([]);
  }

  /** Shows the elements as they are now; those that were not there are marked. */
  update(values) {
    const before = this.#entries().map(({ value }) => stringify(value));
    this.values = values;
    this.#draw(before);
  }

  #entries() {
    return this.kind === "map"
      ? Object.entries(this.values).map(([key, value]) => ({ key, value }))
      : this.values.map((value, index) => ({ key: index, value }));
  }

  // MARK: Drawing

  #draw(before) {
    const entries = this.#entries();
    const focused = this.#focusedPlace();
    this.count.textContent = tally(entries.length);
    const known = new Map();
    for (const one of before) known.set(one, (known.get(one) ?? 0) + 1);
    this.list.replaceChildren(...entries.slice(0, this.#shown).map((entry) => {
      const item = this.#item(entry, entries.length);
      const written = stringify(entry.value);
      const left = known.get(written) ?? 0;
      known.set(written, left - 1);
      if (before.length > 0 && left <= 0) item.dataset.mark = "inserted";
      return item;
    }));
    if (entries.length === 0) this.list.append(make("li.none", {}, `An empty ${this.kind}.`));
    if (entries.length > this.#shown) {
      this.list.append(make("li.none", {}, button(`Show ${tally(Math.min(step * 5, entries.length - this.#shown))} more`, () => {
        this.#shown += step * 5;
        this.#draw([]);
      })));
    }
    if (focused !== null) this.#focus(focused);
  }

  #item({ key, value }, count) {
    const isList = this.kind === "list";
    const name = isList ? `element ${key}` : this.kind === "map" ? key : this.#words(value);
    const address = this.#address(value);
    const shown = address === null
      ? make(`span.text${value === null ? ".null" : ""}`, {}, this.#words(value))
      : make("a.link", { href: address.href, title: address.title, "data-follow": true }, this.#words(value));
    const item = make("li.element", { onanimationend: () => delete item.dataset.mark },
      isList && !this.isFrozen && make("span.handle", { "aria-hidden": "true", title: "Drag to move" }, "⠿"),
      this.kind !== "set" && make("span.place", {}, String(key)), shown);
    item.dataset.place = String(key);
    if (this.isFrozen) return item;
    const tool = (sign, words, action, members = {}) =>
      iconButton(sign, `${words} ${name}`, () => action().catch(toastFault), { "data-tool": words, ...members });
    item.append(make("span.tools", {},
      isList && tool("↑", "Move up", () => this.#move(key, key - 1), { disabled: key === 0 }),
      isList && tool("↓", "Move down", () => this.#move(key, key + 1), { disabled: key === count - 1 }),
      isList && tool("+", "Insert before", async () => this.#edit(item, null, (made) => this.#insert(key, made))),
      this.kind !== "set" && tool("✎", "Replace", async () => this.#edit(item, value, (made) => this.#put(key, made))),
      tool("×", "Remove", () => this.#remove(key, value))));
    return item;
  }

  #words(value) {
    return value === null ? "null" : text(value, this.element);
  }

  #address(value) {
    const isLink = this.element.kind === "link" || value instanceof Link;
    if (!isLink || value === null) return null;
    return targetAddress(this.context.schema, this.target, value, this.context.snapshot);
  }

  // MARK: Input

  #read(input) {
    if (this.element.kind === "link") return linkFromInput(input, this.target);
    return fromInput(input, this.element);
  }

  get #example() {
    if (this.element.kind === "link") return `${this.target?.name} ${this.target?.primaryKey ?? "#key"}`;
    return this.element.isJSON ? "JSON" : this.element.type;
  }

  #input(label, value = "") {
    const isBool = this.element.kind === "bool";
    if (isBool) {
      return make("select", { "aria-label": label, value: String(value) },
        ["true", "false"].map((one) => make("option", { value: one }, one)));
    }
    const input = make("input", { type: "text", spellcheck: "false", "aria-label": label, placeholder: this.#example, value });
    // Once it is in its form.
    if (this.element.kind === "link" && this.target) queueMicrotask(() => new LinkPicker(this.context.gateway, this.target, input));
    return input;
  }

  /** The line that adds an element at the end. */
  #form() {
    const key = this.kind === "map"
      ? make("input.map-key", { type: "text", spellcheck: "false", "aria-label": `Key for ${this.property.name}`, placeholder: "key" })
      : null;
    const input = this.#input(`New element of ${this.property.name}`);
    const verb = { list: "Append", set: "Add", map: "Put" }[this.kind];
    const form = make("form.append", {
      onsubmit: async (event) => {
        event.preventDefault();
        await this.#try(async () => {
          const value = this.#read(input.value);
          if (this.kind === "map") await this.#put(key.value, value);
          else await this.#insert(null, value);
          if (input.tagName === "INPUT") input.value = "";
          if (key) key.value = "";
          (key ?? input).focus();
        });
      },
    }, key, input, this.element.optional && button("null", () => this.#try(async () => {
      if (this.kind === "map") await this.#put(key.value, null);
      else await this.#insert(null, null);
    }), { label: `${verb} null to ${this.property.name}` }), button(verb, null, { type: "submit" }), this.fault);
    return form;
  }

  async #try(action) {
    this.fault.hidden = true;
    try {
      await action();
    } catch (error) {
      this.fault.textContent = sentenceOf(error);
      this.fault.hidden = false;
    }
  }

  /** Opens an input in an element; with a value in its place, else before it. */
  #edit(item, value, save) {
    const isNew = value === null && !this.element.optional;
    const input = this.#input(isNew ? "The new element" : "The new value", value === null ? "" : this.#words(value));
    const fault = make("p.field-fault", { role: "alert", hidden: true });
    const leave = () => {
      form.remove();
      item.classList.remove("editing");
      item.querySelector("button")?.focus();
    };
    const form = make("form.element-editor", {
      onsubmit: async (event) => {
        event.preventDefault();
        try {
          const made = this.#read(input.value);
          if (value === null || !same(made, value)) await save(made);
          leave();
        } catch (error) {
          fault.textContent = sentenceOf(error);
          fault.hidden = false;
          input.focus();
        }
      },
      onkeydown: (event) => {
        event.stopPropagation();
        if (event.key === "Escape") leave();
      },
    }, input, button("Save", null, { type: "submit", kind: "primary" }), button("Cancel", leave), fault);
    item.classList.add("editing");
    item.append(form);
    input.focus();
    input.select?.();
  }

  #keydown(event) {
    const item = event.target.closest(".element");
    if (!item || !event.altKey || this.kind !== "list") return;
    const direction = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const from = Number(item.dataset.place);
    this.#move(from, from + direction).catch(toastFault);
  }

  /** Where the keyboard is: the position of the element, and which of its tools. */
  #focusedPlace() {
    const item = document.activeElement?.closest?.(".element");
    if (!item || item.parentElement !== this.list) return null;
    const place = this.movedTo ?? item.dataset.place;
    this.movedTo = null;
    return { place: String(place), tool: document.activeElement.dataset.tool };
  }

  #focus({ place, tool }) {
    const item = this.list.querySelector(`[data-place="${CSS.escape(place)}"]`) ?? this.list.lastElementChild;
    const wanted = item?.querySelector(`[data-tool="${tool}"]:not(:disabled)`) ?? item?.querySelector("button:not(:disabled)");
    wanted?.focus();
  }

  // MARK: Edits

  /**
   * Headers for an edit by position: the gateway makes it only while the elements are those on the page, so that it does not
   * change another element than the reader means.
   */
  async #guard() {
    const { gateway, objectClass, key } = this.context;
    const { value, headers } = await gateway.send("GET", paths.object(objectClass.name, key));
    const now = own(value, this.property.name);
    if (!same(now, this.values)) {
      this.update(now);
      throw plainError(`${this.property.name} has changed meanwhile. Check the elements and try again.`);
    }
    return { "If-Match": headers.get("ETag") };
  }

  /** Makes an edit, and offers to undo it. */
  async #write(sentence, method, path, options = {}) {
    const before = this.values;
    await this.context.send(method, path, options);
    // The edit is made, whatever becomes of the offer.
    offerUndo(this.context, this.property, before, sentence).catch(() => {});
  }

  async #insert(index, value) {
    const guarded = index === null ? {} : { query: { index }, headers: await this.#guard() };
    await this.#write(`An element of ${this.property.name} was added.`, "POST", this.path, { ...guarded, body: [value] });
  }

  async #put(key, value) {
    const headers = this.kind === "list" ? await this.#guard() : {};
    const isNew = this.kind === "map" && !Object.hasOwn(this.values, key);
    await this.#write(`${this.#named(key)} was ${isNew ? "added" : "replaced"}.`, "PUT", `${this.path}/${encodeURIComponent(key)}`, { headers, body: value });
  }

  async #move(from, to) {
    if (to < 0 || to >= this.values.length || from === to) return;
    const headers = await this.#guard();
    this.movedTo = to;
    await this.context.send("POST", `${this.path}/move`, { headers, body: { from, to } });
  }

  async #remove(key, value) {
    const sentence = `${this.kind === "set" ? `An element of ${this.property.name}` : this.#named(key)} was removed.`;
    if (this.kind === "set") {
      await this.#write(sentence, "DELETE", this.path, { query: { value: stringify(value) } });
      return;
    }
    const headers = this.kind === "list" ? await this.#guard() : {};
    await this.#write(sentence, "DELETE", `${this.path}/${encodeURIComponent(key)}`, { headers });
  }

  #named(key) {
    return this.kind === "map" ? `‘${key}’ of ${this.property.name}` : `Element ${key} of ${this.property.name}`;
  }

  #clear() {
    if (this.#entries().length === 0) return;
    confirmRemoval(`Empty ${this.property.name}?`, `This removes all ${tally(this.#entries().length)} elements.`,
      () => this.#write(`${this.property.name} was emptied.`, "DELETE", this.path), "Empty it");
  }
}
