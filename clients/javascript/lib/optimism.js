// Optimistic writes: shown in live results at once, until the events of the gateway have them, or the write fails.

const text = (value) => String(value);

/** What changed between two arrays of objects, by position. Moved objects are deleted and inserted. */
export function difference(before, after, keyName) {
  const positions = new Map(before.map((item, at) => [text(item[keyName]), at]));
  const kept = new Set();
  const [deletions, insertions, modifications] = [[], [], []];
  let last = -1;
  after.forEach((item, at) => {
    const position = positions.get(text(item[keyName]));
    if (position === undefined || position <= last) {
      insertions.push(at);
      return;
    }
    last = position;
    kept.add(position);
    if (before[position] !== item) modifications.push(position);
  });
  before.forEach((_, at) => { if (!kept.has(at)) deletions.push(at); });
  return { deletions, insertions, modifications };
}

/** The order of `sort`, null where the client cannot know it. */
function comparator(sort) {
  const keys = (sort ? sort.split(",") : []).map((path) => (path[0] === "-" ? [path.slice(1), -1] : [path, 1]));
  if (keys.length === 0 || keys.some(([name]) => /\W/.test(name))) return null;
  const rank = (value) => (value === null || value === undefined ? 0 : 1);
  const plain = (value) => (value !== null && typeof value === "object" ? value.valueOf() : value);
  return (one, other) => {
    for (const [name, direction] of keys) {
      const [left, right] = [plain(one[name]), plain(other[name])];
      const order = rank(left) - rank(right) || (left < right ? -1 : left > right ? 1 : 0);
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}

const isExpanded = (value) => value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype;

/** An object with the written properties that it shows; links that are written as objects stay. */
function merged(item, value) {
  return Object.fromEntries(Object.entries(item).map(([name, old]) =>
    [name, Object.hasOwn(value, name) && value[name] !== undefined && !(isExpanded(old) && !isExpanded(value[name])) ? value[name] : old]));
}

/** One live result with the pending writes over it. */
class Overlay {
  /** The pending writes that the events have. */
  #covered = new WeakSet();
  #isPlain = true;

  constructor(optimism, { className, sort, limit, isFiltered, matches }) {
    Object.assign(this, { optimism, className, limit, isFiltered, matches, order: comparator(sort) });
  }

  covers(pending) { return this.#covered.has(pending); }

  /** Notes what an event, or the answer to a write, has made known. */
  note(pending, observation, isBeginning = false) {
    if (pending.version === null) return;
    const isReplaced = isBeginning && observation.epoch > (pending.epochs.get(this) ?? 0);
    if (observation.version >= pending.version || isReplaced || !this.#concerns(pending, observation.model.value)) this.#covered.add(pending);
  }

  #concerns({ operations }, items) {
    return operations.some(({ className, key, keyName, kind }) => className === this.className
      && (kind === "create" || items?.some((item) => text(item[keyName]) === key)));
  }

  view(observation, change) {
    const base = observation.model.value;
    const isEvent = change.rolledBack === undefined && !change.optimistic;
    const writes = this.optimism.writes(this, (pending) => {
      if (isEvent) this.note(pending, observation, change.type === "initial");
    });
    if (!Array.isArray(base) || (writes.length === 0 && this.#isPlain)) return isEvent ? { items: base, change } : { change: null };
    const before = observation.items;
    const items = this.#apply(base, writes);
    this.#isPlain = writes.length === 0;
    if (before === null || change.type === "initial") return { items, change };
    const keyName = this.optimism.keyName(this.className);
    const differences = difference(before, items, keyName);
    const isSame = Object.values(differences).every((positions) => positions.length === 0);
    if (isSame && !change.rolledBack) return { change: null };
    return { items, change: { ...change, type: "update", version: observation.version, ...differences } };
  }

  #apply(base, writes) {
    let items = base;
    for (const { kind, key, keyName, value } of writes) {
      const at = items.findIndex((item) => text(item[keyName]) === key);
      if (at < 0 && (kind !== "create" || !(this.matches?.(value) ?? !this.isFiltered))) continue;
      const item = kind === "delete" ? null : at < 0 ? value : merged(items[at], value);
      const rest = items.filter((_, position) => position !== at);
      if (item === null || (at >= 0 && this.matches?.(item) === false)) items = rest;
      else items = rest.toSpliced?.(this.#positionOf(item, rest, at), 0, item) ?? insert(rest, this.#positionOf(item, rest, at), item);
    }
    return this.limit === null ? items : items.slice(0, this.limit);
  }

  /** Where an object belongs: where it was, as far as the order allows. */
  #positionOf(item, rest, at) {
    const fits = (position) => (position === 0 || this.order(rest[position - 1], item) <= 0) && (position === rest.length || this.order(item, rest[position]) <= 0);
    if (this.order === null) return at < 0 ? rest.length : at;
    if (at >= 0 && fits(at)) return at;
    const position = rest.findIndex((other) => this.order(item, other) < 0);
    return position < 0 ? rest.length : position;
  }
}

const insert = (items, at, item) => [...items.slice(0, at), item, ...items.slice(at)];

export class Optimism {
  #pending = new Set();
  #overlays = new Map();
  #keyNames = new Map();

  /** - readSchema: gives the schema, for the names of primary keys; with true, as it is now. */
  constructor(readSchema) { this.readSchema = readSchema; }

  /** Shows pending writes in a live result from now on. */
  attach(observation) {
    if (observation.about === null) return;
    observation.overlay = new Overlay(this, observation.about);
    this.#overlays.set(observation.overlay, observation);
    observation.onEnd(() => this.#overlays.delete(observation.overlay));
  }

  keyName(className) { return this.#keyNames.get(className); }

  /** The pending operations that a result does not have yet. */
  writes(overlay, note) {
    return [...this.#pending].flatMap((pending) => {
      note(pending);
      return overlay.covers(pending) ? [] : pending.operations.filter((operation) => operation.className === overlay.className);
    });
  }

  /**
   * Runs a request, and shows its operations meanwhile: `{className, kind, key, value}`. `confirm` gives the objects of the answer.
   * Writes are shown in the order of their numbers.
   */
  async during(operations, request, confirm = () => [], order = 0) {
    for (const isFresh of [false, true]) {
      if (operations.every(({ className }) => this.#keyNames.has(className))) break;
      const { classes } = await this.readSchema(isFresh);
      for (const one of classes) this.#keyNames.set(one.name, one.primaryKey ?? "$key");
    }
    const pending = { order, version: null, epochs: new Map() };
    pending.operations = operations.map((operation) => {
      const keyName = this.#keyNames.get(operation.className);
      const key = operation.key ?? operation.value?.[keyName];
      if (key === undefined) throw new TypeError(`An optimistic write of ${operation.className} needs the object's key.`);
      return { ...operation, keyName, key: text(key) };
    });
    this.#pending = new Set([...this.#pending, pending].sort((one, other) => one.order - other.order));
    this.#refresh({ optimistic: true });
    try {
      const answer = await request();
      pending.version = Number.parseInt(answer.mark ?? "0", 10);
      confirm(answer).forEach((object, index) => {
        if (object !== null && typeof object === "object") pending.operations[index].value = object;
      });
      for (const [overlay, observation] of this.#overlays) {
        pending.epochs.set(overlay, observation.epoch);
        overlay.note(pending, observation);
      }
      this.#refresh({ optimistic: true });
      return answer;
    } catch (error) {
      this.#pending.delete(pending);
      this.#refresh({ rolledBack: error });
      throw error;
    }
  }

  #refresh(change) {
    for (const observation of this.#overlays.values()) observation.show({ type: "update", ...change });
    for (const pending of this.#pending) {
      if (pending.version !== null && [...this.#overlays.keys()].every((overlay) => overlay.covers(pending))) this.#pending.delete(pending);
    }
  }
}

/** Which operations of a transaction can be shown before it has run: those on objects with a known key. */
export function shownOperations(operations) {
  const created = new Map();
  return operations.flatMap(({ op: kind, class: className, as, object, in: inside, value }) => {
    if (kind === "create") {
      const creation = { className, kind, value: { ...value } };
      created.set(as, creation);
      return [creation];
    }
    if (inside || !["set", "delete"].includes(kind)) return [];
    if (object.ref === undefined) return [{ className: object.class, kind, key: object.key, value }];
    const creation = created.get(object.ref);
    // An assignment to __proto__ would not make a member.
    if (kind === "set") creation.value = { ...creation.value, ...value };
    else creation.kind = "none";
    return [];
  });
}
