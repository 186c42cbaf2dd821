// What streams maintain beside the results of queries: maps, objects, sections and aggregates.

import { ListModel, applyUpdate, check, initial } from "./list-model.js";
import { stringify } from "./values.js";

/** The items of an answer; what else it has are properties that no loop meets. */
export function page({ items, ...about }) {
  for (const [name, value] of Object.entries(about)) Object.defineProperty(items, name, { value });
  return items;
}

/** The values of a map, as an object; changes name keys. */
export class MapModel {
  value = null;

  apply(type, { version, items, deletions, insertions, modifications, objects }) {
    if (type === "initial") {
      this.value = items;
      return initial(version);
    }
    check(this.value !== null);
    const members = new Map(Object.entries(this.value));
    for (const key of deletions) check(members.delete(key));
    for (const one of [objects.insertions, objects.modifications]) {
      for (const [key, value] of Object.entries(one)) members.set(key, value);
    }
    this.value = Object.fromEntries([...members].sort(([one], [other]) => (one < other ? -1 : 1)));
    return { type, version, deletions, insertions, modifications };
  }
}

/** One object, null after its deletion. */
export class ObjectModel {
  value = null;

  apply(type, data) {
    const { version } = data;
    if (type === "initial") {
      this.value = data.object;
      return initial(version);
    }
    if (type === "deleted") {
      this.value = null;
      return { ...initial(version), type, deletions: [0] };
    }
    check(this.value !== null);
    const changes = new Map(data.changes.map((change) => [change.name, change]));
    const isWritten = (name) => Object.hasOwn(this.value, name);
    // Of linking objects the event says only that they changed.
    for (const [name, change] of changes) check(!isWritten(name) || "new" in change);
    this.value = Object.fromEntries(Object.entries(this.value).map(([name, value]) => [name, changes.get(name)?.new ?? (changes.has(name) ? null : value)]));
    return { type: "update", version, deletions: [], insertions: [], modifications: [0], properties: [...changes.keys()] };
  }
}

/** One object, as a query of its key has it. It takes no result that begins without the object. */
export class FoundModel {
  value = null;
  #list = new ListModel();

  apply(type, data, isPart) {
    const change = this.#list.apply(type, data, isPart);
    if (change === null) return null;
    const before = this.value;
    [this.value = null] = this.#list.value;
    const { version } = change;
    if (this.value === null) return before === null ? undefined : { ...initial(version), type: "deleted", deletions: [0] };
    if (change.type === "initial") return change;
    const isOther = (name) => stringify(before?.[name]) !== stringify(this.value[name]);
    return { ...initial(version), type: "update", modifications: [0], properties: Object.keys(this.value).filter(isOther) };
  }
}

/** The query that finds one object, as a state with the name of its class; null where the schema does not tell. */
export function found({ classes }, { path, state }) {
  try {
    const [, className, key] = path.split("/").map((part) => decodeURIComponent(part.replace(/^%FF/, "")));
    const { primaryKey, properties } = classes.find((one) => one.name === className);
    const { type } = properties.find((one) => one.name === primaryKey);
    const { fields, expand, keyPaths } = state;
    // A query does not write linking objects, and so does not watch them by itself.
    const isWatched = fields === undefined && expand === undefined && keyPaths === undefined
      && properties.some((one) => one.type.startsWith("linkingObjects"));
    const names = isWatched ? properties.map((one) => one.name) : [];
    if (![primaryKey, ...names].every((one) => /^[A-Za-z]\w*$/.test(one))) return null;
    const args = [type.startsWith("int") ? BigInt(key) : key];
    return { className, state: { ...state, filter: `${primaryKey} == $0`, args, keyPaths: isWatched ? names.join(",") : keyPaths } };
  } catch {
    // A key of another type is refused by the gateway, in its words.
    return null;
  }
}

/** Sections, each `{key, count, items}`. Positions are pairs of section and row. */
export class SectionsModel {
  value = null;

  apply(type, data) {
    const { version } = data;
    if (type === "initial") {
      this.value = data.sections;
      return initial(version);
    }
    check(this.value !== null);
    const { deletions, insertions, modifications, sectionsToDelete, sectionsToInsert, insertedKeys, objects } = data;
    check(objects.insertions.length === insertions.length && objects.modifications.length === modifications.length);
    const parts = (pairs, values) => {
      const bySection = new Map();
      pairs.forEach(([section, row], index) => {
        if (!bySection.has(section)) bySection.set(section, { rows: [], objects: [] });
        bySection.get(section).rows.push(row);
        bySection.get(section).objects.push(values?.[index]);
      });
      return bySection;
    };
    const none = { rows: [], objects: [] };
    const change = (sections, inserted, deleted, modified) => {
      for (const at of [...inserted.keys(), ...deleted.keys(), ...modified.keys()]) check(at < sections.length);
      return sections.map((section, at) => {
        const [more, less, other] = [inserted, deleted, modified].map((part) => part.get(at) ?? none);
        if (more === none && less === none && other === none) return section;
        const items = applyUpdate(section.items, {
          deletions: less.rows, insertions: more.rows, modifications: other.rows,
          objects: { insertions: more.objects, modifications: other.objects },
        });
        return { ...section, count: items.length, items };
      });
    };
    const empty = new Map();
    const kept = change(this.value, empty, parts(deletions), parts(modifications, objects.modifications));
    const isGone = new Set(sectionsToDelete);
    for (const at of isGone) check(at < kept.length);
    const sections = kept.filter((_, at) => !isGone.has(at));
    sectionsToInsert.forEach((at, index) => {
      check(at <= sections.length);
      sections.splice(at, 0, { key: insertedKeys[index], count: 0, items: [] });
    });
    this.value = change(sections, parts(insertions, objects.insertions), empty, empty);
    return { type, version, deletions, insertions, modifications, sectionsToDelete, sectionsToInsert };
  }
}

/** The groups of an aggregate as an array, with the others if there are some; without groups the count and the results, or intervals. */
export function answer({ version, groups, ...rest }) {
  return groups === undefined ? rest : Object.assign(groups, rest);
}

/** Counts and results, or groups of them. */
export class AggregatesModel {
  value = null;

  apply(type, data) {
    const { version, deletions = [], insertions = [], modifications = [0], groups, others } = data;
    if (type === "initial" || !Array.isArray(this.value)) {
      check(type === "initial" || this.value !== null);
      this.value = answer(data);
      return type === "initial" ? initial(version) : { type, version, deletions, insertions, modifications };
    }
    const after = applyUpdate(this.value, { deletions, insertions, modifications, objects: groups });
    this.value = others === undefined ? after : Object.assign(after, { others });
    return { type, version, deletions, insertions, modifications };
  }
}

/** Values of a query, one value, or a position. */
export class AnswerModel {
  value = null;

  apply(type, { version, index, value = index, values = value }) {
    this.value = values;
    return { ...initial(version), type, modifications: type === "initial" ? [] : [0] };
  }
}

/** The model that the first event asks for. */
export class Model {
  #model = new ObjectModel();

  get value() { return this.#model.value; }

  apply(type, data, isPart) {
    if (type === "initial") {
      this.#model = data.sections ? new SectionsModel() : data.items ? (Array.isArray(data.items) ? new ListModel() : new MapModel())
        : "object" in data ? new ObjectModel() : (data.groups ?? data.bins ?? data.count) !== undefined ? new AggregatesModel() : new AnswerModel();
    }
    // The elements have gone in an update before.
    if (type === "deleted" && this.value !== null && !(this.#model instanceof ObjectModel)) return { ...initial(data.version), type };
    return this.#model.apply(type, data, isPart);
  }
}
