// One object: its values, the objects that it links to and that link to it, and its lists, sets and maps, kept live.

import { paths } from "../core/api.js";
import { own, same } from "../core/json.js";
import { literal } from "../core/values.js";
import { routeAddress } from "../core/route.js";
import { make } from "../parts/element.js";
import { showTrail } from "../parts/trail.js";
import { button, empty, faultPanel, loading, longName } from "../parts/ui.js";
import { Backlinks } from "./backlinks.js";
import { CollectionPanel } from "./collection-panel.js";
import { deleteObjects } from "./deletion.js";
import { Fields } from "./fields.js";
import { History } from "./history.js";

export const title = "Object";

export function open(root, route, app) {
  let page = new ObjectPage(root, route, app);
  return {
    get title() {
      return page.name;
    },
    arrive: (next) => {
      page.close();
      page = new ObjectPage(root, next, app);
    },
    close: () => page.close(),
  };
}

/** The object within another page: `beside` has elements that follow its name, and `gone()` for what a deletion leads to. */
export function openBeside(root, route, app, beside) {
  return new ObjectPage(root, route, app, beside);
}

class ObjectPage {
  #stream = null;
  #object = null;

  constructor(root, { className, key, snapshot }, app, beside = null) {
    this.app = app;
    this.beside = beside;
    this.root = root;
    this.objectClass = app.database.schema.class(className);
    this.key = key;
    this.snapshot = snapshot;
    this.name = `${className} ${key}`;
    if (beside === null) {
      document.title = `${this.name} · Realmgate`;
      app.navigation.nameHere(() => this.name);
    }
    this.trail = make("ol.trail", { "aria-label": "Path to this page" });
    this.state = make("span", { role: "status" }, "Connecting");
    this.version = make("span.version", {});
    this.lamp = make("div.state", { "data-state": "connecting" },
      make("p", {}, make("span.lamp", { "aria-hidden": "true" }), this.state, this.version));
    this.body = make("div.object-body", {}, loading());
    const filter = this.objectClass?.keyProperty ? `${this.objectClass.keyProperty.path} == ${
      literal(this.#keyValue(), this.objectClass.keyProperty)}` : "";
    root.replaceChildren(
      this.trail,
      make("header.title", {},
        make("div", {}, make(`${beside === null ? "h1" : "h2"}${this.name.length > longName ? ".long" : ""}`, { tabindex: "-1" }, this.name),
          make("p.tally", {}, this.objectClass !== null && make("a.quiet-link", { href: routeAddress({ className, snapshot }) }, `All of ${className}`),
            filter !== "" && [" · ",
              make("a.quiet-link", { href: routeAddress({ className, filter, snapshot }) }, "Show in the table")])),
        beside?.buttons, this.lamp));
    root.append(this.body);
    if (beside === null) showTrail(app.navigation, this.trail, this.name);
    else this.trail.hidden = true;
    if (this.objectClass !== null) {
      this.#begin();
      return;
    }
    const [first] = app.database.schema.classes;
    this.#setState("waiting", "No such class");
    this.body.replaceChildren(empty(`The schema has no class ‘${className}’. It may have been renamed or deleted.`,
      first !== undefined && make("p.ways", {}, make("a.action", { href: routeAddress({ className: first.name }) }, `Show ${first.name}`))));
  }

  close() {
    this.#stream?.stop();
    this.#stream = null;
    this.isClosed = true;
  }

  #keyValue() {
    const kind = this.objectClass.keyProperty.kind;
    return kind === "int" ? BigInt(/^-?\d+$/.test(this.key) ? this.key : 0) : this.key;
  }

  async #begin() {
    try {
      const object = await this.app.gateway.request("GET", paths.object(this.objectClass.name, this.key), {
        query: { snapshot: this.snapshot },
      });
      if (this.isClosed) return;
      this.#draw(object);
      if (this.snapshot !== "") this.#setState("frozen", "Snapshot");
      else this.#follow();
    } catch (error) {
      if (this.isClosed) return;
      this.#setState("waiting", error.status === 404 ? "Not found" : "Not available");
      // The address may name what is made later, or was deleted: there are links to go on by.
      this.body.replaceChildren(error.status === 404
        ? empty(`There is no ${this.name}. It may have been deleted, or not exist yet.`,
          make("p.ways", {}, make("a.action", { href: routeAddress({ className: this.objectClass.name, snapshot: this.snapshot }) }, `All of ${this.objectClass.name}`),
            button("Look again", () => this.#begin())))
        : faultPanel(error, () => this.#begin()));
      if (error.status === 404 && this.snapshot === "") this.body.append(new History(this.#context(), { isGone: true }).root);
    }
  }

  #follow() {
    const { gateway } = this.app;
    this.#stream = gateway.object(this.objectClass.name, this.key).observe((object, change) => {
      if (change.type === "deleted") this.#deleted();
      else this.#adopt(object, change.version);
    }, {
      onState: (state) => {
        if (state !== "ended") this.#setState(state);
      },
      onError: (error) => this.#setState("waiting", gateway.noted(error).message),
    });
  }

  #deleted() {
    this.close();
    this.#setState("waiting", "Deleted");
    this.body.prepend(make("p.banner", { role: "alert" }, `${this.name} has been deleted. The page shows its last values.`));
    this.body.classList.add("stale");
    this.app.announcer.say(`${this.name} has been deleted.`);
  }

  #setState(state, sentence = { connecting: "Connecting", live: "Live", waiting: "Reconnecting…" }[state]) {
    this.lamp.dataset.state = state;
    if (this.state.textContent !== sentence) this.state.textContent = sentence;
  }

  /** Shows the new state of the object, and marks the properties that differ. */
  #adopt(object, version) {
    this.version.textContent = `version ${version}`;
    const before = this.#object;
    this.#object = object;
    for (const property of this.objectClass.properties) {
      const value = own(object, property.name);
      if (value === undefined || same(own(before, property.name), value)) continue;
      this.fields.update(property, object);
      this.collections.get(property.name)?.update(value);
    }
    for (const one of this.backlinks) one.refresh();
    this.history?.refresh();
  }

  #draw(object) {
    this.#object = object;
    const { objectClass } = this;
    const { database } = this.app;
    const isFrozen = this.snapshot !== "";
    const context = this.#context();
    this.fields = new Fields(context);
    this.collections = new Map();
    for (const property of objectClass.properties.filter((one) => one.kind === "collection")) {
      this.collections.set(property.name, new CollectionPanel(context, property, own(object, property.name)));
    }
    this.backlinks = objectClass.properties.filter((one) => one.kind === "backlinks")
      .map((property) => new Backlinks(context, property));
    const foot = isFrozen || objectClass.isEmbedded || !database.rights.may("delete", objectClass.name) ? [] : [
      make("div.page-foot", {}, button("Delete this object", () => this.#remove(), { kind: "danger-line" })),
    ];
    // It is about the present.
    this.history = isFrozen ? null : new History(context);
    const parts = [...this.collections.values(), ...this.backlinks, this.history].filter((one) => one !== null);
    this.body.replaceChildren(this.fields.root, ...parts.map((one) => one.root), ...foot);
  }

  /** What the parts of the page share. */
  #context() {
    const { objectClass, snapshot } = this;
    const { gateway, database } = this.app;
    const context = {
      gateway, objectClass, schema: database.schema, snapshot,
      writes: (property) => snapshot === "" && database.rights.mayWrite(objectClass.name, property.name),
      key: this.key,
      send: (method, path, options) => this.#send(method, path, options),
    };
    return Object.defineProperty(context, "object", { get: () => this.#object });
  }

  async #send(method, path, options) {
    const answer = await this.app.gateway.request(method, path, options);
    // Without the stream the page would not show the write.
    if (this.lamp.dataset.state !== "live") {
      const object = await this.app.gateway.request("GET", paths.object(this.objectClass.name, this.key));
      if (!this.isClosed) this.#adopt(object, "");
    }
    return answer;
  }

  #remove() {
    const { gateway, database, navigation } = this.app;
    const { objectClass } = this;
    deleteObjects({ gateway, schema: database.schema, objectClass }, [this.key], this.name, {
      done: () => (this.beside === null ? navigation.go(routeAddress({ className: objectClass.name }), { trail: [] }) : this.beside.gone()),
    });
  }
}
