// The types of the JavaScript client. Kept by hand: lib/*.js has what they describe.

/** An integer of 64 bits: a bigint beyond ±(2^53 − 1). */
export type Int = number | bigint;
/** A value of a mixed property. */
export type Mixed =
  | null | boolean | Int | string | Date | Uint8Array | UUID | ObjectId | Decimal128 | Link | Float
  | Mixed[] | { [name: string]: Mixed };

export class UUID {
  /** Parses the text, or makes a random one. */
  constructor(text?: string);
  equals(other: unknown): boolean;
  toString(): string;
  toJSON(): string;
}

export class ObjectId {
  /** Parses 24 hexadecimal digits, or makes one from the time and random digits. */
  constructor(text?: string);
  equals(other: unknown): boolean;
  toString(): string;
  toJSON(): string;
}

/** A decimal number with up to 34 digits. As a number, in comparisons and arithmetic, it is rounded to a double. */
export class Decimal128 {
  constructor(text: string | number | bigint);
  equals(other: unknown): boolean;
  toString(): string;
  toJSON(): string;
  valueOf(): number;
}

/** A date with digits behind the millisecond, all of which `toISOString` has. */
export class Timestamp extends Date {
  constructor(text: string);
}

/** A link where no type says the class: in mixed values, in arguments of filters, to classes without a primary key. */
export class Link<N extends string = string> {
  constructor(className: N, key: unknown);
  readonly class: N;
  readonly key: unknown;
}

/** A float in a mixed value. */
export class Float {
  constructor(value: number);
  value: number;
  valueOf(): number;
}


/** As a value: a double in a mixed value that JSON would make an integer or cannot express, such as 3.0 and NaN. */
export class Double extends Float {}

/** Shapes for GEOWITHIN. A point is `[longitude, latitude]`. */
export type Point = [number, number];
export interface Shape { readonly json: unknown }
/** - radius: in radians. */
export function geoCircle(center: Point, radius: number): Shape;
export function geoBox(one: Point, other: Point): Shape;
export function geoPolygon(...rings: Point[][]): Shape;

/** Parses the gateway's JSON: large integers are bigint, typed objects the values that they name. */
export function parse(text: string): any;
/** Writes JSON as the gateway reads it. */
export function stringify(value: unknown): string;

/** A refusal by the gateway, or a connection that failed. */
export class RealmgateError extends Error {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** Stable; `connection.failed` without a response. */
  readonly code: string;
  /** The nearest name that exists, or what to write instead. */
  readonly hint: string | null;
  /** Where the fault begins in the filter or body, in bytes of UTF-8 from 0. */
  readonly position: number | null;
  readonly length: number | null;
  readonly expected: string[] | null;
  readonly parameter: string | null;
  readonly property: string | null;
  readonly path: string | null;
  /** The index of the operation of a transaction that failed. */
  readonly operation: number | null;
  readonly faults: { path?: string; detail: string }[] | null;
  readonly errors: { line: number; code?: string; detail?: string }[] | null;
  readonly requestId: string | null;
}

type ObjectOf<C, N> = N extends keyof C ? (C[N] extends { object: infer T } ? T : any) : any;
type KeyOf<C, N> = N extends keyof C
  ? (C[N] extends { object: infer T; key: infer K } ? (K extends keyof T ? T[K] | (T[K] extends UUID | ObjectId ? string : never) : any) : any)
  : any;

type InputValue<T> =
  | T
  | (T extends UUID | ObjectId ? string : never)
  | (T extends Decimal128 ? string | number : never)
  | (T extends (infer E)[] ? InputValue<E>[] | Set<InputValue<E>> : never);
/** What a write accepts: some properties; a link also as a `Link`, a new object, or an object of the same transaction. */
export type Input<T> = { [K in keyof T]?: InputValue<T[K]> | Link | Edits | (null extends T[K] ? object : T[K] extends unknown[] ? object[] : never) };

export interface RequestOptions {
  signal?: AbortSignal;
}

export interface WriteOptions extends RequestOptions {
  /** Shows the write in live results at once, and takes it back when it fails. */
  optimistic?: boolean;
}

export interface Change {
  /** `initial` replaces everything, also when the server was restored; `deleted` is the last change of an object. */
  type: "initial" | "update" | "deleted";
  version: number;
  /** Positions before, ascending; keys of a map; pairs of section and row. */
  deletions: any[];
  /** Positions after, ascending. */
  insertions: any[];
  /** Positions before, ascending. */
  modifications: any[];
  sectionsToDelete?: number[];
  sectionsToInsert?: number[];
  /** The assigned properties of an observed object. */
  properties?: string[];
  /** The change shows a write that the gateway has not confirmed, or its confirmation. */
  optimistic?: boolean;
  /** Why a write that was shown is taken back. */
  rolledBack?: RealmgateError;
}

export type State = "connecting" | "live" | "waiting" | "ended";

export interface ObserveOptions<T = any> {
  /** Ends the observation. */
  signal?: AbortSignal;
  /** Called at an end that nobody asked for. Without it, the error is thrown as uncaught. */
  onError?: (error: RealmgateError) => void;
  onState?: (state: State, error: RealmgateError | null) => void;
  /** Does what the filter does, for writes that are shown optimistically: which objects belong to the result. */
  matches?: (item: T) => boolean;
}

/** A live result. `items` is null before the first event; arrays that were given out do not change. */
export interface Observation<R> extends AsyncIterable<[R, Change]> {
  readonly items: R | null;
  readonly version: number;
  readonly state: State;
  readonly error: RealmgateError | null;
  stop(): void;
}

export interface Observable<R, T = any> {
  observe(callback: (items: R, change: Change) => void, options?: ObserveOptions<T>): Observation<R>;
  observe(callback: undefined | null, options?: ObserveOptions<T>): Observation<R>;
  observe(options?: ObserveOptions<T>): Observation<R>;
}

type Names<T> = (keyof T & string) | (string & {});
type Functions<T> = { [F in "min" | "max" | "sum" | "average"]?: Names<T> | Names<T>[] };
/** - having: only groups that satisfy this, with what `order` has: `"average(delay) > 10 AND count > 100"`.
 *  - top: only the largest groups, up to 500, the largest first.
 *  - order: of the groups: `"-average(delay)"`, with key paths of `by`, `count` and functions of the request.
 *  - limit, offset: of the groups in this order. */
type Arrangement = { having?: string; top?: number; order?: string | string[]; limit?: number; offset?: number };
export interface Aggregates {
  count: number;
  min?: Record<string, any>;
  max?: Record<string, any>;
  sum?: Record<string, any>;
  average?: Record<string, any>;
}
/** One interval of a histogram: it contains `from` and not `to`. */
export interface Bin { from: any; to: any; count: number }
export interface Bins {
  version: number;
  /** Ascending; those at the ends are never empty. */
  bins: Bin[];
  /** Values without a place among them, such as null and NaN: how many, and how many objects have one. */
  others: { groups: number; count: number };
}
export interface Group extends Omit<Aggregates, "version"> { key: Record<string, any> }
export interface Section<T> { key: any; count: number; items: T[] }
export type Page<T> = T[] & { readonly version: number; readonly mark: string };
export interface Snapshot { snapshot: string; version: number; expires: string }
/** What one version did to an object. */
export interface ObjectChange<T = any> {
  version: number;
  mark: string;
  /** When the gateway's store wrote it down; absent where that is not known. */
  time?: Date;
  kind: "created" | "modified" | "deleted";
  /** Created objects have no `old` values, deleted ones no `new`. */
  properties: { [K in keyof T & string]?: { old?: T[K]; new?: T[K] } };
}
/**
 * Newest first. `next` continues with older changes as `after`; without one, `begins` says up to which version changes are
 * not known, and why: the log has no older ones, the version replaced the schema, or changed more than it keeps.
 */
export type History<T = any> = ObjectChange<T>[] & {
  readonly version: number;
  readonly mark: string;
  readonly next: string | null;
  readonly begins: { version: number; reason: "log" | "schema" | "values" } | null;
};

/** A lazy query: methods return a new one, and only the last group sends requests. */
export interface Query<T = any, K = any> extends Observable<T[], T> {
  /** Several filters hold together. `$0`, `$1` … are the arguments of this filter; undefined is refused. */
  filter(predicate: string, ...args: unknown[]): Query<T, K>;
  /** `-` in front of a path sorts descending. */
  sort(...paths: string[]): Query<T, K>;
  distinct(...paths: Names<T>[]): Query<T, K>;
  limit(limit: number): Query<T, K>;
  offset(offset: number): Query<T, K>;
  /** Writes only these properties, also behind links: `fields("name", "origin.city")`. */
  fields<U = Partial<T>>(...paths: string[]): Query<U, K>;
  /** Writes linked objects in place of their keys: `expand<Omit<Flight, "origin"> & {origin: Airport}>("origin")`. */
  expand<U = T>(...paths: string[]): Query<U, K>;
  /** In live results, counts only changes of these paths as modifications. */
  keyPaths(...paths: string[]): Query<T, K>;
  /** Reads the version that a snapshot keeps. */
  at(snapshot: Snapshot | string): Query<T, K>;

  /** The whole result, up to the limit. Beyond 10,000 objects it comes in several pages, the later ones of later versions. */
  get(options?: RequestOptions): Promise<T[] & { readonly version: number; readonly mark: string }>;
  /** Pages, which objects that come and go between them do not shift. */
  pages(size?: number, options?: RequestOptions): AsyncGenerator<Page<T>>;
  first(options?: RequestOptions): Promise<T | null>;
  count(options?: RequestOptions): Promise<number>;
  aggregate(functions?: Functions<T>, options?: RequestOptions): Promise<Aggregates>;
  /** Counts the numbers or dates at one path in at most `bins` intervals of round width, up to 500. */
  aggregate(histogram: { by: Names<T>; bins: number }, options?: RequestOptions): Promise<Bins>;
  groups(by: string | string[], functions?: Functions<T> & Arrangement, options?: RequestOptions): Promise<Group[]>;
  /** Count and functions as one answer, which can be observed: `aggregates({ average: "delay" })`. */
  aggregates(functions?: Functions<T> & { by?: undefined }): LiveAggregates<Aggregates, T>;
  /** The groups of equal values, with `top`, `limit` or `offset` only some, and the size of the others. */
  aggregates(functions: Functions<T> & Arrangement & { by: string | string[] }): LiveAggregates<Groups, T>;
  /** A histogram, of at most `bins` intervals. */
  aggregates(histogram: { by: Names<T>; bins: number }): LiveAggregates<Omit<Bins, "version">, T>;
  /** `sections("name.first")` */
  sections(by: string, options?: { ascending?: boolean }): Sections<T>;
  /** The position of the object with this key, or null. */
  indexOf(key: K, options?: RequestOptions): Answer<number | null>;
  /** The position of the first object that satisfies a condition, or null. */
  indexWhere(predicate: string, ...args: unknown[]): Answer<number | null>;
  /** One property of every object, or the result of an operator such as `@max.delay`. */
  values(keyPath: string, options?: RequestOptions): Answer<any>;

  object(key: K): ObjectReference<T, K>;
  /** Creates one object, or all of an array in one commit. */
  create(value: Input<T>, options?: WriteOptions & { update?: "error" | "modified" | "all" }): Promise<T>;
  create(values: Input<T>[], options?: WriteOptions & { update?: "error" | "modified" | "all" }): Promise<T[]>;
  /** Sets properties of all matching objects; without a filter it needs `all`. Returns their number. */
  update(value: Input<T>, options?: RequestOptions & { all?: boolean }): Promise<number>;
  /** Deletes all matching objects; without a filter it needs `all`. Returns their number. */
  delete(options?: RequestOptions & { all?: boolean }): Promise<number>;
}

export interface Sections<T> extends Observable<Section<T>[], T> {
  get(options?: RequestOptions): Promise<Section<T>[]>;
  keys(options?: RequestOptions): Promise<any[]>;
}

/** Awaited it is read, observed it is live: `await query.indexOf(7)`, `query.indexOf(7).observe(…)`. */
export interface Answer<V> extends Observable<V, never>, Promise<V> {
  get(options?: RequestOptions): Promise<V>;
  /** Reads the version that a snapshot keeps. */
  at(snapshot: Snapshot | string): Answer<V>;
}

/** Groups in the order of their keys, or another one. `others` are those that `top`, `limit` and `offset` leave out. */
export type Groups = Group[] & { others?: { groups: number; count: number } };
export interface LiveAggregates<R, T = any> extends Observable<R, T> {
  get(options?: RequestOptions): Promise<R>;
}

type Edited = { modified: number; count?: number };
/** `was` is the element that is meant, `behind` the one that the new element follows: positions shift when others edit. */
export interface ListEdits<R> {
  insert(index: number, value: unknown, options?: { behind?: unknown; orAtIndex?: boolean }): R;
  append(...values: unknown[]): R;
  replace(index: number, value: unknown, options?: { was?: unknown }): R;
  move(index: number, to: number, options?: { was?: unknown }): R;
  remove(index: number, options?: { was?: unknown }): R;
  clear(): R;
}
export interface SetEdits<R> { add(...values: unknown[]): R; remove(value: unknown): R; clear(): R }
export interface MapEdits<R> { put(key: string, value: unknown): R; remove(key: string): R; clear(): R }

interface CollectionEdits<R> {
  list(property: string): ListEdits<R>;
  set(property: string): SetEdits<R>;
  map(property: string): MapEdits<R>;
}

/** An object within a transaction; as a value, a link to it. */
export interface Edits<T = any> extends CollectionEdits<void> {
  update(value: Input<T>): void;
  delete(): void;
  /** Refuses the transaction unless the object exists, or does not. */
  require(exists?: boolean): void;
  /** An embedded object, by names of properties, each with the index or key behind it. */
  in(...path: (string | number)[]): Edits;
}

export interface ObjectReference<T = any, K = any> extends Observable<T | null>, CollectionEdits<Promise<Edited>> {
  fields<U = Partial<T>>(...paths: string[]): ObjectReference<U, K>;
  expand<U = T>(...paths: string[]): ObjectReference<U, K>;
  at(snapshot: Snapshot | string): ObjectReference<T, K>;
  /** Null where there is none. */
  get(options?: RequestOptions): Promise<T | null>;
  /** The changes of the object that the gateway's log still has, 20 if `limit` is absent; also of one that was deleted. */
  history(options?: RequestOptions & { limit?: number; after?: string }): Promise<History<T>>;
  /** - ifMatch: an ETag; the write is refused with 412 when the object has changed since. */
  update(value: Input<T>, options?: WriteOptions & { ifMatch?: string }): Promise<T>;
  /** Creates the object, or replaces all of it. */
  replace(value: Input<T>, options?: WriteOptions & { ifMatch?: string }): Promise<T>;
  delete(options?: WriteOptions & { ifMatch?: string }): Promise<void>;
  /** An embedded object, for edits. */
  in(...path: (string | number)[]): CollectionEdits<Promise<Edited>> & { update(value: object): Promise<Edited> };
  /** What a list, set, map or linking objects hold: `object("JFK").collection("arrivals")`. */
  collection<U = any>(...steps: (string | number)[]): Query<U>;
  /** The value at a path, or the object that a link leads to. */
  value(...steps: (string | number)[]): Promise<any>;
}

export interface Transaction<C = any> {
  create<N extends keyof C & string>(className: N, value: Input<ObjectOf<C, N>>, options?: { update?: "error" | "modified" | "all" }): Edits<ObjectOf<C, N>>;
  object<N extends keyof C & string>(className: N, key: KeyOf<C, N>): Edits<ObjectOf<C, N>>;
  /** Refuses the transaction unless an object matches; with `count` as many, with `exists: false` none. */
  require<N extends keyof C & string>(className: N, filter?: string, args?: unknown[], options?: { exists?: boolean; count?: number }): void;
}

export interface TransactionAnswer {
  version: number;
  mark: string;
  results: { class?: string; key?: any; created?: boolean; modified?: number; deleted?: number; count?: number; exists?: boolean; object?: any }[];
}

export interface Options {
  /** An API key or token, or a function that returns one; it is called for every request. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  headers?: Record<string, string>;
  fetch?: typeof fetch;
  /** How often a request is sent again. 5 if absent. */
  retries?: number;
  /** The time for one attempt, in milliseconds. 30,000 if absent. */
  timeout?: number;
  /**
   * How many of those live results may have a stream at once that have no room in the subscription set. Others take turns.
   * 3 in pages if absent, elsewhere any number.
   */
  streams?: number;
  /**
   * Whether pages of one origin with the same credential share a stream: true if absent. With a `token` that is a function,
   * or another `fetch`, they do not, unless a text says who the caller is: pages that give the same text share the stream.
   */
  share?: boolean | string;
  /**
   * The silence after which a stream connects again, in milliseconds. 45,000 if absent. A stream without a first line for a
   * quarter of that is given up for long polls, if other requests are answered.
   */
  silence?: number;
}

/** A database behind a gateway. `C` is the interface `Classes` that `realmgate types typescript` writes. */
export class Realmgate<C = Record<string, any>> {
  constructor(url: string | URL, options?: Options);
  objects<N extends keyof C & string>(className: N): Query<ObjectOf<C, N>, KeyOf<C, N>>;
  object<N extends keyof C & string>(className: N, key: KeyOf<C, N>): ObjectReference<ObjectOf<C, N>, KeyOf<C, N>>;
  /** Runs what the block adds in one commit, all or none. */
  transaction(
    block: (transaction: Transaction<C>) => void | Promise<void>,
    options?: WriteOptions & { ifVersion?: string; include?: "keys" | "objects" },
  ): Promise<TransactionAnswer>;
  /**
   * Sends any request of the HTTP API with JSON, again until it is answered, as every other method does. The value of a
   * response that is no JSON is its text. A request with the parameter `wait` has those seconds beside the timeout.
   */
  request(method: string, path: string, options?: RequestOptions & { parameters?: Record<string, any>; value?: unknown; headers?: Record<string, string> }):
    Promise<{ value: any; mark: string | null; status: number }>;
  schema(options?: RequestOptions): Promise<any>;
  whoami(options?: RequestOptions): Promise<any>;
  /** Keeps the present version for reads with `at`; `ttl` is in seconds. */
  snapshot(options?: RequestOptions & { ttl?: number }): Promise<Snapshot>;
  /**
   * Imports a file of Realm with all its classes, in one commit. With `dryRun` nothing changes, and the result says what
   * would be. For administrators. It is sent once, without a timeout; `signal` ends it.
   */
  importRealm(file: RealmFileContent, options: RealmImportOptions & { dryRun: true }): Promise<RealmImportPreview>;
  importRealm(file: RealmFileContent, options?: RealmImportOptions & { dryRun?: false }): Promise<RealmImportResult>;
  /** Ends all live results. */
  close(): void;
}

export type RealmFileContent = Blob | ArrayBuffer | ArrayBufferView;

export interface RealmImportOptions {
  /** New names of classes and properties, by those in the file: `{"Dog": "Hound", "Dog.name": "title"}`. */
  rename?: Record<string, string>;
  /** Classes and properties that stay behind: `["Draft", "Dog.cache"]`. */
  leaveOut?: string[];
  /** What becomes of an object whose primary key the database has; by default the file is refused. */
  update?: "error" | "modified" | "all";
  /** Of an encrypted file: 64 bytes, or 128 hexadecimal digits. */
  key?: ArrayBuffer | ArrayBufferView | string;
  signal?: AbortSignal;
}

export interface RealmImportPreview {
  format: number;
  schemaVersion: number;
  objects: number;
  classes: {
    name: string; source: string; embedded: boolean; leftOut: boolean; new: boolean; objects: number; present: number;
  }[];
  lostLinks: number;
  notes: string[];
  refusal: null | {
    code: string;
    detail: string;
    obstacles: { detail: string; name: string | null; way: "leaveOut" | "rename" | null }[];
  };
}

export interface RealmImportResult {
  version: number;
  format: number;
  schemaVersion: number;
  objects: number;
  classes: {
    name: string; embedded: boolean; objects: number; present: number; modified: number;
    /** Sums are texts, because they may have more than 64 bits. */
    numbers: { property: string; count: number; sum: string; minimum: string | null; maximum: string | null }[];
  }[];
  lostLinks: number;
  notes: string[];
}
