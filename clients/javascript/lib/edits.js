// Edits of objects and of what they hold, as operations of transactions.

import { Raw } from "./values.js";

/** An object in a transaction. As a value within a later operation it is a link to that object. */
export class Edits extends Raw {
  constructor(emit, object, inside) {
    super(object.ref === undefined ? { $link: object } : { $ref: object.ref });
    this.emit = (operation) => emit({ ...operation, object, in: inside });
    /** An embedded object, by names of properties, each with the index or key behind it. */
    this.in = (...path) => new Edits(emit, object, [...(inside ?? []), ...path]);
  }

  update(value) { return this.emit({ op: "set", value }); }
  delete() { return this.emit({ op: "delete" }); }
  /** Refuses the transaction unless the object exists, or does not. */
  require(exists = true) { return this.emit({ op: "require", exists }); }

  /** `was` and `behind` in the options name elements by their values, because positions shift. */
  list(property) {
    const emit = (op, operation, options) => this.emit({ op, property, ...operation, ...options });
    return {
      insert: (index, value, options) => emit("insert", { index, value: [value] }, options),
      append: (...values) => emit("append", { value: values }),
      replace: (index, value, options) => emit("replace", { index, value }, options),
      move: (index, to, options) => emit("move", { index, to }, options),
      remove: (index, options) => emit("remove", { index }, options),
      clear: () => emit("clear"),
    };
  }

  set(property) {
    const emit = (op, operation) => this.emit({ op, property, ...operation });
    return {
      add: (...values) => emit("add", { value: values }),
      remove: (value) => emit("remove", { value }),
      clear: () => emit("clear"),
    };
  }

  map(property) {
    const emit = (op, operation) => this.emit({ op, property, ...operation });
    return {
      put: (mapKey, value) => emit("put", { mapKey: String(mapKey), value }),
      remove: (mapKey) => emit("remove", { mapKey: String(mapKey) }),
      clear: () => emit("clear"),
    };
  }
}

/** The operations of one commit. */
export class Transaction {
  operations = [];

  #emit = (operation) => { this.operations.push(operation); };

  /** Creates an object, and returns it for later operations of this transaction. */
  create(className, value, { update } = {}) {
    const name = `o${this.operations.length}`;
    this.#emit({ op: "create", class: className, value, update, as: name });
    return new Edits(this.#emit, { ref: name });
  }

  object(className, key) { return new Edits(this.#emit, { class: className, key }); }

  /** Refuses the transaction unless an object matches; with `count` as many, with `exists: false` none. */
  require(className, filter, args, { exists, count } = {}) {
    this.#emit({ op: "require", class: className, filter, args, exists, count });
  }
}
