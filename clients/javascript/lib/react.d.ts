import type { Observable, ObserveOptions, RealmgateError, State } from "./realmgate.js";

export interface Live<R> {
  items: R | null;
  state: State;
  error: RealmgateError | null;
}

/** The part of React that the hooks use. */
export interface ReactHooks {
  useEffect(effect: () => void | (() => void), dependencies?: readonly unknown[]): void;
  useMemo<T>(make: () => T, dependencies: readonly unknown[]): T;
  useState<T>(initial: T): [T, (value: T) => void];
}

export function hooks(react: ReactHooks): {
  useQuery<R>(make: () => Observable<R>, dependencies?: readonly unknown[], options?: ObserveOptions): Live<R>;
};
