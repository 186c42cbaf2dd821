// A new class from a file: the gateway infers the types and says why, the reader changes them, and only then is the
// class made and the file imported.

import { paths, queryString } from "../core/api.js";
import { routeAddress } from "../core/route.js";
import { formatOf, sendFile } from "../core/upload.js";
import { byteSize, tally } from "../core/values.js";
import { dropZone } from "../parts/drop.js";
import { make, released } from "../parts/element.js";
import { toast } from "../parts/toast.js";
import { button, check, field, panel, select, sentenceOf, table } from "../parts/ui.js";

const scalars = [
  "bool", "int", "float", "double", "string", "data", "date", "decimal128", "objectId", "uuid", "mixed",
];
/** The gateway infers from the whole of a file up to this size, and from the beginning of a larger one. */
const wholeSize = 64 * 1024 ** 2;
const beginningSize = 16 * 1024 ** 2;
const shownErrors = 200;

/** The panel. `isBusy` is true from the making of the class to the end of the import; `close()` ends what runs. */
export class NewClassPanel {
  isBusy = false;
  #upload = null;
  #file = null;
  #proposal = null;
  /** The types that the reader gave, by property, and the key; undefined while it is the inferred one. */
  #types = new Map();
  #key = undefined;

  constructor({ gateway, database, navigation }, title = "A class from a file") {
    Object.assign(this, { gateway, database, navigation });
    this.body = make("div.proposal", { "aria-live": "polite" });
    this.name = make("input", {
      type: "text", spellcheck: "false", autocomplete: "off", name: "new-class", onchange: () => this.#ask(),
    });
    this.nameField = field("Class", this.name);
    this.root = panel(title, { note: "See the types and why they fit, change them, then import. Nothing is written before." },
      dropZone((file) => this.#begin(file), { note: "NDJSON: one object as JSON on each line. CSV: the names in the first line." }),
      this.body);
  }

  close() {
    this.#upload?.abort();
  }

  // MARK: The proposal

  #begin(file) {
    if (this.isBusy) return;
    this.#file = file;
    this.#proposal = null;
    this.#types.clear();
    this.#key = undefined;
    this.name.value = className(file.name);
    this.#ask();
  }

  get #isPartial() {
    return this.#file.size > wholeSize;
  }

  async #ask() {
    this.#upload?.abort();
    this.nameField.blame(null);
    const file = this.#file;
    const address = paths.inference + queryString({
      class: this.name.value.trim(), partial: this.#isPartial ? "true" : "",
      type: [...this.#types].map(([name, type]) => `${name}=${type}`),
    }) + (this.#key === undefined ? "" : `&primaryKey=${encodeURIComponent(this.#key)}`);
    const words = make("p.note", { role: "status" }, `Reading ${file.name}…`);
    if (this.#proposal === null) this.body.replaceChildren(words);
    const upload = sendFile(
      this.gateway, address, this.#isPartial ? file.slice(0, beginningSize) : file, formatOf(file), {
        sent: (loaded, total) => {
          words.textContent = `Reading ${file.name}: ${byteSize(loaded)} of ${byteSize(total)}`;
        },
      });
    this.#upload = upload;
    try {
      const proposal = await upload.done;
      await released(this.body);
      if (this.#upload !== upload) return;
      this.#proposal = proposal;
      this.#draw();
    } catch (error) {
      if (this.#upload !== upload || error.name === "AbortError") return;
      if (error.parameter === "class") {
        if (this.#proposal === null) this.body.replaceChildren(make("div.form-grid", {}, this.nameField));
        this.nameField.blame(sentenceOf(error));
        this.name.focus();
      } else {
        this.#refuse(error);
      }
    }
  }

  #refuse(error) {
    const sentence = make("p.fault", { role: "alert" }, sentenceOf(error));
    const old = this.body.querySelector(":scope > .fault");
    if (this.#proposal === null) this.body.replaceChildren(sentence);
    else if (old !== null) old.replaceWith(sentence);
    else this.body.prepend(sentence);
  }

  #draw() {
    const focused = document.activeElement?.dataset.place;
    const { rows, properties, primaryKey, errors, refused } = this.#proposal;
    const own = this.#proposal.classes[0];
    const keys = [...new Set([own.primaryKey, ...primaryKey.candidates].filter(Boolean))];
    const key = select([["", "none"], ...keys], {
      value: own.primaryKey ?? "", "data-place": "key",
      onchange: () => {
        this.#key = key.value;
        this.#ask();
      },
    });
    const read = this.#isPartial
      ? `Types from the first ${tally(rows)} rows of ${this.#file.name}; the import lists later rows that do not fit.`
      : `Types from all ${tally(rows)} rows of ${this.#file.name}.`;
    const misfits = properties.reduce((sum, one) => sum + one.misfits, 0);
    const reasons = table("Properties of the new class", ["Property", "Type", "Because"],
      properties.map((one) => [
        one.class === own.name ? one.name : `${one.class}.${one.name}`,
        one.class === own.name ? this.#typeOf(one) : make("code", {}, one.type),
        reasonOf(one),
      ]));
    reasons.classList.add("explained");
    this.body.replaceChildren(
      make("div.form-grid", {}, this.nameField,
        field("Primary key", key, { note: `Because ${primaryKey.reason}.` })),
      make("p.note", { role: "status" }, read),
      reasons,
      ...(refused > 0 ? [make("p.note", {}, `${tally(refused)} ${refused === 1 ? "line" : "lines"} cannot be read and will be refused:`), faults(errors)] : []),
      make("div.buttons", {}, button("Cancel", () => this.#cancel()),
        button(misfits > 0 ? "Create and import what fits" : "Create and import", () => this.#apply(), { kind: "primary" })));
    if (focused !== undefined) this.body.querySelector(`[data-place="${CSS.escape(focused)}"]`)?.focus();
  }

  /** The controls for the type of a property. */
  #typeOf(one) {
    const [, base, mark, shape = ""] = /^(.*?)(\?)?(\[\]|<>|\{\})?$/.exec(one.type);
    const types = scalars.includes(base) && shape === "" ? scalars : [`${base}${shape === "" ? "" : (mark ?? "") + shape}`, ...scalars];
    const type = select(types, {
      value: types === scalars ? base : types[0], "aria-label": `Type of ${one.name}`, "data-place": `type ${one.name}`,
    });
    const change = () => {
      const isPlain = scalars.includes(type.value) && type.value !== "mixed";
      if (!scalars.includes(type.value)) this.#types.delete(one.name);
      else this.#types.set(one.name, type.value + (isPlain && box.checked ? "?" : ""));
      this.#ask();
    };
    type.addEventListener("change", change);
    const isPlain = scalars.includes(base) && base !== "mixed" && shape === "";
    const optional = check("optional", {
      checked: mark === "?", disabled: one.missing > 0, onchange: change, "data-place": `optional ${one.name}`,
      title: one.missing > 0 ? "Rows have no value" : null, "aria-label": `${one.name} is optional`,
    });
    const box = optional.querySelector("input");
    return make("div.type-choice", {}, type, isPlain && optional);
  }

  #cancel() {
    this.#upload?.abort();
    this.#proposal = null;
    this.#file = null;
    this.body.replaceChildren();
  }

  // MARK: Making the class, and importing

  async #apply() {
    const [own, ...embedded] = this.#proposal.classes;
    this.isBusy = true;
    for (const one of this.body.querySelectorAll("button, input, select")) one.disabled = true;
    try {
      const present = await this.gateway.request("GET", paths.schema);
      const source = await this.gateway.request("PUT", paths.schema, {
        body: {
          schemaVersion: present.schemaVersion > 0 ? present.schemaVersion : 1,
          classes: [...present.classes, own, ...embedded],
        },
      });
      this.database.adopt(source);
    } catch (error) {
      this.isBusy = false;
      this.#draw();
      this.#refuse(error);
      return;
    }
    await this.#import(own.name);
    this.isBusy = false;
  }

  async #import(name) {
    const file = this.#file;
    const bar = make("progress", { max: 1, "aria-label": "Imported" });
    bar.value = 0;
    const words = make("p.note", { role: "status" }, `Sending ${file.name}…`);
    this.body.replaceChildren(
      make("div.progress", {}, bar, button("Cancel", () => this.#upload?.abort())), words);
    this.#upload = sendFile(this.gateway, paths.imports(name), file, formatOf(file), {
      streams: true,
      sent: (loaded, total) => {
        words.textContent = `Sending ${file.name}: ${byteSize(loaded)} of ${byteSize(total)}`;
      },
      event: (_, { created, bytes, total }) => {
        bar.value = bytes / Math.max(1, total);
        words.textContent = `${tally(created)} objects of ${name} imported`;
      },
    });
    const open = make("a.action", { href: routeAddress({ className: name }) }, `Open ${name}`);
    try {
      const { created, refused, errors } = await this.#upload.done;
      this.database.count(name).catch(() => {});
      const sentence = `${tally(created)} objects of ${name} were imported`;
      if (refused === 0) {
        toast(`${sentence}.`);
        this.#cancel();
        this.navigation.go(routeAddress({ className: name }), { trail: [] });
        return;
      }
      this.body.replaceChildren(
        make("p.figure", { role: "status" }, `${sentence}, ${tally(refused)} ${refused === 1 ? "line was" : "lines were"} refused.`),
        faults(errors), open);
    } catch (error) {
      const told = error.name === "AbortError"
        ? make("p.note", {}, `Cancelled. The class ${name} exists, with the objects that were imported before.`)
        : make("p.fault", { role: "alert" }, sentenceOf(error));
      const errors = error.errors ?? [];
      this.body.replaceChildren(told, ...(errors.length > 0 ? [faults(errors)] : []), open);
    }
  }
}

/** Why a property has its type, the values that decided, and those that do not fit. */
function reasonOf({ name, column, reason, examples, misfits, firstMisfit }) {
  const shown = examples.map(({ value, line }) => `‘${value}’ on line ${line}`).join(", ");
  return make("div.reason", {},
    column !== name && make("span", {}, `Column ‘${column}’. `), make("span", {}, `${reason}.`), shown !== "" && make("span.note", {}, ` ${shown}`),
    misfits > 0 && make("p.field-fault", { role: "alert" },
      `${tally(misfits)} ${misfits === 1 ? "value does" : "values do"} not fit, the first on line ${firstMisfit.line}: ‘${firstMisfit.value}’.`));
}

export function faults(errors) {
  return table("Refused lines", [{ words: "Line" }, "What is wrong", "Code"], errors.slice(0, shownErrors).map((one) =>
    [String(one.line), one.detail ?? "", make("code", {}, one.code ?? "")]));
}

/** `dog-owners.csv` becomes `DogOwners`. */
export function className(fileName) {
  const words = fileName.replace(/\.(csv|ndjson|jsonl|json|txt)$/i, "").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const name = words.map((one) => one[0].toUpperCase() + one.slice(1)).join("").slice(0, 40);
  return /^[\p{L}_]/u.test(name) ? name : `Class${name}`;
}
