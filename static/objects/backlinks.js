// The objects that link to an object through one property.

import { RealmgateError, paths } from "../core/api.js";
import { objectAddress } from "../core/route.js";
import { tally, words } from "../core/values.js";
import { linkAddress } from "./links.js";
import { make } from "../parts/element.js";
import { empty, faultPanel, loading, panel, table } from "../parts/ui.js";

const shown = 20;
const pause = 300;

export class Backlinks {
  #timer = null;

  constructor(context, property) {
    this.context = context;
    this.property = property;
    this.body = make("div", {}, loading());
    this.root = panel(property.name, { note: `Objects of ${property.target} whose ${property.origin} links to this object.` }, this.body);
    this.#load();
  }

  refresh() {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (this.root.isConnected) this.#load();
    }, pause);
  }

  async #load() {
    const { gateway, objectClass, schema, key, snapshot, object } = this.context;
    const origin = schema.class(this.property.target);
    try {
      const { items, count } = await gateway.request("GET", paths.property(objectClass.name, key, this.property.name), {
        query: { limit: shown, count: true, snapshot },
      });
      if (items.length === 0) {
        this.body.replaceChildren(empty(`No ${this.property.target} links to this object.`));
        return;
      }
      const properties = origin.properties.filter((one) => one.kind !== "backlinks").slice(0, 6);
      const rows = items.map((item) => properties.map((property, index) => {
        const plain = words(item, property);
        if (index > 0) return plain;
        return make("a.link", { href: objectAddress(origin.name, origin.keyOf(item), snapshot), "data-follow": true }, plain);
      }));
      const address = linkAddress(schema, objectClass, object, this.property, null, snapshot);
      this.body.replaceChildren(
        table(`${this.property.target} objects that link to this object`,
          properties.map((one) => ({ words: one.kind === "date" ? `${one.name} (UTC)` : one.name, number: one.isNumeric })), rows),
        address !== null && make("p.note", {},
          make("a.quiet-link", { href: address.href, "data-follow": true },
            count > shown ? `Show all ${tally(count)} in the table` : "Show in the table")) || "");
    } catch (error) {
      if (!(error instanceof RealmgateError)) throw error;
      this.body.replaceChildren(faultPanel(error, () => this.#load()));
    }
  }
}
