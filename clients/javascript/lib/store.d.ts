import type { Observable, ObserveOptions, RealmgateError, State } from "./realmgate.js";

export interface LiveValue<R> {
  items: R | null;
  state: State;
  error: RealmgateError | null;
}

/** Satisfies the contract of Svelte's stores, and `value` is read like that of a signal. */
export interface LiveStore<R> {
  readonly value: LiveValue<R>;
  subscribe(subscriber: (value: LiveValue<R>) => void): () => void;
}

export function store<R>(query: Observable<R>, options?: ObserveOptions): LiveStore<R>;
