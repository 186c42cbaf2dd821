import assert from "node:assert/strict";
import { test } from "node:test";
import { Realmgate } from "../lib/realmgate.js";
import { applyUpdate } from "../lib/list-model.js";
import { Optimism, difference } from "../lib/optimism.js";
import { eventually, lengthFactor, limit, random, same } from "./support/check.js";
import { Proxy } from "./support/proxy.js";
import { Server } from "./support/server.js";

/** Applies what a callback is told to a copy, which has to become the array that it is given. */
function follower(query, options) {
  const seen = [];
  const observation = query.observe((items, change) => {
    const before = seen.at(-1)?.items ?? [];
    seen.push({ items, change });
    if (change.type === "initial") return;
    const { deletions, insertions, modifications } = change;
    const objects = { insertions: insertions.map((at) => items[at]), modifications: [] };
    const gone = new Set(deletions);
    const kept = before.flatMap((_, at) => (gone.has(at) ? [] : [at]));
    const places = applyUpdate(before.map((_, at) => at), { deletions, insertions, modifications: [], objects: { insertions: insertions.map(() => -1), modifications: [] } });
    same(places.filter((at) => at >= 0), kept);
    const changed = new Set(modifications);
    places.forEach((from, at) => { if (from >= 0 && !changed.has(from)) same(items[at], before[from]); });
    same(applyUpdate(before, { deletions, insertions, modifications: [], objects }).length, items.length);
  }, options);
  return Object.assign(observation, { seen });
}

test("optimistic writes", limit, async (t) => {
  const server = await Server.start(t);
  const db = new Realmgate(server.url);
  const proxy = await Proxy.start(t, server);
  const far = new Realmgate(proxy.url);
  t.after(() => far.close());
  const cards = far.objects("Card");
  await db.objects("Card").create([{ id: 1, title: "a", position: 1 }, { id: 2, title: "b", position: 2 }, { id: 3, title: "c", position: 3 }]);
  const all = follower(cards.sort("position").fields("id", "title", "position"));
  const done = follower(cards.filter("column == 'done'").sort("position"), { matches: (card) => card.column === "done" });
  const expanded = follower(cards.expand("owner").fields("id", "owner"));
  await eventually(() => all.state === "live" && done.state === "live" && expanded.state === "live");

  /** Withholds writes until `proxy.release()`. */
  function withhold() {
    proxy.holds = (head) => /^(POST|PATCH|PUT|DELETE) \/v1\/(objects|transactions)/.test(head);
  }

  await t.test("the first write is shown at once, while no request is answered", async () => {
    proxy.holds = () => true;
    const { length } = all.seen;
    const written = far.object("Card", 1).update({ title: "at once" }, { optimistic: true });
    await eventually(() => all.seen.length > length);
    same(all.items[0].title, "at once");
    await eventually(() => proxy.held === 1);
    proxy.release();
    await written;
    await far.object("Card", 1).update({ title: "a" });
    await eventually(() => all.items[0].title === "a");
  });

  await t.test("a change is shown before the answer, at its place, and stays", async () => {
    await far.schema();
    withhold();
    const answer = far.object("Card", 1).update({ position: 9, title: "moved" }, { optimistic: true });
    await eventually(() => all.items.at(-1).title === "moved");
    same(all.items.map(({ id }) => id), [2, 3, 1]);
    assert.equal(all.seen.at(-1).change.optimistic, true);
    await eventually(() => proxy.held === 1);
    assert.equal((await db.object("Card", 1).get()).title, "a");
    proxy.release();
    await answer;
    const { length } = all.seen;
    await eventually(() => all.version > 0 && all.items.at(-1).title === "moved");
    await db.object("Card", 2).update({ title: "other" });
    await eventually(() => all.items[0].title === "other");
    assert.ok(all.seen.slice(length).every(({ items }) => items.at(-1).title === "moved"));
  });

  await t.test("objects that are created, deleted or come to match are shown, where the client can tell", async () => {
    withhold();
    const creation = cards.create({ id: 4, title: "new", position: 0, column: "done" }, { optimistic: true });
    await eventually(() => done.items.length === 1 && all.items.length === 4);
    same(all.items.map(({ id }) => id), [4, 2, 3, 1]);
    proxy.release();
    await creation;
    withhold();
    const deletion = far.object("Card", 4).delete({ optimistic: true });
    await eventually(() => done.items.length === 0 && all.items.length === 3);
    const { length } = all.seen;
    proxy.release();
    await deletion;
    await db.object("Card", 2).update({ title: "tick" });
    await eventually(() => all.items.some(({ title }) => title === "tick"));
    assert.ok(all.seen.slice(length).every(({ items }) => !items.some(({ id }) => id === 4)), "it came back");
    withhold();
    const transaction = far.transaction((tx) => {
      tx.object("Card", 2).update({ title: "second" });
      tx.create("Card", { id: 5, position: 5, column: "done" }).update({ title: "five" });
      tx.object("Card", 3).delete();
    }, { optimistic: true });
    await eventually(() => same(all.items.map(({ id, title }) => [id, title]), [[2, "second"], [5, "five"], [1, "moved"]]));
    assert.equal(done.items.length, 1);
    proxy.release();
    await transaction;
    await eventually(async () => same(all.items, await db.objects("Card").sort("position").fields("id", "title", "position").get()));
    await eventually(async () => same(done.items, await db.objects("Card").filter("column == 'done'").sort("position").get()));
  });

  await t.test("a refused change is taken back, with the reason", async () => {
    const before = all.items;
    await assert.rejects(far.object("Card", 1).update({ title: "x", position: "far" }, { optimistic: true }), { code: "object.invalid_value" });
    const { items, change } = all.seen.at(-1);
    same(items, before);
    assert.equal(change.rolledBack.property, "position");
    await assert.rejects(cards.create({ id: 1, title: "twice" }, { optimistic: true }), { code: "object.duplicate_key" });
    same(all.items, before);
    proxy.refuse = (head) => (head.startsWith("PATCH") ? { status: 503, headers: { "Retry-After": "0" } } : null);
    await assert.rejects(new Realmgate(proxy.url, { retries: 0 }).object("Card", 1).update({ title: "y" }, { optimistic: true }), { status: 503 });
    proxy.refuse = () => null;
    same(all.items, before);
  });

  await t.test("linked objects that are expanded stay, and keys are needed", async () => {
    await db.objects("Person").create({ handle: "ada", city: "Rome" });
    await db.object("Card", 1).update({ owner: "ada" });
    await eventually(() => expanded.items.some(({ owner }) => owner?.city === "Rome"));
    const { length } = expanded.seen;
    await far.object("Card", 1).update({ owner: "ada", title: "again" }, { optimistic: true });
    assert.ok(expanded.seen.slice(length).every(({ items }) => items.find(({ id }) => id === 1).owner.city === "Rome"));
    await assert.rejects(far.objects("Bare").create({ x: 1 }, { optimistic: true }), /needs the object's key/);
  });

  await t.test("after a restore the observers have what the server has, not what was written", async () => {
    await server.backup("before.realmgate");
    await far.object("Card", 1).update({ title: "lost" }, { optimistic: true });
    await server.stop();
    await server.restore("before.realmgate");
    await server.resume();
    await eventually(() => all.items.find(({ id }) => id === 1).title !== "lost");
    same(all.items, await db.objects("Card").sort("position").fields("id", "title", "position").get());
  });

  await t.test("random writes of two clients end in what the server has", async (t) => {
    const { below, pick } = random(t);
    const write = async () => {
      const id = below(12);
      const value = { title: `t${below(100)}`, position: below(10), column: pick(["done", "todo"]) };
      const client = pick([far, db]);
      const optimistic = client === far;
      await pick([
        () => client.object("Card", id).update(value, { optimistic }),
        () => client.objects("Card").create({ id, ...value }, { optimistic, update: "modified" }),
        () => client.object("Card", id).delete({ optimistic }),
        () => client.transaction((tx) => { tx.object("Card", id).update(value); tx.object("Card", below(12)).update({ position: below(10) }); }, { optimistic }),
      ])().catch((error) => assert.equal(error.status, 404));
    };
    for (let round = 0; round < 30 * lengthFactor; round += 1) {
      await Promise.all(Array.from({ length: below(4) }, write));
      if (below(8) === 0) proxy.cut();
    }
    await eventually(async () => same(all.items, await db.objects("Card").sort("position").fields("id", "title", "position").get()));
    await eventually(async () => same(done.items, await db.objects("Card").filter("column == 'done'").sort("position").get()));
  });
});

test("differences lead from one array to the other", (t) => {
  const { below, shuffled } = random(t);
  for (let round = 0; round < 200 * lengthFactor; round += 1) {
    const make = () => {
      const keys = shuffled(Array.from({ length: 12 }, (_, id) => id)).slice(0, below(12));
      return keys.map((id) => ({ id, value: below(2) }));
    };
    const before = make();
    const after = make().map((item) => before.find((old) => old.id === item.id && old.value === item.value) ?? item);
    const { deletions, insertions, modifications } = difference(before, after, "id");
    const byKey = new Map(after.map((item) => [item.id, item]));
    const objects = { insertions: insertions.map((at) => after[at]), modifications: modifications.map((at) => byKey.get(before[at].id)) };
    same(applyUpdate(before, { deletions, insertions, modifications, objects }), after);
    assert.ok(modifications.every((at) => !deletions.includes(at)));
  }
});

test("writes are shown in the order in which they began, whichever of them waited for the schema", async () => {
  const schema = { classes: [{ name: "Card", primaryKey: "id" }] };
  let arrive;
  const readings = [new Promise((done) => { arrive = () => done(schema); }), Promise.resolve(schema)];
  const optimism = new Optimism(() => readings.shift() ?? Promise.resolve(schema));
  const observation = {
    about: { className: "Card", sort: "id", limit: null, isFiltered: false }, model: { value: [] }, items: [], version: 1, epoch: 0,
    onEnd() {},
    show(change) { this.items = this.overlay.view(this, change).items ?? this.items; },
  };
  optimism.attach(observation);
  const nothing = () => new Promise(() => {});
  optimism.during([{ className: "Card", kind: "create", value: { id: 5, title: "t5" } }], nothing, undefined, 1);
  optimism.during([{ className: "Card", kind: "set", key: 5, value: { title: "five" } }], nothing, undefined, 2);
  await new Promise((done) => setImmediate(done));
  same(observation.items, []);
  arrive();
  await eventually(() => observation.items.length === 1);
  same(observation.items, [{ id: 5, title: "five" }]);
});
