import assert from "node:assert/strict";
import { test } from "node:test";
import { Outbox } from "../lib/outbox.js";
import { Realmgate, UUID } from "../lib/realmgate.js";
import { eventually, limit, same } from "./support/check.js";
import { Proxy } from "./support/proxy.js";
import { Server } from "./support/server.js";
import { wake } from "./support/sleeping.js";

/** What a browser keeps, as it outlives a page. */
class Disk {
  #text = "[]";
  #last = 0;
  get entries() { return JSON.parse(this.#text); }
  #set(entries) { this.#text = JSON.stringify(entries); }
  async all() { return this.entries; }
  async add(entry) {
    const id = (this.#last += 1);
    this.#set([...this.entries, { ...entry, id }]);
    return id;
  }
  async put(entry) { this.#set(this.entries.map((one) => (one.id === entry.id ? entry : one))); }
  async delete(id) { this.#set(this.entries.filter((one) => one.id !== id)); }
}

async function start(t, options) {
  const server = await Server.start(t);
  const proxy = await Proxy.start(t, server);
  const db = new Realmgate(server.url);
  const disk = new Disk();
  const pages = [];
  const open = async () => {
    const far = new Realmgate(proxy.url);
    const outbox = await Outbox.open(far, { storage: disk, ...options });
    pages.push(() => { outbox.close(); far.close(); });
    return { far, outbox };
  };
  t.after(() => {
    for (const close of pages) close();
    db.close();
  });
  return { server, proxy, db, disk, open };
}
const none = { refuse: () => ({ status: 503, body: '{"code":"x"}' }) };

test("writes without a network are kept over the end of a page, shown, and sent in their order", limit, async (t) => {
  const { proxy, db, disk, open } = await start(t);
  const first = await open();
  const live = first.far.objects("Card").sort("id").observe(() => {});
  await eventually(() => live.state === "live");
  proxy.refuse = none.refuse;
  const states = [];
  first.outbox.subscribe(({ pending, conflicts, error }) => states.push([pending.length, conflicts.length, error?.status ?? null]));
  await first.outbox.create("Card", { id: 1, title: "made" });
  await first.outbox.update("Card", 1, { title: "changed" });
  const id = new UUID();
  await first.outbox.transaction((tx) => {
    const ada = tx.create("Person", { handle: "ada" });
    tx.object("Card", 1).update({ owner: ada });
    tx.create("Thing", { id, big: 2n ** 60n, price: "1.10" });
  });
  await eventually(() => states.some(([pending, , status]) => pending === 3 && status === 503));
  await eventually(() => same(live.items?.map(({ id, title }) => [id, title]), [[1, "changed"]]));
  same(await db.objects("Card").get(), []);
  first.outbox.close();
  first.far.close();

  const second = await open();
  same(second.outbox.pending.map(({ operations }) => operations.map(({ op }) => op)), [["create"], ["set"], ["create", "set", "create"]]);
  proxy.refuse = () => null;
  await eventually(() => {
    wake();
    return second.outbox.pending.length === 0;
  });
  same(disk.entries, []);
  same([second.outbox.conflicts, second.outbox.error], [[], null]);
  const [card] = await db.objects("Card").get();
  same([card.title, card.owner], ["changed", "ada"]);
  same((await db.object("Thing", id).get()).big, 2n ** 60n);
});

test("a write whose answer was lost happens once, whoever sends it again", limit, async (t) => {
  const { proxy, db, open } = await start(t);
  const { outbox } = await open();
  let cuts = 0;
  // The answer is lost after the gateway has written.
  proxy.filter = (bytes, { head }) => (head.startsWith("POST /v1/transactions") && cuts < 3 ? (cuts += 1, null) : bytes);
  const kept = await outbox.create("Bare", { x: 7 });
  await eventually(() => {
    wake();
    return cuts === 2;
  });
  outbox.close();
  const { outbox: other } = await open();
  await eventually(() => {
    wake();
    return other.pending.length === 0;
  });
  assert.equal(cuts, 3);
  same((await db.objects("Bare").get()).map(({ x }) => x), [7]);
  assert.equal(typeof kept.id, "number");
});

test("a refused write is a conflict, the others go on, and it is retried or discarded", limit, async (t) => {
  const { db, open } = await start(t);
  const { outbox } = await open();
  await db.objects("Card").create({ id: 1, title: "theirs" });
  const all = [
    await outbox.transaction((tx) => {
      tx.require("Card", "id == $0 AND title == $1", [1, "as it was"]);
      tx.object("Card", 1).update({ title: "mine" });
    }),
    await outbox.create("Card", { id: 1 }),
    await outbox.create("Card", { id: 2, title: "two" }),
  ];
  await assert.rejects(all[0].answered, { code: "transaction.requirement_failed" });
  await assert.rejects(all[1].answered, { code: "object.duplicate_key" });
  const { mark, results } = await all[2].answered;
  assert.match(mark, /^\d+-/);
  same(results[0].key, 2);
  same(outbox.conflicts.map(({ id, error }) => [id, error.status]), [[all[0].id, 412], [all[1].id, 409]]);
  await outbox.discard(all[1].id);
  await outbox.retry(all[0].id, (tx) => tx.object("Card", 1).update({ title: "theirs and mine" }));
  await eventually(() => outbox.pending.length === 0);
  same(outbox.conflicts, []);
  same((await db.object("Card", 1).get()).title, "theirs and mine");
  await assert.rejects(outbox.discard(77), TypeError);
});

test("a write that was sent before the gateway forgot its key is not sent again by itself", limit, async (t) => {
  const { proxy, db, disk, open } = await start(t, { lifetime: 1 });
  proxy.refuse = none.refuse;
  const { outbox } = await open();
  const kept = await outbox.create("Bare", { x: 1 });
  await eventually(() => {
    wake();
    return outbox.conflicts.length === 1;
  });
  await assert.rejects(kept.answered, { code: "outbox.uncertain" });
  proxy.refuse = () => null;
  same(await db.objects("Bare").get(), []);
  same(disk.entries.length, 1);
});

test("an expired credential keeps writes waiting", limit, async (t) => {
  const { proxy, db, open } = await start(t);
  proxy.refuse = () => ({ status: 401, body: '{"code":"auth.expired"}' });
  const { outbox } = await open();
  await outbox.create("Bare", { x: 1 });
  await eventually(() => outbox.error?.status === 401);
  same(outbox.conflicts, []);
  proxy.refuse = () => null;
  await eventually(() => {
    wake();
    return outbox.pending.length === 0;
  });
  same((await db.objects("Bare").get()).length, 1);
});

test("a function for tokens that fails, and a storage that does, keep writes waiting", limit, async (t) => {
  const { proxy, db, disk } = await start(t);
  let fails = true;
  const token = () => {
    if (fails) throw new Error("not signed in");
    return "";
  };
  const far = new Realmgate(proxy.url, { token });
  const outbox = await Outbox.open(far, { storage: disk });
  t.after(() => { outbox.close(); far.close(); });
  await outbox.create("Bare", { x: 1 });
  await eventually(() => outbox.error?.message === "not signed in");
  same(outbox.pending.length, 1);
  fails = false;
  const { put } = disk;
  disk.put = async () => { throw new Error("the disk is full"); };
  await outbox.create("Bare", { x: 2 });
  await eventually(() => { wake(); return outbox.error?.message === "the disk is full"; });
  delete disk.put;
  same(disk.put, put);
  await eventually(() => { wake(); return outbox.pending.length === 0; });
  same(outbox.error, null);
  same((await db.objects("Bare").get()).length, 2);
});
