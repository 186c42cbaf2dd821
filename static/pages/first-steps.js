// What an empty database offers: the demo, a first class, a class from a file, and a Realm file.

import { paths } from "../core/api.js";
import { routeAddress } from "../core/route.js";
import { tally } from "../core/values.js";
import { make } from "../parts/element.js";
import { toast } from "../parts/toast.js";
import { button, check, field, heading, panel, select, sentenceOf } from "../parts/ui.js";
import { NewClassPanel } from "./new-class.js";
import { RealmFilePanel } from "./realm-file.js";

const types = [
  "string", "int", "double", "bool", "date", "uuid", "objectId", "decimal128", "float", "data", "mixed",
];
const keyTypes = ["string", "int", "uuid", "objectId"];
const pollPause = 300;

export const title = "First steps";

export function open(root, _, app) {
  const demo = new DemoPanel(app);
  const first = new FirstClassPanel(app);
  const file = new NewClassPanel(app);
  const realm = new RealmFilePanel(app, () => {
    // The database is not empty any more: what the file had in it remains to be read.
    root.replaceChildren(heading("Imported", "The classes and objects of the Realm file are in this database."), realm.root);
  });
  root.replaceChildren(
    heading("No classes yet", "This database is empty. Begin in one of these ways, or PUT a schema to /v1/schema."),
    make("div.first-steps", {}, demo.root, first.root, file.root, realm.root));
  return {
    close: () => {
      demo.close();
      file.close();
      realm.close();
    },
    // The class that a panel makes is opened by it, when it is filled.
    schemaChanged: () => {
      if (!demo.isBusy && !file.isBusy && !realm.isBusy && !first.isBusy) app.navigation.go("#/", { trail: [] });
    },
  };
}

/** Loads the demo. It is hidden where the gateway has none, and for callers who may not load it. */
class DemoPanel {
  isBusy = false;
  #isClosed = false;

  constructor({ gateway, database, navigation }) {
    Object.assign(this, { gateway, database, navigation });
    this.body = make("div", { "aria-live": "polite" }, this.#offer());
    this.root = panel("The demo", { note: "3,376 airports and 6,099 flights, to try queries and live results." }, this.body);
    this.root.hidden = true;
    this.#look();
  }

  close() {
    this.#isClosed = true;
  }

  #offer() {
    return button("Load the demo", () => this.#load(), { kind: "primary" });
  }

  async #look() {
    try {
      const state = await this.gateway.request("GET", paths.demo);
      this.root.hidden = !state.available && state.state !== "loading";
      if (state.state === "loading") this.#follow();
    } catch {
      // Then there is nothing to offer.
    }
  }

  async #load() {
    this.isBusy = true;
    try {
      await this.gateway.request("POST", paths.demo);
      await this.#follow();
    } catch (error) {
      this.#refuse(sentenceOf(error));
    }
  }

  /** Shows how far it is, until it is done. */
  async #follow() {
    this.isBusy = true;
    const bar = make("progress", { max: 1, "aria-label": "Loaded" });
    bar.value = 0;
    const words = make("p.note", { role: "status" }, "Loading…");
    this.body.replaceChildren(make("div.progress", {}, bar), words);
    while (!this.#isClosed) {
      const { state, objects, bytes, total, detail } = await this.gateway.request("GET", paths.demo);
      if (state === "loading" || state === "loaded") {
        bar.value = bytes / Math.max(1, total);
        words.textContent = `${tally(objects)} objects`;
      }
      if (state === "failed") return this.#refuse(detail);
      if (state === "loaded") return this.#show(objects);
      await new Promise((done) => { setTimeout(done, pollPause); });
    }
  }

  async #show(objects) {
    await this.database.read();
    this.isBusy = false;
    if (this.#isClosed) return;
    toast(`The demo was loaded: ${tally(objects)} objects.`);
    this.navigation.go(routeAddress({ className: "Flight" }), { trail: [] });
    this.database.poll();
  }

  #refuse(sentence) {
    this.isBusy = false;
    this.body.replaceChildren(make("p.fault", { role: "alert" }, sentence), this.#offer());
  }
}

/** Makes a class of one property. */
class FirstClassPanel {
  isBusy = false;

  constructor({ gateway, database, navigation }) {
    Object.assign(this, { gateway, database, navigation });
    this.name = make("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "Dog" });
    this.property = make("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "name" });
    this.type = select(types, { onchange: () => this.#showKey() });
    this.key = check("is the primary key: no two objects have the same value");
    this.nameField = field("Class", this.name);
    this.propertyField = field("First property", this.property);
    this.fault = make("p.fault", { role: "alert", hidden: true });
    this.root = panel("A first class", { note: "The schema editor adds more properties and classes." },
      make("form", { onsubmit: (event) => this.#create(event) },
        make("div.form-grid", {}, this.nameField, this.propertyField, field("Type", this.type)), this.key,
        this.fault, make("div.buttons", {}, button("Create the class", () => {}, { type: "submit", kind: "primary" }))));
  }

  get #box() {
    return this.key.querySelector("input");
  }

  #showKey() {
    this.#box.disabled = !keyTypes.includes(this.type.value);
    if (this.#box.disabled) this.#box.checked = false;
  }

  async #create(event) {
    event.preventDefault();
    this.fault.hidden = true;
    const [name, property] = [this.name.value.trim(), this.property.value.trim()];
    this.nameField.blame(name === "" ? "Give the class a name." : null);
    this.propertyField.blame(property === "" ? "Give the property a name." : null);
    if (name === "" || property === "") {
      (name === "" ? this.name : this.property).focus();
      return;
    }
    this.isBusy = true;
    try {
      const present = await this.gateway.request("GET", paths.schema);
      const source = await this.gateway.request("PUT", paths.schema, {
        body: {
          schemaVersion: present.schemaVersion > 0 ? present.schemaVersion : 1,
          classes: [...present.classes, {
            name, primaryKey: this.#box.checked ? property : null,
            properties: [{ name: property, type: this.type.value }],
          }],
        },
      });
      this.database.adopt(source);
      this.navigation.go(routeAddress({ className: name }), { trail: [] });
    } catch (error) {
      this.fault.textContent = sentenceOf(error);
      this.fault.hidden = false;
    } finally {
      this.isBusy = false;
    }
  }
}
