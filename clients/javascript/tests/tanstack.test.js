import assert from "node:assert/strict";
import { test } from "node:test";
import { Realmgate, UUID } from "../lib/realmgate.js";
import { collectionOptions } from "../lib/tanstack.js";
import { eventually, limit, same, within } from "./support/check.js";
import { Server } from "./support/server.js";
import { createCollection } from "./support/tanstack.js";

test("a collection of TanStack DB follows a query, and writes through it without a gap", limit, async (t) => {
  const server = await Server.start(t);
  const db = new Realmgate(server.url);
  const other = new Realmgate(server.url);
  t.after(() => { db.close(); other.close(); });
  await other.objects("Card").create([{ id: 1, title: "one", column: "a" }, { id: 2, title: "two", column: "b" }]);
  const query = db.objects("Card").filter("column == $0", "a").sort("id").fields("id", "title", "column");
  const options = collectionOptions(query, { key: "id", id: "cards", gcTime: 5 });
  same([options.id, options.gcTime, options.sync.rowUpdateMode], ["cards", 5, "full"]);
  const cards = createCollection(options);
  await eventually(() => cards.isReady);
  same(cards.rows, [{ id: 1, title: "one", column: "a" }]);

  await other.object("Card", 2).update({ column: "a" });
  await eventually(() => cards.rows.length === 2);
  await other.object("Card", 1).update({ title: "uno" });
  await eventually(() => cards.rows[0].title === "uno");

  // The rows are the written ones from the call on, and after the handler without its optimistic state.
  const inserted = cards.insert({ id: 3, title: "three", column: "a" }, { id: 4, title: "four", column: "a" });
  same(cards.rows.map(({ id }) => id), [1, 2, 3, 4]);
  await inserted;
  same([...cards.synced.keys()], [1, 2, 3, 4]);
  await cards.update(3, { title: "tres" });
  same(cards.synced.get(3).title, "tres");
  await cards.delete(4);
  same([...cards.synced.keys()], [1, 2, 3]);
  same((await other.objects("Card").sort("id").get()).map(({ title }) => title), ["uno", "two", "tres"]);

  await assert.rejects(cards.insert({ id: 1, title: "again", column: "a" }), { code: "object.duplicate_key" });
  same(cards.rows.find(({ id }) => id === 1).title, "uno");
  // After the end the rows stay, and writes do not wait for a result that nobody follows.
  cards.cleanup();
  await cards.insert({ id: 9, title: "nine", column: "a" });
  same(await other.objects("Card").count(), 4);
});

test("what the live result does not have is not waited for, and what it has is", limit, async (t) => {
  const server = await Server.start(t);
  const db = new Realmgate(server.url);
  t.after(() => db.close());
  const selected = db.objects("Card").filter("column == $0", "a");
  const limited = db.objects("Card").sort("id").limit(2).fields("id", "column");
  // No timer of ten seconds may be what ends these.
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (block, time, ...all) => (time === 10_000 ? setTimeout(block, 2 ** 31 - 1).unref() : setTimeout(block, time, ...all));
  t.after(() => { globalThis.setTimeout = setTimeout; });
  const soon = (promise) => within(promise, () => "the end of a write");
  for (const query of [selected, limited]) {
    const cards = createCollection(collectionOptions(query, { key: "id", id: String(query === limited) }));
    await eventually(() => cards.isReady);
    await soon(cards.insert({ id: 1, title: "one", column: "a" }, { id: 2, title: "two", column: "a" }));
    same([...cards.synced.keys()], [1, 2]);
    await soon(cards.insert({ id: 7, title: "seven", column: "b" }));
    same([...cards.synced.keys()], [1, 2]);
    // An update that changes nothing, and one by which an object leaves.
    await soon(cards.update(1, { column: "a" }));
    await soon(cards.update(2, { column: "b" }));
    same([...cards.synced.keys()], query === limited ? [1, 2] : [1]);
    await soon(cards.delete(1));
    same([...cards.synced.keys()], query === limited ? [2, 7] : []);
    cards.cleanup();
    await db.objects("Card").delete({ all: true });
  }
});

test("keys that are objects are texts for the collection, and a query that is wrong becomes ready with its error", limit, async (t) => {
  const server = await Server.start(t);
  const db = new Realmgate(server.url);
  t.after(() => db.close());
  const things = createCollection(collectionOptions(db.objects("Thing").fields("id", "big"), { key: "id" }));
  const id = new UUID();
  await eventually(() => things.isReady);
  await things.insert({ id, big: 2n ** 61n });
  same([...things.synced], [[String(id), { id, big: 2n ** 61n }]]);
  await things.update(String(id), { big: 3 });
  same((await db.object("Thing", id).get()).big, 3);
  await things.delete(String(id));
  same(await db.objects("Thing").count(), 0);
  things.cleanup();

  const errors = [];
  const wrong = createCollection(collectionOptions(db.objects("Card").filter("nope == 1"), { key: "id", onError: (error) => errors.push(error.code) }));
  await eventually(() => wrong.isReady && errors.length === 1);
  same(errors, ["query.unknown_property"]);
  assert.throws(() => collectionOptions(db.objects("Card")), /key/);
});
