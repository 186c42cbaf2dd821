// Edits of objects and of what they hold, as operations of transactions.

import { Raw } from "./values.js";

export class Edits extends Raw {
  constructor(emit, object, inside) {
    super(object.ref === undefined ? { $link: object } : { $ref: object.ref });
    this.emit = (operation) => emit({ ...operation, object, in: inside });
    this.in = (...path) => new Edits(emit, object, [...(inside ?? []), ...path]);
  }

  update(value) { return this.emit({ op: "set", value }); }
  delete() { return this.emit({ op: "delete" }); }
  require(exists = true) { return this.emit({ op: "require", exists }); }

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

export class Transaction {
  operations = [];

  #emit = (operation) => { this.operations.push(operation); };

  create(className, value, { update } = {}) {
    const name = `o${this.operations.length}`;
    this.#emit({ op: "create", class: className, value, update, as: name });
    return new Edits(this.#emit, { ref: name });
  }

  object(className, key) { return new Edits(this.#emit, { class: className, key }); }

  require(className, filter, args, { exists, count } = {}) {
    this.#emit({ op: "require", class: className, filter, args, exists, count });
  }
}
