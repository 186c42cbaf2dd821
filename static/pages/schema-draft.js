// A schema under edit. It remembers what everything was called and how it was typed before, so that it can
// derive the migration steps. No page in here.

import { parse } from "../core/json.js";
import { freshID } from "../parts/element.js";

/** The collections that a property can hold instead of one value. */
export const shapes = [["", "one"], ["[]", "list"], ["<>", "set"], ["{}", "map"]];

export class PropertyDraft {
  constructor(source = { name: "", type: "string" }, isOld = false) {
    this.id = freshID("property");
    this.before = isOld ? source : null;
    this.name = source.name;
    this.indexed = source.indexed === true;
    this.fullText = source.fullText === true;
    this.default = source.default === undefined || source.default === null ? "" : written(source.default);
    /** The step that a change of the type needs may say what values become that cannot be converted. */
    this.fallback = "";
    const backlinks = /^linkingObjects\((.*)\)$/.exec(source.type);
    const plain = /^(.*?)(\?)?(\[\]|<>|\{\})?$/.exec(source.type);
    this.base = backlinks ? "linkingObjects" : plain[1];
    this.origin = backlinks?.[1] ?? "";
    this.optional = !backlinks && plain[2] === "?";
    this.shape = backlinks ? "" : plain[3] ?? "";
  }

  get type() {
    if (this.base === "linkingObjects") return `linkingObjects(${this.origin})`;
    return this.base + (this.optional ? "?" : "") + this.shape;
  }

  get document() {
    const made = { name: this.name, type: this.type };
    if (this.indexed) made.indexed = true;
    if (this.fullText) made.fullText = true;
    if (this.default !== "") made.default = read(this.default, this.base);
    return made;
  }
}

export class ClassDraft {
  constructor(source = { name: "", properties: [] }, isOld = false) {
    this.id = freshID("class");
    this.before = isOld ? source : null;
    this.name = source.name;
    this.embedded = source.embedded === true;
    this.properties = source.properties.map((one) => new PropertyDraft(one, isOld));
    this.keyID = this.properties.find((one) => one.name === source.primaryKey)?.id ?? null;
  }

  get document() {
    const key = this.properties.find((one) => one.id === this.keyID);
    return {
      name: this.name, primaryKey: key?.name ?? null, embedded: this.embedded,
      properties: this.properties.map((one) => one.document),
    };
  }
}

export class SchemaDraft {
  constructor(source) {
    this.versionBefore = source.schemaVersion;
    this.version = source.schemaVersion;
    this.before = source;
    this.classes = source.classes.map((one) => new ClassDraft(one, true));
  }

  /** What is sent; steps go along only where the version rises, because they run only then. */
  get document() {
    const made = { schemaVersion: this.version, classes: this.classes.map((one) => one.document) };
    if (this.version > this.versionBefore) made.migration = this.steps.map(({ step }) => step);
    return made;
  }

  /** The steps that what has changed needs: `[{step, property?}]`. */
  get steps() {
    return this.classes.flatMap((one) => (one.before === null || one.name !== one.before.name ? []
      : one.properties.flatMap((property) => this.#stepsOf(one, property))));
  }

  #stepsOf({ name: className }, property) {
    const { before } = property;
    if (before === null || property.base === "linkingObjects" || before.type.startsWith("linkingObjects")) return [];
    const isRenamed = before.name !== property.name;
    const isOther = before.type !== property.type && `${before.type}?` !== property.type;
    if (!isOther) return isRenamed ? [{ step: { rename: { class: className, from: before.name, to: property.name } } }] : [];
    const convert = { class: className, from: before.name };
    if (isRenamed) convert.to = property.name;
    if (property.fallback !== "") convert.fallback = read(property.fallback, property.base);
    return [{ step: { convert }, property }];
  }
}

/** A value as a field shows it. */
function written(value) {
  return typeof value === "string" ? value : JSON.stringify(value, (_, one) => (typeof one === "bigint" ? Number(one) : one));
}

/** What was typed as a value: texts as they are, everything else as JSON where it is that. */
function read(input, base) {
  if (["string", "date", "uuid", "objectId", "decimal128", "data"].includes(base)) return input;
  try {
    return parse(input);
  } catch {
    return input;
  }
}
