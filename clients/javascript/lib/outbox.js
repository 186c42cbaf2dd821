// Writes that are kept in the browser until the gateway has answered them: made without a network, sent in their order.

import { keep } from "./outbox-store.js";
import { Transaction } from "./transaction.js";
import { RealmgateError, isTransient, pause, sleep } from "./transport.js";
import { parse, randomUUID, stringify } from "./values.js";

/** The gateway keeps the answer to an idempotency key for a day by default. After it, a repetition would be another write. */
const lifetime = 86_400_000;

/** A write that was sent so long ago that nobody can say whether it has happened. */
const uncertain = () => new RealmgateError(0, {
  code: "outbox.uncertain",
  detail: "The write was sent and not answered while the gateway kept its key. Look whether it has happened, then retry or discard it.",
});

const { locks } = globalThis.navigator ?? {};

/** Runs the block while no other page sends. Without locks pages may send the same write, which has one effect. */
const alone = (name, signal, block) => (locks ? locks.request(name, { signal }, block) : block());

export class Outbox {
  #shown = new Set();
  #answers = new Map();
  #listeners = new Set();
  #isSending = false;
  #control = new AbortController();
  /** Of this turn at sending. */
  #turn = new AbortController();
  #wake = () => {};
  #channel = null;
  #entries = [];

  /** What keeps the writer waiting, null while nothing does. */
  error = null;

  /**
   * Opens the outbox of a name, with what an earlier page left in it. Pages of an origin share it. `storage` keeps entries
   * elsewhere than in IndexedDB: `{all(), add(entry), put(entry), delete(id)}`, each with a promise.
   */
  static async open(db, { name = "realmgate", storage, lifetime: kept = lifetime } = {}) {
    const outbox = new Outbox(db, name, storage ?? await keep(name), kept);
    await outbox.#changed();
    return outbox;
  }

  constructor(db, name, storage, kept) {
    Object.assign(this, { db, name: `realmgate outbox ${name}`, storage, lifetime: kept });
    const wake = () => { if (!globalThis.document?.hidden) this.#wake(); };
    // A page that the browser keeps, to come back to, would keep the lock and send nothing.
    const hide = () => this.#turn.abort();
    const show = ({ persisted }) => { if (persisted) this.#changed(); };
    const events = { online: wake, pagehide: hide, pageshow: show };
    for (const [event, listener] of Object.entries(events)) globalThis.addEventListener?.(event, listener);
    globalThis.document?.addEventListener("visibilitychange", wake);
    if (globalThis.document && globalThis.BroadcastChannel) {
      this.#channel = new BroadcastChannel(this.name);
      this.#channel.onmessage = ({ data: { answer } }) => {
        if (answer) this.#settle(answer);
        this.#changed();
      };
    }
    this.#control.signal.addEventListener("abort", () => {
      for (const [event, listener] of Object.entries(events)) globalThis.removeEventListener?.(event, listener);
      globalThis.document?.removeEventListener("visibilitychange", wake);
      this.#channel?.close();
      this.#turn.abort();
    });
  }

  /** The writes without an answer, in their order: `{id, operations, since}`. */
  get pending() { return this.#entries.filter(({ problem }) => !problem).map(shown); }

  /** The writes that the gateway refused, with `error`. They stay until they are retried or discarded. */
  get conflicts() { return this.#entries.filter(({ problem }) => problem).map(shown); }

  /** Calls the listener at each change of `pending`, `conflicts` and `error`. Returns the function that ends this. */
  subscribe(listener) {
    const entry = () => listener(this);
    this.#listeners.add(entry);
    entry();
    return () => this.#listeners.delete(entry);
  }

  /**
   * Keeps a transaction, shows it in live results, and sends it when its turn comes. Resolves when it is kept, to
   * `{id, answered}`, where `answered` is a promise of the gateway's answer.
   */
  async transaction(block, { ifVersion } = {}) {
    const transaction = new Transaction();
    await block(transaction);
    const entry = { key: randomUUID(), body: stringify({ ifVersion, operations: transaction.operations }), since: Date.now() };
    const id = await this.storage.add(entry);
    const answered = new Promise((done, fail) => this.#answers.set(entry.key, { done, fail }));
    answered.catch(() => {});
    await this.#changed();
    this.#channel?.postMessage({});
    return { id, answered };
  }

  create(className, value, { update } = {}) { return this.transaction((tx) => { tx.create(className, value, { update }); }); }
  update(className, key, value) { return this.transaction((tx) => { tx.object(className, key).update(value); }); }
  delete(className, key) { return this.transaction((tx) => { tx.object(className, key).delete(); }); }

  /** Sends a refused write again, behind all others, as a new one; with a block, what the block writes in its place. */
  async retry(id, block, { ifVersion } = {}) {
    const entry = this.#entries.find((one) => one.id === id && one.problem);
    if (entry === undefined) throw new TypeError(`There is no conflict ${id}.`);
    const transaction = new Transaction();
    await block?.(transaction);
    const body = block ? stringify({ ifVersion, operations: transaction.operations }) : entry.body;
    const next = await this.storage.add({ key: randomUUID(), body, since: Date.now() });
    await this.discard(id);
    return next;
  }

  /** Forgets a refused write. */
  async discard(id) {
    if (!this.#entries.some((one) => one.id === id && one.problem)) throw new TypeError(`There is no conflict ${id}.`);
    await this.storage.delete(id);
    await this.#changed();
    this.#channel?.postMessage({});
  }

  /** Ends the sending from this page. What is kept stays. */
  close() { this.#control.abort(); }

  // MARK: Sending

  async #changed() {
    if (this.#control.signal.aborted) return;
    this.#entries = await this.storage.all();
    const open = this.#entries.filter(({ problem }) => !problem);
    for (const entry of open) this.#show(entry);
    // A page may have gone after an answer, without telling it.
    for (const key of [...this.#shown]) if (!this.#entries.some((entry) => entry.key === key)) this.#settle({ key, value: "{}", mark: null });
    this.#tell();
    this.#send();
  }

  #tell() { for (const listener of [...this.#listeners]) listener(); }

  /** Shows a write in the live results of this page until its answer is known. */
  #show({ key, body }) {
    if (this.#shown.has(key)) return;
    this.#shown.add(key);
    const waiting = this.#answers.get(key);
    const outcome = new Promise((done, fail) => {
      this.#answers.set(key, {
        done: (answer) => { done(answer); waiting?.done(answer); },
        fail: (error) => { fail(error); waiting?.fail(error); },
      });
    });
    outcome.catch(() => {});
    const { operations } = parse(body);
    // An object without a known key cannot be shown, and is written all the same.
    this.db.optimistically((module) => module.shownOperations(operations), () => outcome).catch(() => {});
  }

  #settle({ key, value, mark, problem }) {
    const { done, fail } = this.#answers.get(key) ?? {};
    this.#answers.delete(key);
    this.#shown.delete(key);
    if (problem) fail?.(new RealmgateError(problem.status, problem));
    else done?.({ ...parse(value), mark });
  }

  async #send() {
    if (this.#isSending || this.pending.length === 0) return;
    this.#isSending = true;
    const { signal } = this.#turn = new AbortController();
    try {
      await alone(this.name, signal, async () => {
        for (let failures = 0; !signal.aborted;) {
          let isAnswered = false;
          try {
            const entry = (await this.storage.all()).find(({ problem }) => !problem);
            if (entry === undefined || signal.aborted) break;
            isAnswered = await this.#attempt(entry, signal);
          } catch (error) {
            // The app's function for tokens has failed, or the storage: the writes wait, as they do without a network.
            if (signal.aborted) break;
            this.error = error;
            this.#tell();
          }
          failures = isAnswered ? 0 : failures + 1;
          if (failures > 0) await this.#wait(failures - 1, signal);
        }
      });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#isSending = false;
    }
    if (!signal.aborted) this.#changed();
  }

  /** Returns whether the gateway has answered. */
  async #attempt(entry, signal) {
    const answer = { key: entry.key };
    try {
      if (entry.sent && Date.now() - entry.sent > this.lifetime) throw uncertain();
      if (!entry.sent) await this.storage.put({ ...entry, sent: Date.now() });
      const { value, mark } = await this.db.transport.send("POST", "/v1/transactions", {
        body: entry.body, headers: { "Idempotency-Key": entry.key }, retries: 0, signal,
      });
      Object.assign(answer, { value: stringify(value), mark });
      await this.storage.delete(entry.id);
    } catch (error) {
      if (signal.aborted) return false;
      if (!(error instanceof RealmgateError)) throw error;
      // A credential that has expired is renewed by the app.
      if (error.code !== "outbox.uncertain" && (isTransient(error.status) || error.status === 401)) {
        this.error = error;
        this.#tell();
        return false;
      }
      answer.problem = { ...error, detail: error.message };
      await this.storage.put({ ...entry, problem: answer.problem });
    }
    this.error = null;
    this.#settle(answer);
    this.#entries = await this.storage.all();
    this.#tell();
    this.#channel?.postMessage({ answer });
    return true;
  }

  async #wait(attempt, signal) {
    const control = new AbortController();
    this.#wake = () => control.abort();
    signal.addEventListener("abort", this.#wake);
    await sleep(pause(attempt), control.signal).catch(() => {});
    signal.removeEventListener("abort", this.#wake);
    this.#wake = () => {};
  }
}

function shown({ id, body, since, problem }) {
  const { operations } = parse(body);
  return problem ? { id, operations, since, error: new RealmgateError(problem.status, problem) } : { id, operations, since };
}
