// The operations of a transaction, while a program's function writes them down.

import { Edits } from "./edits.js";

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
