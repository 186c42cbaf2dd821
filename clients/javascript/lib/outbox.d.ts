import type { Input, KeyOf, ObjectOf, Realmgate, RealmgateError, Transaction, TransactionAnswer } from "./realmgate.js";

/** A write that is kept. */
export interface PendingWrite {
  readonly id: number;
  /** The operations as a transaction has them. */
  readonly operations: Record<string, any>[];
  /** When it was made, in milliseconds since 1970. */
  readonly since: number;
}

/** A write that the gateway refused, or of which nobody can say whether it happened: `outbox.uncertain`. */
export interface Conflict extends PendingWrite {
  readonly error: RealmgateError;
}

export interface Kept {
  id: number;
  /** The answer of the gateway, also when another page has sent the write. Rejected for a conflict. */
  answered: Promise<TransactionAnswer>;
}

/** Where entries are kept. The order of `all` is that of the ids, which `add` gives ascending. */
export interface OutboxStorage {
  all(): Promise<any[]>;
  add(entry: object): Promise<number>;
  put(entry: object): Promise<unknown>;
  delete(id: number): Promise<unknown>;
}

/** Writes that are kept in the browser until the gateway has answered them, and sent one after the other. */
export class Outbox<C = any> {
  /**
   * Opens the outbox of a name, with what an earlier page left in it. Pages of an origin share it.
   * - lifetime: how long the gateway keeps answers to idempotency keys, in milliseconds: `idempotency.lifetime`. A day if absent.
   */
  static open<C>(db: Realmgate<C>, options?: { name?: string; storage?: OutboxStorage; lifetime?: number }): Promise<Outbox<C>>;
  readonly pending: PendingWrite[];
  readonly conflicts: Conflict[];
  /** What keeps the writer waiting, null while nothing does. */
  readonly error: RealmgateError | null;
  /** Calls the listener now and at each change. Returns the function that ends this. */
  subscribe(listener: (outbox: Outbox<C>) => void): () => void;
  /** Resolves when the write is kept. */
  transaction(block: (transaction: Transaction<C>) => void | Promise<void>, options?: { ifVersion?: string }): Promise<Kept>;
  create<N extends keyof C & string>(className: N, value: Input<ObjectOf<C, N>>, options?: { update?: "error" | "modified" | "all" }): Promise<Kept>;
  update<N extends keyof C & string>(className: N, key: KeyOf<C, N>, value: Input<ObjectOf<C, N>>): Promise<Kept>;
  delete<N extends keyof C & string>(className: N, key: KeyOf<C, N>): Promise<Kept>;
  /** Sends a refused write again, behind all others; with a block, what the block writes in its place. Returns the new id. */
  retry(id: number, block?: (transaction: Transaction<C>) => void | Promise<void>, options?: { ifVersion?: string }): Promise<number>;
  /** Forgets a refused write. */
  discard(id: number): Promise<void>;
  /** Ends the sending from this page. What is kept stays. */
  close(): void;
}
