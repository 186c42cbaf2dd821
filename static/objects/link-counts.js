// How many objects link to those in view, for the columns of linking objects.

import { RealmgateError, paths } from "../core/api.js";
import { own } from "../core/json.js";
import { literal, text } from "../core/values.js";

const pause = 120;
/** More objects than a window has rows, so that a predicate stays short. */
const mostKeys = 150;

export class LinkCounts {
  /** By property: counts by key, and the keys whose counts are out of date. */
  #counts = new Map();
  #stale = new Map();
  #wanted = [];
  #timer = null;
  #turn = 0;

  /** `changed()` is called when counts have come. */
  constructor(gateway, changed) {
    this.gateway = gateway;
    this.changed = changed;
  }

  /** Starts over for a class, at a version of it. */
  begin(objectClass, schema, snapshot) {
    this.close();
    Object.assign(this, { objectClass, schema, snapshot });
  }

  close() {
    this.objectClass = null;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#turn += 1;
    this.#counts.clear();
    this.#stale.clear();
    this.#wanted = [];
  }

  get(property, object) {
    return this.objectClass === null ? undefined : this.#counts.get(property.name)?.get(this.objectClass.keyOf(object));
  }

  /** Sees to it that these objects are counted soon. */
  want(properties, objects) {
    if (!this.objectClass?.keyProperty) return;
    this.#wanted = properties.filter((one) => one.kind === "backlinks").map((property) => ({ property, objects }));
    if (this.#wanted.length > 0 && this.#missing().length > 0) this.#timer ??= setTimeout(() => this.#ask(), pause);
  }

  /** The counts may be others by now. */
  refresh() {
    for (const [name, counts] of this.#counts) this.#stale.set(name, new Set(counts.keys()));
    if (this.#wanted.length > 0 && this.objectClass !== null) this.#timer ??= setTimeout(() => this.#ask(), 4 * pause);
  }

  #missing() {
    return this.#wanted.flatMap(({ property, objects }) => {
      const known = this.#counts.get(property.name);
      const stale = this.#stale.get(property.name);
      const due = objects.filter((one) => {
        const key = this.objectClass.keyOf(one);
        return !known?.has(key) || stale?.has(key);
      });
      return due.length > 0 ? [{ property, objects: due.slice(0, mostKeys) }] : [];
    });
  }

  async #ask() {
    this.#timer = null;
    const turn = this.#turn;
    try {
      for (const { property, objects } of this.#missing()) {
        const found = await this.#count(property, objects);
        if (turn !== this.#turn) return;
        const known = this.#counts.get(property.name) ?? new Map();
        this.#counts.set(property.name, known);
        for (const one of objects) {
          const key = this.objectClass.keyOf(one);
          known.set(key, found.get(key) ?? 0);
          this.#stale.get(property.name)?.delete(key);
        }
      }
    } catch (error) {
      // The page says elsewhere that the gateway cannot be reached, or what it does not permit.
      if (!(error instanceof RealmgateError)) throw error;
      return;
    }
    this.changed();
  }

  /** The counts of some objects by their keys; an object without any may be left out. */
  async #count(property, objects) {
    const { objectClass, schema, snapshot } = this;
    const key = objectClass.keyProperty;
    const keys = `{${objects.map((one) => literal(own(one, key.name), key)).join(", ")}}`;
    const origin = schema.class(property.target)?.property(property.origin);
    if (origin?.kind === "link") {
      const by = `${origin.path}.${key.path}`;
      const { groups } = await this.gateway.request("GET", paths.aggregates(property.target), {
        query: { filter: `${by} IN ${keys}`, by, snapshot },
      });
      return new Map(groups.map((group) => [text(own(group.key, by), key), Number(group.count)]));
    }
    const { items } = await this.gateway.request("GET", paths.collection(objectClass.name), {
      query: { filter: `${key.path} IN ${keys}`, fields: `${key.name},${property.name}`, limit: objects.length, snapshot },
    });
    return new Map(items.map((one) => [objectClass.keyOf(one), own(one, property.name)?.length ?? 0]));
  }
}
