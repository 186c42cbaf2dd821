// One object: its values, the objects that it links to and that link to it, and its lists, sets and maps, kept live.

import { Problem, Unreachable, paths } from "../core/api.js";
import { same } from "../core/json.js";
import { literal } from "../core/values.js";
import { placeAddress } from "../core/route.js";
import { Stream } from "../core/stream.js";
import { confirmRemoval } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { toast } from "../parts/toast.js";
import { showTrail } from "../parts/trail.js";
import { button, empty, faultPanel, loading } from "../parts/ui.js";
import { Backlinks } from "./backlinks.js";
import { CollectionPanel } from "./collection-panel.js";
import { Fields } from "./fields.js";

export const title = "Object";

export function open(root, place, app) {
  let page = new ObjectPage(root, place, app);
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

class ObjectPage {
  #stream = null;
  #object = null;

  constructor(root, { className, key, snapshot }, app) {
    this.app = app;
    this.root = root;
    this.objectClass = app.database.schema.class(className);
    this.key = key;
    this.snapshot = snapshot;
    this.name = `${className} ${key}`;
    document.title = `${this.name} · Realmgate`;
    app.navigation.nameHere(() => this.name);
    this.trail = make("ol.trail", { "aria-label": "Path to this page" });
    this.state = make("span", { role: "status" }, "Connecting");
    this.version = make("span.version", {});
    this.lamp = make("div.state", { "data-state": "connecting" },
      make("p", {}, make("span.lamp", { "aria-hidden": "true" }), this.state, this.version));
    this.body = make("div.object-body", {}, loading());
    const filter = this.objectClass?.keyProperty ? `${this.objectClass.keyProperty.name} == ${
      literal(this.#keyValue(), this.objectClass.keyProperty)}` : "";
    root.replaceChildren(
      this.trail,
      make("header.title", {},
        make("div", {}, make("h1", { tabindex: "-1" }, this.name),
          make("p.tally", {}, make("a.quiet-link", { href: placeAddress({ className, snapshot }) }, `All of ${className}`),
            filter !== "" && [" · ",
              make("a.quiet-link", { href: placeAddress({ className, filter, snapshot }) }, "Show in the table")])),
        this.lamp));
    root.append(this.body);
    showTrail(app.navigation, this.trail, this.name);
    if (this.objectClass === null) this.body.replaceChildren(empty(`The schema has no class ‘${className}’. Choose one of the list.`));
    else this.#begin();
  }

  close() {
    this.#stream?.close();
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
      this.#setState("waiting", error instanceof Unreachable ? error.message : "Not found");
      this.body.replaceChildren(faultPanel(error, () => this.#begin()));
    }
  }

  #follow() {
    this.#stream = new Stream(this.app.gateway, paths.observeObject(this.objectClass.name, this.key), {
      initial: ({ object, version }) => this.#adopt(object, version),
      change: ({ changes, version }) => {
        const next = { ...this.#object };
        for (const change of changes) if ("new" in change) next[change.name] = change.new;
        this.#adopt(next, version);
      },
      deleted: () => {
        this.close();
        this.#setState("waiting", "Deleted");
        this.body.prepend(make("p.banner", { role: "alert" }, `${this.name} has been deleted. The page shows its last values.`));
        this.body.classList.add("stale");
        this.app.announcer.say(`${this.name} has been deleted.`);
      },
      state: (state) => this.#setState(state),
      refused: (problem) => this.#setState("waiting", problem.detail ?? problem.message),
    });
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
      if (!(property.name in object) || same(before[property.name], object[property.name])) continue;
      this.fields.update(property, object);
      this.collections.get(property.name)?.update(object[property.name]);
    }
    for (const one of this.backlinks) one.refresh();
  }

  #draw(object) {
    this.#object = object;
    const { objectClass, snapshot } = this;
    const { gateway, database } = this.app;
    const isFrozen = snapshot !== "";
    const context = {
      gateway, objectClass, schema: database.schema, snapshot, isFrozen,
      key: this.key,
      send: (method, path, options) => this.#send(method, path, options),
    };
    Object.defineProperty(context, "object", { get: () => this.#object });
    this.fields = new Fields(context);
    this.collections = new Map();
    for (const property of objectClass.properties.filter((one) => one.kind === "collection")) {
      this.collections.set(property.name, new CollectionPanel(context, property, object[property.name]));
    }
    this.backlinks = objectClass.properties.filter((one) => one.kind === "backlinks")
      .map((property) => new Backlinks(context, property));
    const foot = isFrozen || objectClass.isEmbedded ? [] : [
      make("div.page-foot", {}, button("Delete this object", () => this.#remove(), { kind: "danger-line" })),
    ];
    this.body.replaceChildren(
      this.fields.root, ...[...this.collections.values(), ...this.backlinks].map((one) => one.root), ...foot);
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
    confirmRemoval(`Delete ${this.name}?`, "Links to it become null. This cannot be undone.",
      async () => {
        try {
          await this.app.gateway.request("DELETE", paths.object(this.objectClass.name, this.key));
        } catch (error) {
          if (!(error instanceof Problem) || error.status !== 404) throw error;
        }
        toast(`${this.name} was deleted.`);
        this.app.navigation.go(placeAddress({ className: this.objectClass.name }), { trail: [] });
      });
  }
}
