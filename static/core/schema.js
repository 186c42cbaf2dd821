// The schema as the page needs it: the kind of each property, and how an object is identified.

import { own, stringify } from "./json.js";
import { escapedName } from "./path.js";

const scalars = new Set([
  "bool", "int", "float", "double", "string", "data", "date", "decimal128", "objectId", "uuid", "mixed",
]);

/** Kinds whose values are written as JSON in cells and fields. */
const jsonKinds = new Set(["collection", "mixed", "embedded"]);

/** A property with the parts of its type. `embedded` has the names of the classes whose objects belong to others. */
export class Property {
  constructor(source, isKey, embedded = new Set()) {
    this.name = source.name;
    /** The name as key paths and predicates write it. */
    this.path = escapedName(source.name);
    this.type = source.type;
    this.indexed = source.indexed === true;
    this.fullText = source.fullText === true;
    this.defaultValue = source.default;
    this.isKey = isKey;
    const backlinks = /^linkingObjects\(([^.]+)\.([^)]+)\)$/.exec(source.type);
    const plain = /^(.*?)(\?)?(\[\]|<>|\{\})?$/.exec(source.type);
    // The mark of a collection's type is about its elements.
    this.optional = (plain[2] === "?" && plain[3] === undefined) || source.type === "mixed";
    this.target = null;
    if (backlinks) {
      this.kind = "backlinks";
      this.target = backlinks[1];
      this.origin = backlinks[2];
    } else if (plain[3] !== undefined) {
      this.kind = "collection";
      if (!scalars.has(plain[1])) this.target = plain[1];
    } else if (scalars.has(plain[1])) {
      this.kind = plain[1];
    } else {
      this.kind = embedded.has(plain[1]) ? "embedded" : "link";
      this.target = plain[1];
    }
  }

  /** Whether its values are arrays, objects or of any type, and are shown and edited as JSON. */
  get isJSON() {
    return jsonKinds.has(this.kind);
  }

  get isNumeric() {
    return this.kind === "int" || this.kind === "float" || this.kind === "double";
  }

  get isEditable() {
    return !this.isKey && this.kind !== "backlinks";
  }
}

/** Objects without a primary key are identified by their object key, which has a column of its own. */
function objectKey() {
  const property = new Property({ name: "$key", type: "object key" }, true);
  property.kind = "objectKey";
  property.target = null;
  return property;
}

export class ObjectClass {
  constructor(source, embedded) {
    this.name = source.name;
    this.isEmbedded = source.embedded === true;
    this.primaryKey = source.primaryKey ?? null;
    this.properties = source.properties.map((one) => new Property(one, one.name === this.primaryKey, embedded));
    if (this.primaryKey === null) this.properties.unshift(objectKey());
  }

  property(name) {
    return this.properties.find((one) => one.name === name) ?? null;
  }

  get keyProperty() {
    return this.primaryKey === null ? null : this.property(this.primaryKey);
  }

  /** The key of an object in its class, as text for paths and look-ups. */
  keyOf(object) {
    return String(own(object, this.primaryKey ?? "$key"));
  }
}

export class Schema {
  constructor(source) {
    this.text = stringify(source);
    const embedded = new Set(source.classes.filter((one) => one.embedded === true).map((one) => one.name));
    const classes = source.classes.map((one) => new ObjectClass(one, embedded));
    // Those whose objects belong to others come last.
    this.classes = [...classes.filter((one) => !one.isEmbedded), ...classes.filter((one) => one.isEmbedded)];
  }

  class(name) {
    return this.classes.find((one) => one.name === name) ?? null;
  }

  /** The key path to sort or aggregate a property by; null where there is none. */
  sortPath(property) {
    if (property.kind === "link") {
      const key = this.class(property.target)?.keyProperty;
      return key ? `${property.path}.${key.path}` : null;
    }
    const none = ["backlinks", "objectKey"].includes(property.kind) || (property.isJSON && property.kind !== "mixed");
    return none ? null : property.path;
  }
}
