// What a query selects, on a map. It shows the positions of at most 5,000 objects and says when there are more.
//
// Cost: one page of the query with the fields of the position alone, again after changes, and at most a tenth of the
// gateway's time for this reader. Nothing is loaded from elsewhere: the outline of the world comes with the console.

import { RealmgateError, load, paths } from "../core/api.js";
import { own } from "../core/json.js";
import { objectAddress } from "../core/route.js";
import { tally, text } from "../core/values.js";
import { narrowed } from "../charts/distribution.js";
import { make } from "../parts/element.js";
import { button, empty, table } from "../parts/ui.js";
import { placesOf } from "./places.js";
import { parametersOf } from "./query.js";

const most = 5000;
const listed = 25;
const pause = 700;

export class MapView {
  #turn = 0;
  #timer = null;
  #shown = "";
  #lastRound = 0;
  #map = null;
  #listing = 0;

  constructor(gateway, root, { turn, fail, open }) {
    Object.assign(this, { gateway, root, turn, fail, openPlace: open });
  }

  close() {
    clearTimeout(this.#timer);
    clearTimeout(this.#listing);
    this.#timer = null;
    this.#turn += 1;
    this.#shown = "";
    this.#map = null;
  }

  /** Asks again, soon, because rows have changed. */
  changed() {
    if (this.#shown === "") return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#load(false);
    }, Math.max(pause, 10 * this.#lastRound));
  }

  /** The page that the map reads, as commands. */
  commands(objectClass, schema, route) {
    const places = placesOf(objectClass, schema);
    return { query: [paths.collection(objectClass.name), this.#query(objectClass, places, route)], stream: null };
  }

  #query(objectClass, places, route) {
    const label = objectClass.properties.find((one) => one.kind === "string" && !one.isKey);
    const fields = [objectClass.primaryKey, ...(places?.fields ?? []), label?.name].filter(Boolean);
    return { ...parametersOf(route), fields: [...new Set(fields)].join(","), limit: most, count: true };
  }

  async show(objectClass, schema, route) {
    const { filter, sort, distinct, snapshot } = parametersOf(route);
    const shown = JSON.stringify([objectClass.name, filter, sort, distinct, snapshot]);
    if (shown === this.#shown) return;
    const isSameClass = this.#map !== null && this.objectClass === objectClass;
    const map = this.#map;
    this.close();
    this.#shown = shown;
    Object.assign(this, { objectClass, schema, route, places: placesOf(objectClass, schema) });
    if (this.places === null) {
      this.root.replaceChildren(empty(`${objectClass.name} has no places: give it the numbers latitude and longitude, or an embedded GeoJSON point.`));
      return;
    }
    this.labelProperty = objectClass.properties.find((one) => one.kind === "string" && !one.isKey) ?? null;
    if (isSameClass) {
      this.#map = map;
    } else {
      const turn = this.#turn;
      const { WorldMap } = await load(() => import("../charts/world-map.js"));
      if (turn !== this.#turn) return;
      this.#map = new WorldMap(`Map of ${objectClass.name}`, {
        open: (point) => this.openPlace(objectAddress(objectClass.name, point.key, this.route.snapshot)),
        moved: () => this.#listSoon(),
      });
      this.sentence = make("p.note", { role: "status" });
      this.narrow = button("Only what is in view", () => this.turn({ filter: narrowed(this.route.filter, this.places.within(this.#map.bounds)) }));
      this.list = make("div.map-list", {});
      this.root.replaceChildren(make("div.view-head", {}, this.sentence, this.narrow), this.#map.root, this.list);
    }
    await this.#load(true);
  }

  async #load(fits) {
    const turn = ++this.#turn;
    const begun = performance.now();
    const { objectClass, places, labelProperty } = this;
    try {
      const answer = await this.gateway.request("GET", paths.collection(objectClass.name), {
        query: this.#query(objectClass, places, this.route),
      });
      if (turn !== this.#turn) return;
      this.#lastRound = performance.now() - begun;
      const points = answer.items.flatMap((object) => {
        const found = places.of(object);
        if (found === null) return [];
        const key = objectClass.keyOf(object);
        return [{ ...found, key, name: labelProperty === null ? "" : text(own(object, labelProperty.name), labelProperty), get label() {
          return this.name === "" ? key : `${key} · ${this.name}`;
        } }];
      });
      this.#say(points.length, answer.items.length, Number(answer.count), answer.version);
      this.#map.show(points, fits);
    } catch (error) {
      if (turn !== this.#turn) return;
      if (!(error instanceof RealmgateError)) throw error;
      if (error.status === 0) this.sentence.textContent = error.message;
      else this.fail(error);
    }
  }

  #say(shown, read, all, version) {
    const parts = [`${tally(shown)} ${shown === 1 ? "place" : "places"}`];
    if (read > shown) parts.push(`${tally(read - shown)} without one`);
    if (all > read) parts.push(`the first ${tally(read)} of ${tally(all)} objects`);
    this.sentence.textContent = `${parts.join(", ")}; version ${version}.`;
    this.narrow.disabled = shown === 0;
  }

  #listSoon() {
    clearTimeout(this.#listing);
    this.#listing = setTimeout(() => this.#list(), 150);
  }

  /** The objects in view as a table: what the map says, for those who do not see it. */
  #list() {
    if (this.#map === null) return;
    const found = this.#map.inView;
    const { name } = this.objectClass;
    if (found.length === 0) {
      this.list.replaceChildren(empty("Nothing in view."));
      return;
    }
    const more = found.length > listed ? `, ${listed} of which are listed, the nearest to its middle first` : "";
    const focused = this.list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    this.list.replaceChildren(
      make("p.note", {}, `${tally(found.length)} in view${more}.`),
      table(`Objects of ${name} in view`, [name, ...(this.labelProperty === null ? [] : [this.labelProperty.name]),
        { words: "latitude", number: true }, { words: "longitude", number: true }],
      found.slice(0, listed).map((one) => [
        make("a.quiet-link", { href: objectAddress(name, one.key, this.route.snapshot), "data-follow": "" }, one.key),
        ...(this.labelProperty === null ? [] : [one.name]), one.latitude.toFixed(4), one.longitude.toFixed(4),
      ])));
    if (focused !== null) [...this.list.querySelectorAll("a")].find((one) => one.getAttribute("href") === focused)?.focus();
  }
}
