// Editing one value in its cell.

import { load } from "../core/api.js";
import { fromInput, linkFromInput, text } from "../core/values.js";
import { LinkPicker } from "./link-picker.js";

/** The next state of a bool: true, false, then null where the type has it. */
export function nextBool(value, property) {
  if (value === true) return false;
  if (value === false) return property.optional ? null : true;
  return true;
}

/**
 * Opens in `cell` on `value`. `save(newValue)` stores it and throws what the gateway refuses, which is shown at the cell;
 * `done(refocus)` is called once, after the editor has closed.
 */
export class Editor {
  #closed = false;
  #saving = false;

  constructor(cell, property, value, target, { gateway, save, done }) {
    this.cell = cell;
    this.property = property;
    this.target = target;
    this.save = save;
    this.done = done;
    this.before = value === null || value === undefined ? "" : text(value, property);
    const isArea = property.kind === "string" || property.isJSON;

    this.form = document.createElement("div");
    this.form.className = "editor";
    this.input = document.createElement(isArea ? "textarea" : "input");
    this.input.value = this.before;
    this.input.spellcheck = false;
    this.input.setAttribute("aria-label", `${property.name}, ${property.type}`);
    if (isArea) {
      const lines = property.isJSON ? Math.ceil(this.before.length / 40) : this.before.split("\n").length;
      this.input.rows = Math.max(1, Math.min(6, lines));
    } else {
      this.input.type = "text";
      if (property.isNumeric) this.input.inputMode = "decimal";
    }
    this.input.placeholder = property.kind === "date" ? "2026-01-31 12:00 in UTC" : value === null ? "null" : "";
    this.form.append(this.input);
    if (property.kind === "link" && target) {
      // First, so that its keys come before those that leave the input.
      new LinkPicker(gateway, target, this.input);
      this.input.placeholder = `Type to search ${target.name}`;
    }
    if (property.kind === "date") {
      this.#addCalendar();
      this.#button("now", () => this.#commit(`${new Date().toISOString()}`));
    }
    if (property.optional) this.#button("null", () => this.#store(() => null));

    this.fault = document.createElement("p");
    this.fault.className = "cell-fault";
    this.fault.id = "cell-fault";
    this.fault.setAttribute("role", "alert");
    this.fault.hidden = true;
    this.form.append(this.fault);
    this.input.setAttribute("aria-describedby", this.fault.id);

    cell.replaceChildren(this.form);
    cell.classList.add("editing");
    this.form.addEventListener("keydown", (event) => this.#keydown(event));
    this.form.addEventListener("focusout", (event) => {
      if (this.#closed || this.#saving || this.form.contains(event.relatedTarget)) return;
      if (this.input.value === this.before) this.close(false);
      else this.#commit(this.input.value);
    });
    this.input.focus({ preventScroll: true });
    this.input.select();
    this.form.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  async #addCalendar() {
    const { datePicker } = await load(() => import("./date-picker.js"));
    if (!this.#closed) this.input.after(datePicker(this.input, this.property.name));
  }

  /** Leaves without storing. */
  close(refocus) {
    if (this.#closed) return;
    this.#closed = true;
    this.done(refocus);
  }

  #button(label, action) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "chip";
    button.textContent = label;
    button.addEventListener("click", action);
    this.form.append(button);
  }

  #keydown(event) {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      this.close(true);
    } else if (event.key === "Enter" && event.target.matches("input, textarea") && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (this.input.value === this.before && this.before !== "") this.close(true);
      else this.#commit(this.input.value);
    }
  }

  #commit(input) {
    return this.#store(() =>
      this.property.kind === "link" ? linkFromInput(input, this.target) : fromInput(input, this.property));
  }

  /** Stores what `value` gives, unless it throws for what cannot be read. */
  async #store(value) {
    if (this.#saving || this.#closed) return;
    const hadFocus = this.form.contains(document.activeElement);
    this.#saving = true;
    this.form.setAttribute("aria-busy", "true");
    try {
      await this.save(value());
      this.close(hadFocus);
    } catch (error) {
      this.fault.textContent = error.hint ? `${error.message} Did you mean ‘${error.hint}’?` : error.message;
      this.fault.hidden = false;
      this.input.setAttribute("aria-invalid", "true");
      this.cell.classList.remove("above", "leftward");
      const room = this.cell.closest(".grid, main").getBoundingClientRect();
      const box = this.fault.getBoundingClientRect();
      this.cell.classList.toggle("above", room.bottom - box.bottom < 60);
      this.cell.classList.toggle("leftward", box.right > room.right);
      this.fault.scrollIntoView({ block: "nearest", inline: "nearest" });
      this.input.focus({ preventScroll: true });
    } finally {
      this.#saving = false;
      this.form.removeAttribute("aria-busy");
    }
  }
}

