// The result of a query in sections: a list of keys with their counts, each of which opens to its objects.

import { RealmgateError, paths } from "../core/api.js";
import { objectAddress } from "../core/route.js";
import { tally, text, words } from "../core/values.js";
import { make } from "../parts/element.js";
import { empty, faultPanel, loading, select, table } from "../parts/ui.js";
import { parametersOf } from "./query.js";

const mostSections = 500;
const perSection = 50;
/** Larger results are asked for again from time to time instead of followed: a stream begins with all its objects. */
const mostFollowed = 20_000;
const pollPause = 4000;

/** What sections can be made by: key paths, and those with a function of the gateway behind them. */
function choices(objectClass, schema) {
  return objectClass.properties.flatMap((property) => {
    const path = schema.sortPath(property);
    if (path === null || property.isJSON) return [];
    if (property.kind === "string") return [path, `${path}.first`];
    if (property.kind === "date") return [`${path}.year`, `${path}.month`, `${path}.day`, `${path}.hour`, `${path}.weekday`];
    return property.optional ? [path, `${path}.isNull`] : [path];
  });
}

export class SectionsView {
  #open = new Set();
  #stream = null;
  #timer = null;
  #turn = 0;
  #shown = "";

  constructor(gateway, root, { turn, fail }) {
    this.gateway = gateway;
    this.root = root;
    this.turn = turn;
    this.fail = fail;
  }

  close() {
    this.#stream?.stop();
    this.#stream = null;
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.#shown = "";
  }

  /** Called after changes of the table's rows. Does nothing: sections have a stream of their own. */
  changed() {}

  show(objectClass, schema, route) {
    const shown = JSON.stringify([objectClass.name, route]);
    if (shown === this.#shown) return;
    this.close();
    this.#shown = shown;
    Object.assign(this, { objectClass, schema, route });
    const keyPaths = choices(objectClass, schema);
    this.by = this.#keyOf(objectClass, schema, route);
    if (!keyPaths.includes(this.by) && this.by !== "") keyPaths.push(this.by);
    const choice = select(keyPaths, {
      value: this.by, onchange: (event) => this.turn({ by: event.target.value }), "aria-label": "Sections by",
    });
    this.sum = make("p.note", { role: "status" });
    this.list = make("div.sections", {}, loading());
    this.root.replaceChildren(make("div.view-head", {}, make("label", {}, "in sections by ", choice), this.sum), this.list);
    if (this.by === "") this.list.replaceChildren(empty(`${objectClass.name} has no property to make sections by.`));
    else this.#load().then(() => this.#follow());
  }

  get #parameters() {
    return { ...parametersOf(this.route), by: this.by };
  }

  /** The same as requests. */
  commands(objectClass, schema, route) {
    const parameters = { ...parametersOf(route), by: this.#keyOf(objectClass, schema, route) };
    return {
      query: [paths.sections(objectClass.name), { ...parameters, limit: 0 }],
      stream: route.snapshot === "" ? [paths.observeSections(objectClass.name), parameters] : null,
    };
  }

  /** What the route makes sections by; without a choice a property that tells something. */
  #keyOf(objectClass, schema, route) {
    const telling = objectClass.properties.find((one) => one.kind === "string" && !one.isKey)
      ?? objectClass.properties.find((one) => ["link", "bool"].includes(one.kind));
    return route.by !== "" ? route.by : (telling && schema.sortPath(telling)) ?? choices(objectClass, schema)[0] ?? "";
  }

  #follow() {
    if (this.#shown === "" || this.route.snapshot !== "") return;
    if (this.count > mostFollowed) {
      this.#timer = setTimeout(() => this.#load().then(() => this.#follow()), pollPause);
      return;
    }
    const { filter, sort, distinct } = this.#parameters;
    const fields = this.objectClass.primaryKey ?? undefined;
    const sections = this.gateway.objects(this.objectClass.name).with({ filter, sort, distinct, fields }).sections(this.by);
    this.#stream = sections.observe((shown) => this.#draw({
      count: shown.reduce((sum, one) => sum + one.count, 0), sections: shown,
    }), { onError: (error) => this.fail(this.gateway.noted(error)) });
  }

  async #load() {
    const turn = ++this.#turn;
    try {
      const answer = await this.gateway.request("GET", paths.sections(this.objectClass.name), {
        query: { ...this.#parameters, limit: 0 },
      });
      if (turn === this.#turn) this.#draw(answer);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.list.querySelector(".loading")?.remove();
      if (!(error instanceof RealmgateError)) throw error;
      if (error.status === 0) this.sum.textContent = error.message;
      else this.fail(error);
    }
  }

  #draw({ count, sections }) {
    this.count = count;
    const most = Math.max(1, ...sections.map((one) => Number(one.count)));
    const before = new Map([...this.list.querySelectorAll(":scope > .section")].map((one) => [one.dataset?.key, one]));
    const noun = sections.length === 1 ? "section" : "sections";
    this.sum.textContent = `${tally(sections.length)} ${noun}, ${tally(count)} objects`
      + (sections.length > mostSections ? `; the first ${tally(mostSections)} are shown` : "");
    this.list.replaceChildren(...sections.slice(0, mostSections).map((section) => {
      const key = JSON.stringify(text(section.key, { kind: "mixed", isJSON: false }));
      const kept = before.get(key);
      const made = kept ?? this.#make(section, key);
      const isOther = kept && kept.count !== section.count;
      made.count = section.count;
      made.querySelector(".count").textContent = tally(section.count);
      made.querySelector("meter").max = most;
      made.querySelector("meter").value = section.count;
      if (isOther || (before.size > 0 && !kept)) made.dataset.mark = kept ? "modified" : "inserted";
      if (made.open) this.#fill(made, section.key);
      return made;
    }));
    if (sections.length === 0) this.list.replaceChildren(empty("The result is empty."));
  }

  #make(section, key) {
    const name = section.key === null ? "null" : text(section.key, { kind: "mixed", isJSON: false });
    const made = make("details.section", {
      ontoggle: () => {
        if (made.open) this.#fill(made, section.key);
      },
      onanimationend: () => delete made.dataset.mark,
    },
    make("summary", {},
      make(`span.section-key${section.key === null ? ".null" : ""}`, {}, name),
      make("meter", { min: 0, "aria-hidden": "true" }),
      make("span.count", {})),
    make("div.section-body", {}));
    made.dataset.key = key;
    return made;
  }

  async #fill(made, key) {
    const { objectClass } = this;
    const body = made.querySelector(".section-body");
    let sections = [];
    try {
      ({ sections } = await this.gateway.request("GET", paths.sections(objectClass.name), {
        query: { ...this.#parameters, section: JSON.stringify(key), limit: perSection },
      }));
    } catch (error) {
      body.replaceChildren(faultPanel(error, () => this.#fill(made, key)));
      return;
    }
    const items = sections[0]?.items ?? [];
    const properties = objectClass.properties.filter((one) => one.kind !== "backlinks").slice(0, 8);
    const rows = items.map((item) => properties.map((property, index) => {
      const shown = words(item, property);
      if (index > 0) return shown;
      const href = objectAddress(objectClass.name, objectClass.keyOf(item), this.route.snapshot);
      return make("a.link", { href, "data-follow": true }, shown);
    }));
    const rest = made.count - items.length;
    body.replaceChildren(
      table(`Objects of section ${made.dataset.key}`,
        properties.map((one) => ({ words: one.kind === "date" ? `${one.name} (UTC)` : one.name, number: one.isNumeric })), rows),
      rest > 0 ? make("p.note", {}, `and ${tally(rest)} more`) : "");
  }
}
