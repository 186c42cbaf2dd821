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

  #editor(property) { return (op, operation, options) => this.emit({ op, property, ...operation, ...options }); }

  list(property) {
    const emit = this.#editor(property);
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
    const emit = this.#editor(property);
    return {
      add: (...values) => emit("add", { value: values }),
      remove: (value) => emit("remove", { value }),
      clear: () => emit("clear"),
    };
  }

  map(property) {
    const emit = this.#editor(property);
    return {
      put: (mapKey, value) => emit("put", { mapKey: String(mapKey), value }),
      remove: (mapKey) => emit("remove", { mapKey: String(mapKey) }),
      clear: () => emit("clear"),
    };
  }
}
