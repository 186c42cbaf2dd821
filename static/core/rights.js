// What the caller may do, so that the console does not offer what the gateway would refuse. The gateway decides all the same.

/** The rights in the response of `whoami`. Without a response, or for a class that it does not have, everything is offered. */
export class Rights {
  #classes;
  #text;

  constructor(caller = null) {
    this.isAdministrator = caller?.administrator !== false;
    this.#text = JSON.stringify([this.isAdministrator, caller?.classes ?? []]);
    this.#classes = new Map((caller?.classes ?? []).map((one) => [one.name, one]));
  }

  agrees(other) {
    return this.#text === other.#text;
  }

  /** Whether the caller may `create`, `update` or `delete` at least some objects of the class. */
  may(operation, className) {
    return this.#classes.get(className)?.[operation] !== "none";
  }

  /** Whether the caller may set the property in at least some objects. */
  mayWrite(className, propertyName) {
    const writable = this.#classes.get(className)?.writable;
    return this.may("update", className) && (writable === undefined || writable.includes(propertyName));
  }
}
