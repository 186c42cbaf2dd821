// The schema editor: classes and properties under edit, what the change would do, and doing it.

import { paths } from "../core/api.js";
import { parse } from "../core/json.js";
import { confirmRemoval, showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { toast } from "../parts/toast.js";
import { button, check, faultPanel, field, heading, iconButton, loading, panel, select } from "../parts/ui.js";
import { ClassDraft, PropertyDraft, SchemaDraft, shapes } from "./schema-draft.js";
import { PlanPanel } from "./schema-plan.js";
import { showSchema } from "./schema-reading.js";

const scalars = [
  "bool", "int", "float", "double", "string", "data", "date", "decimal128", "objectId", "uuid", "mixed",
];
const pause = 350;

export const title = "Schema";

export function open(root, _, app) {
  if (!app.database.rights.isAdministrator) {
    showSchema(root, app);
    return { schemaChanged: () => showSchema(root, app) };
  }
  const editor = new SchemaEditor(root, app);
  return { close: () => editor.close(), schemaChanged: () => editor.changedElsewhere() };
}

class SchemaEditor {
  #timer = null;
  #turn = 0;
  /** The open class, by the id of its draft. */
  #chosen = null;
  #fields = new Map();

  constructor(root, { gateway, database }) {
    this.root = root;
    this.gateway = gateway;
    this.database = database;
    this.root.replaceChildren(heading("Schema", "Classes, their properties, and what a change would do."), loading());
    this.#load();
  }

  close() {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.isClosed = true;
  }

  async #load() {
    try {
      const source = await this.gateway.request("GET", paths.schema);
      if (this.isClosed) return;
      this.draft = new SchemaDraft(source);
      this.original = JSON.stringify(this.draft.document);
      this.#draw();
    } catch (error) {
      this.root.replaceChildren(heading("Schema", ""), faultPanel(error, () => this.#load()));
    }
  }

  /** Somebody else has changed the schema: what is under edit stays, and says so. */
  changedElsewhere() {
    if (!this.draft || this.isApplying) return;
    if (JSON.stringify(this.draft.document) === this.original) this.#load();
    else this.plan.warn("The schema has changed meanwhile. Discard your changes to edit the current schema.");
  }

  // MARK: Drawing

  #draw() {
    const { draft } = this;
    const hadFocus = this.root.contains(document.activeElement);
    if (!draft.classes.some((one) => one.id === this.#chosen)) this.#chosen = draft.classes[0]?.id ?? null;
    this.version = make("input.short", {
      type: "number", min: String(draft.versionBefore), value: String(draft.version),
      oninput: () => {
        draft.version = Number(this.version.value);
        this.#changed();
      },
    });
    this.names = make("ul.class-tabs", {});
    this.form = make("div", {});
    this.plan = new PlanPanel({
      apply: () => this.#apply(),
      discard: () => this.#load(),
      raise: (version) => {
        draft.version = version;
        this.version.value = String(version);
        this.#changed();
      },
      fallback: (property, value) => {
        property.fallback = value;
        this.#changed();
      },
    });
    this.root.replaceChildren(
      heading("Schema", "Classes, their properties, and what a change would do.",
        make("label.choice", {}, "version ", this.version), button("JSON", () => this.#showJSON())),
      make("div.schema-editor", {},
        make("nav.panel.class-list", { "aria-label": "Classes of the schema" }, this.names,
          button("Add a class", () => this.#addClass())),
        this.form),
      this.plan.root);
    this.#drawNames();
    this.#drawClass();
    this.#changed();
    // The keyboard stays on the page although its elements are new.
    if (hadFocus) this.root.querySelector("h1").focus({ preventScroll: true });
  }

  #drawNames() {
    this.names.replaceChildren(...this.draft.classes.map((one) => make("li", {},
      make("button.class-tab", {
        type: "button", "aria-pressed": String(one.id === this.#chosen),
        onclick: () => {
          this.#chosen = one.id;
          this.#drawNames();
          this.#drawClass();
          this.#showFaults();
          this.names.querySelector("[aria-pressed=true]")?.focus();
        },
      }, one.name || "(no name)", one.before === null && make("span.badge", {}, "new")))));
  }

  #drawClass() {
    this.#fields.clear();
    const one = this.draft.classes.find((each) => each.id === this.#chosen);
    if (!one) {
      this.form.replaceChildren(make("section.panel", {}, make("p.empty", {}, "No classes yet. Add the first one.")));
      return;
    }
    const name = make("input", {
      type: "text", value: one.name, spellcheck: "false", autocomplete: "off", name: "class-name",
      oninput: () => {
        one.name = name.value.trim();
        this.#drawNames();
        this.#changed();
      },
    });
    const nameField = field("Name", name);
    this.#fields.set(`${one.id}`, nameField);
    const embedded = check("embedded", {
      checked: one.embedded,
      onchange: (event) => {
        one.embedded = event.target.checked;
        if (one.embedded) one.keyID = null;
        this.#drawClass();
        this.#changed();
      },
    });
    const rows = one.properties.map((property, index) => this.#row(one, property, index));
    this.form.replaceChildren(panel(one.name || "New class", {
      actions: [button("Remove the class", () => this.#removeClass(one), { kind: "danger-line" })],
    },
    make("div.line", {}, nameField, embedded),
    make("ol.properties", { "aria-label": "Properties" }, rows),
    button("Add a property", () => {
      one.properties.push(new PropertyDraft({ name: "", type: "string" }));
      this.#drawClass();
      this.#changed();
      this.form.querySelector(".property:last-child input")?.focus();
    })));
  }

  #row(owner, property, index) {
    const changed = () => this.#changed();
    const label = property.name || "the new property";
    const name = make("input.property-name", {
      type: "text", value: property.name, spellcheck: "false", autocomplete: "off", "aria-label": `Name of ${label}`, placeholder: "name",
      oninput: () => {
        property.name = name.value.trim();
        changed();
      },
    });
    const classes = this.draft.classes.map((one) => one.name).filter(Boolean);
    const types = [...scalars, ...classes, "linkingObjects"];
    if (!types.includes(property.base)) types.push(property.base);
    const base = select(types, {
      value: property.base, "aria-label": `Type of ${label}`,
      onchange: () => {
        property.base = base.value;
        // Single links are always optional, those in lists and sets never.
        if (classes.includes(property.base)) property.optional = ["", "{}"].includes(property.shape);
        if (property.base === "linkingObjects" && property.origin === "") property.origin = this.#origins(owner)[0] ?? "";
        this.#drawClass();
        changed();
      },
    });
    const isBacklinks = property.base === "linkingObjects";
    const isLink = classes.includes(property.base);
    const shape = isBacklinks
      ? select(this.#origins(owner, property.origin), {
        value: property.origin, "aria-label": `Link whose objects ${label} gives`,
        onchange: (event) => {
          property.origin = event.target.value;
          changed();
        },
      })
      : select(shapes, {
        value: property.shape, "aria-label": `Whether ${label} holds one value or many`,
        onchange: (event) => {
          property.shape = event.target.value;
          if (isLink) property.optional = ["", "{}"].includes(property.shape);
          this.#drawClass();
          changed();
        },
      });
    const mark = (words, key, members = {}) => check(words, {
      checked: property[key],
      onchange: (event) => {
        property[key] = event.target.checked;
        changed();
      },
      ...members,
    });
    const key = check("key", {
      checked: owner.keyID === property.id,
      onchange: (event) => {
        owner.keyID = event.target.checked ? property.id : null;
        this.#drawClass();
        changed();
      },
    });
    const byDefault = make("input.default", {
      type: "text", value: property.default, spellcheck: "false", autocomplete: "off", placeholder: "no default", "aria-label": `Default of ${label}`,
      oninput: () => {
        property.default = byDefault.value;
        changed();
      },
    });
    const swap = (other) => {
      const list = owner.properties;
      [list[index], list[other]] = [list[other], list[index]];
      this.#drawClass();
      changed();
      this.form.querySelectorAll(".property")[other]?.querySelector("[data-tool]:not(:disabled)")?.focus();
    };
    const fault = make("p.field-fault", { role: "alert", hidden: true });
    const row = make("li.property", {}, name, base, shape,
      make("div.marks", {},
        !isBacklinks && !isLink && mark("optional", "optional"),
        !isBacklinks && !isLink && property.shape === "" && [
          !owner.embedded && ["int", "string", "objectId", "uuid"].includes(property.base) && key,
          mark("index", "indexed"), property.base === "string" && mark("search", "fullText", { title: "Index the words for full-text search" }),
        ]),
      !isBacklinks && !isLink && property.shape === "" ? byDefault : make("span", {}),
      make("span.tools", {},
        iconButton("↑", `Move ${label} up`, () => swap(index - 1), { disabled: index === 0, "data-tool": "up" }),
        iconButton("↓", `Move ${label} down`, () => swap(index + 1), { disabled: index === owner.properties.length - 1, "data-tool": "down" }),
        iconButton("×", `Remove ${label}`, () => {
          owner.properties.splice(index, 1);
          if (owner.keyID === property.id) owner.keyID = null;
          this.#drawClass();
          changed();
        })),
      fault);
    row.blame = (sentence) => {
      fault.hidden = sentence === null;
      fault.textContent = sentence ?? "";
      row.classList.toggle("faulty", sentence !== null);
    };
    this.#fields.set(`${owner.id}.${property.id}`, row);
    return row;
  }

  /** The links that lead to a class, as `Dog.owner`. */
  #origins(owner, present = "") {
    const found = this.draft.classes.flatMap((one) =>
      one.properties.filter((each) => each.base === owner.name).map((each) => `${one.name}.${each.name}`));
    if (present !== "" && !found.includes(present)) found.push(present);
    return found;
  }

  // MARK: Editing

  #addClass() {
    const made = new ClassDraft({ name: "", primaryKey: "id", properties: [{ name: "id", type: "int" }] });
    this.draft.classes.push(made);
    this.#chosen = made.id;
    this.#drawNames();
    this.#drawClass();
    this.#changed();
    this.form.querySelector("input")?.focus();
  }

  #removeClass(one) {
    this.draft.classes = this.draft.classes.filter((each) => each !== one);
    this.#chosen = this.draft.classes[0]?.id ?? null;
    this.#drawNames();
    this.#drawClass();
    this.#changed();
  }

  #showJSON() {
    const area = make("textarea", { rows: "20", spellcheck: "false", "aria-label": "The schema as JSON" });
    area.value = JSON.stringify(this.draft.document, (_, value) => (typeof value === "bigint" ? Number(value) : value), 2);
    showDialog({
      title: "The schema as JSON", verb: "Use this schema", wide: true, body: area, starts: true,
      submit: () => {
        const source = parse(area.value);
        const next = new SchemaDraft({ schemaVersion: this.draft.versionBefore, classes: [] });
        const known = new Map(this.draft.before.classes.map((one) => [one.name, one]));
        next.before = this.draft.before;
        next.version = source.schemaVersion ?? this.draft.version;
        next.classes = (source.classes ?? []).map((one) => {
          const old = known.get(one.name);
          const made = new ClassDraft(one);
          made.before = old ?? null;
          for (const property of made.properties) {
            property.before = old?.properties.find((each) => each.name === property.name) ?? null;
          }
          return made;
        });
        this.draft = next;
        this.#draw();
      },
    });
  }

  // MARK: Plan and apply

  #changed() {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.plan.wait();
    this.#timer = setTimeout(() => this.#ask(), pause);
  }

  async #ask() {
    const turn = ++this.#turn;
    try {
      const plan = await this.gateway.request("POST", paths.plan, { body: this.draft.document });
      if (turn !== this.#turn) return;
      this.faults = [];
      this.#showFaults();
      this.plan.show(plan, this.draft);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.faults = error.faults ?? [];
      const rest = this.#showFaults();
      this.plan.refuse(error, rest);
    }
  }

  /** Shows faults at their fields; gives those that have none in view. */
  #showFaults() {
    for (const one of this.#fields.values()) one.blame(null);
    return (this.faults ?? []).filter((fault) => {
      const place = this.#placeOf(fault);
      const shown = place === null ? undefined : this.#fields.get(place);
      shown?.blame(fault.hint ? `${fault.detail} Did you mean ‘${fault.hint}’?` : fault.detail);
      return shown === undefined;
    });
  }

  /** The field that a fault is about: by its path in the document, else by the name that its sentence quotes. */
  #placeOf({ path, detail }) {
    const found = /^\$\.classes\[(\d+)\](?:\.properties\[(\d+)\])?/.exec(path ?? "");
    if (found) {
      const one = this.draft.classes[Number(found[1])];
      const property = one?.properties[Number(found[2])];
      return one ? property ? `${one.id}.${property.id}` : `${one.id}` : null;
    }
    for (const [, name] of (detail ?? "").matchAll(/'([^']+)'/g)) {
      const [className, propertyName] = name.split(".");
      const one = this.draft.classes.find((each) => each.name === className);
      const property = one?.properties.find((each) => each.name === propertyName);
      if (one) return property ? `${one.id}.${property.id}` : `${one.id}`;
    }
    return null;
  }

  async #apply() {
    const { document } = this.draft;
    const losses = this.plan.losses;
    const apply = async () => {
      this.isApplying = true;
      try {
        const source = await this.gateway.request("PUT", paths.schema, { body: document });
        this.database.adopt(source);
        toast("The schema was applied.");
        await this.#load();
      } finally {
        this.isApplying = false;
      }
    };
    if (losses.length > 0) {
      confirmRemoval("Apply and delete values?", `${losses.join(" ")} This cannot be undone.`, apply, "Apply");
      return;
    }
    try {
      await apply();
    } catch (error) {
      this.faults = error.faults ?? [];
      this.plan.refuse(error, this.#showFaults());
    }
  }
}
