// The single values of an object: each shown with its type, links to follow, and a button that opens an editor.

import { paths } from "../core/api.js";
import { Link } from "../client/realmgate.js";
import { own, same } from "../core/json.js";
import { text, words } from "../core/values.js";
import { typeWords } from "./columns.js";
import { offerUndo } from "./edit-undo.js";
import { Editor, nextBool } from "./editor.js";
import { targetAddress } from "./links.js";
import { make } from "../parts/element.js";
import { toastFault } from "../parts/toast.js";
import { panel } from "../parts/ui.js";

export class Fields {
  #cells = new Map();

  constructor(context) {
    this.context = context;
    const shown = context.objectClass.properties.filter((one) => !["collection", "backlinks"].includes(one.kind));
    this.root = panel("Values", {}, make("div.object-fields", {}, shown.map((property) => this.#row(property))));
  }

  /** Shows a value that has changed, and marks it. */
  update(property, object) {
    const cell = this.#cells.get(property.name);
    if (!cell || cell.classList.contains("editing")) return;
    this.#fill(cell, property, object);
    cell.parentElement.dataset.mark = "modified";
  }

  #row(property) {
    const cell = make("div.value", {});
    this.#cells.set(property.name, cell);
    this.#fill(cell, property, this.context.object);
    const note = [typeWords(property), property.isKey && "key", property.indexed && !property.isKey && "index"].filter(Boolean).join(" · ");
    const row = make("div.object-field", { onanimationend: () => delete row.dataset.mark },
      make("div.name", {}, make("span", {}, property.name), make("span.type", {}, note)), cell);
    return row;
  }

  #fill(cell, property, object) {
    const value = own(object, property.name);
    const isEmpty = value === null || value === undefined;
    const shown = isEmpty ? "null" : property.kind === "embedded" ? text(value, property) : words(object, property);
    cell.replaceChildren();
    cell.className = `value ${property.kind}${isEmpty ? " null" : ""}`;
    const address = ["link", "mixed"].includes(property.kind) && !isEmpty && this.#isLink(property, value)
      ? targetAddress(this.context.schema, this.context.schema.class(property.target), value, this.context.snapshot) : null;
    if (address !== null) {
      cell.append(make("a.link", { href: address.href, title: address.title, "data-follow": true }, shown));
    } else {
      cell.append(make("span.text", {}, shown));
    }
    if (!property.isEditable || !this.context.writes(property)) return;
    const isBool = property.kind === "bool";
    cell.append(make("button.edit", {
      type: "button", "aria-label": `${isBool ? "Switch" : "Edit"} ${property.name}`,
      onclick: () => (isBool ? this.#switch(property) : this.#edit(cell, property)),
    }, isBool ? "Switch" : "Edit"));
  }

  #isLink(property, value) {
    return property.kind === "link" || (value instanceof Link);
  }

  async #save(property, value) {
    const { objectClass, key } = this.context;
    const before = own(this.context.object, property.name);
    const answer = await this.context.send("PATCH", paths.object(objectClass.name, key), { body: { [property.name]: value } });
    offerUndo(this.context, property, before, `${property.name} was changed.`, own(answer ?? {}, property.name)).catch(() => {});
  }

  #switch(property) {
    this.#save(property, nextBool(own(this.context.object, property.name), property)).catch(toastFault);
  }

  #edit(cell, property) {
    const before = own(this.context.object, property.name);
    const editor = new Editor(cell, property, before, this.context.schema.class(property.target), {
      gateway: this.context.gateway,
      save: (value) => this.#save(property, value),
      done: (refocus) => {
        cell.classList.remove("editing", "above", "leftward");
        this.#fill(cell, property, this.context.object);
        if (!same(before, own(this.context.object, property.name))) cell.parentElement.dataset.mark = "modified";
        if (refocus) cell.querySelector(".edit")?.focus({ preventScroll: true });
      },
    });
    return editor;
  }
}
