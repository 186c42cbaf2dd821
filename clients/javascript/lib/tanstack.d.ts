import type { Query, RealmgateError } from "./realmgate.js";

/** One change within a transaction of TanStack DB, as far as the adapter reads it. */
export interface Mutation<T> {
  type: "insert" | "update" | "delete";
  original: Partial<T>;
  modified: T;
  changes: Partial<T>;
}

/** What TanStack DB gives to `sync`. */
export interface SyncParameters<T> {
  begin(): void;
  write(message: { type: "insert" | "update" | "delete"; value: T; key?: string | number }): void;
  commit(): void;
  markReady(): void;
  truncate?(): void;
}

export interface CollectionOptions<T> {
  id: string;
  getKey(item: T): string | number;
  sync: { rowUpdateMode: "full"; sync(parameters: SyncParameters<T>): () => void };
  onInsert(parameters: { transaction: { mutations: Mutation<T>[] } }): Promise<unknown>;
  onUpdate(parameters: { transaction: { mutations: Mutation<T>[] } }): Promise<unknown>;
  onDelete(parameters: { transaction: { mutations: Mutation<T>[] } }): Promise<unknown>;
}

/**
 * The options of a collection that follows the query and writes to its class.
 * - key: the name of the primary key.
 * - id: of the collection. Give one where several queries of a class have collections.
 * - Other options, such as `schema` and `gcTime`, are handed on.
 */
export function collectionOptions<T extends object>(
  query: Query<T>,
  options: { key: keyof T & string; id?: string; onError?: (error: RealmgateError) => void; [option: string]: any },
): CollectionOptions<T>;
