import { sleepAndWake, wake } from "./support/sleeping.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Realmgate } from "../lib/realmgate.js";
import { eventually, hasFixedSeeds, lengthFactor, limit, random, same } from "./support/check.js";
import { Proxy } from "./support/proxy.js";
import { Server } from "./support/server.js";
import { Wire } from "./support/wire.js";

/** Observes, and keeps what was shown. */
function watch(query, options) {
  const seen = [];
  const observation = query.observe((items, change) => seen.push({ items, change }), options);
  return Object.assign(observation, { seen });
}

test("live results", limit, async (t) => {
  const server = await Server.start(t);
  const db = new Realmgate(server.url);
  t.after(() => db.close());
  const cards = db.objects("Card");

  await t.test("a callback gets the result and the positions of each change, and arrays are left as they were", async () => {
    await cards.create([{ id: 1, title: "b" }, { id: 2, title: "d" }]);
    const live = watch(cards.sort("title").fields("id", "title"));
    await eventually(() => live.seen.length === 1);
    const first = live.items;
    same(live.seen[0].change, { type: "initial", version: live.version, deletions: [], insertions: [], modifications: [] });
    await cards.create({ id: 3, title: "c" });
    await eventually(() => live.seen.length === 2);
    same([live.seen[1].change.type, live.seen[1].change.insertions], ["update", [1]]);
    await db.transaction((tx) => { tx.object("Card", 1).update({ title: "z" }); tx.object("Card", 3).update({ title: "cc" }); });
    await eventually(() => live.seen.length === 3);
    const { deletions, insertions, modifications } = live.seen[2].change;
    same([deletions, insertions, modifications], [[0], [2], [1]]);
    same(live.items, [{ id: 3, title: "cc" }, { id: 2, title: "d" }, { id: 1, title: "z" }]);
    same(first, [{ id: 1, title: "b" }, { id: 2, title: "d" }]);
    live.stop();
    await cards.delete({ all: true });
    assert.equal(live.state, "ended");
    assert.equal(live.seen.length, 3);
  });

  await t.test("objects, lists, sets, maps, linking objects and sections are observed", async () => {
    await cards.create({ id: 1, title: "one", owner: { handle: "ada" } });
    const card = db.object("Card", 1);
    const all = {
      card: watch(card), tags: watch(card.collection("tags")), marks: watch(card.collection("marks")),
      rates: watch(card.collection("rates")), held: watch(db.object("Person", "ada").collection("cards").fields("id")),
      sections: watch(cards.fields("id").sections("title.first")),
    };
    await eventually(() => Object.values(all).every((one) => one.items !== null));
    await card.list("tags").append("a", "b");
    await card.set("marks").add(5, 4);
    await card.map("rates").put("EUR", 2);
    await card.map("rates").put("__proto__", 3);
    await card.update({ title: "two" });
    await cards.create({ id: 2, title: "alpha", owner: "ada" });
    await eventually(() => {
      same(all.card.items, { id: 1, title: "two", column: "", position: 0, owner: "ada", tags: ["a", "b"], marks: [4, 5], rates: all.rates.items, parts: [] });
      same(Object.entries(all.rates.items), [["EUR", 2], ["__proto__", 3]]);
      same([all.tags.items, all.marks.items], [["a", "b"], [4, 5]]);
      same(all.held.items, [{ id: 1 }, { id: 2 }]);
      same(all.sections.items, [{ key: "A", count: 1, items: [{ id: 2 }] }, { key: "T", count: 1, items: [{ id: 1 }] }]);
    });
    const ada = watch(db.object("Person", "ada"));
    await eventually(() => ada.items !== null);
    same(ada.items, { handle: "ada", city: null });
    await db.object("Person", "ada").update({ city: "Rome" });
    await eventually(() => ada.items.city === "Rome");
    same(ada.seen.at(-1).change.properties, ["city"]);
    // Linking objects are not written, and say that they have changed.
    const { length } = ada.seen;
    await cards.create({ id: 3, owner: "ada" });
    await eventually(() => ada.seen.length > length);
    ada.stop();
    await db.object("Card", 3).delete();
    await card.delete();
    await eventually(() => all.card.state === "ended" && all.tags.state === "ended");
    assert.equal(all.card.items, null);
    assert.equal(all.card.seen.at(-1).change.type, "deleted");
    same(all.tags.items, []);
    db.close();
    assert.ok(Object.values(all).every((one) => one.state === "ended"));
    await cards.delete({ all: true });
  });

  await t.test("aggregates and groups are observed as they are read, with the groups that others are", async () => {
    await cards.create([{ id: 1, column: "a", position: 3 }, { id: 2, column: "b", position: 4 }]);
    const whole = cards.aggregates({ sum: "position", max: ["position"] });
    const groups = cards.aggregates({ by: "column", average: "position" });
    const largest = cards.filter("position > $0", 0).aggregates({ by: ["column", "title"], top: 1 });
    const first = cards.sort("id").limit(1).aggregates({ by: "column", average: "position", order: ["-average(position)", "column"], limit: 1 });
    const having = cards.filter("position > $0", 0, 7).aggregates({ by: "column", sum: "position", having: "sum(position) > $1" });
    const bins = cards.aggregates({ by: "position", bins: 2 });
    const all = [whole, groups, largest, first, having, bins].map((one) => ({ one, live: watch(one) }));
    await eventually(() => all.every(({ live }) => live.items !== null));
    same(all[0].live.items, { count: 2, max: { position: 4 }, sum: { position: 7 } });
    same(all[1].live.items, [{ key: { column: "a" }, count: 1, average: { position: 3 } }, { key: { column: "b" }, count: 1, average: { position: 4 } }]);
    same(all[4].live.items, []);
    same(all[5].live.items, { bins: [{ from: 3, to: 4, count: 1 }, { from: 4, to: 5, count: 1 }], others: { groups: 0, count: 0 } });
    const before = all[1].live.items;
    await cards.create([{ id: 3, column: "c", position: 5 }, { id: 4, column: "b", position: 6 }]);
    await db.object("Card", 1).delete();
    for (const { one, live } of all) {
      const read = await one.get();
      await eventually(() => { same(live.items, read); same(live.items.others, read.others); });
    }
    same(all[2].live.items.others, { groups: 1, count: 1 });
    same(all[3].live.items, [{ key: { column: "b" }, count: 2, average: { position: 5 } }]);
    same(all[3].live.items.others, { groups: 1, count: 1 });
    same(all[4].live.items, [{ key: { column: "b" }, count: 2, sum: { position: 10 } }]);
    same(all[5].live.items.bins, [{ from: 4, to: 6, count: 2 }, { from: 6, to: 8, count: 1 }]);
    same(await cards.groups("column", { max: "position", order: "-max(position)", offset: 1 }), [{ key: { column: "c" }, count: 1, max: { position: 5 } }]);
    same(before.length, 2);
    for (const { live } of all) live.stop();
    await cards.delete({ all: true });
  });

  await t.test("values and positions are observed as they are read when they are awaited, also where there are none", async () => {
    await cards.create([{ id: 1, column: "a", position: 3, tags: ["x"] }, { id: 2, column: "b", position: 4 }]);
    const one = db.object("Card", 1);
    const all = [
      cards.sort("id").values("column"), cards.values("@sum.position"), cards.filter("id > $0", 5).values("@max.position"),
      cards.sort("-position").indexOf(1), cards.sort("id").indexWhere("position > $0", 3), cards.filter("id < $0", 9).indexWhere("column == $0", "c"),
      one.collection("tags").values("self"), one.collection("tags").indexOf("y"), cards.sort("id").limit(1).offset(1).values("id"),
    ].map((answer) => ({ answer, live: watch(answer) }));
    await eventually(() => all.every(({ live }) => live.state === "live"));
    same(all.map(({ live }) => live.items), [["a", "b"], 7, null, 1, 1, null, ["x"], null, [2]]);
    same(all[5].live.seen.map(({ change }) => change.type), ["initial"]);
    await db.transaction((tx) => {
      tx.create("Card", { id: 7, column: "c", position: 9 });
      tx.object("Card", 1).update({ position: 5, column: "d" });
      tx.object("Card", 1).list("tags").append("y");
    });
    for (const { answer, live } of all) {
      const read = await answer;
      await eventually(() => same(live.items, read));
      same(live.seen.at(-1).change, { type: live.seen.length > 1 ? "update" : "initial", version: live.version, deletions: [], insertions: [], modifications: live.seen.length > 1 ? [0] : [] });
    }
    same(all.map(({ live }) => live.items), [["d", "b", "c"], 18, 9, 1, 0, 2, ["x", "y"], 1, [2]]);
    same([all[3].live.seen.length, all[8].live.seen.length], [1, 1]);
    const { snapshot } = await db.snapshot({ ttl: 60 });
    await one.update({ column: "e" });
    same([await cards.sort("id").values("column").at(snapshot), await cards.sort("id").values("column").get()], [["d", "b", "c"], ["e", "b", "c"]]);
    await one.delete();
    await eventually(() => all[6].live.state === "ended" && all[7].live.state === "ended");
    for (const { live } of all) live.stop();
    await assert.rejects(cards.values("nope"), { code: "query.unknown_property" });
    same(await cards.values("nope").catch(({ code }) => code), "query.unknown_property");
    const errors = [];
    cards.values("nope").observe(() => {}, { onError: ({ code }) => errors.push(code) });
    await eventually(() => same(errors, ["query.unknown_property"]));
    assert.throws(() => cards.offset(1).observe(() => {}), TypeError);
    await cards.delete({ all: true });
  });

  await t.test("whatever a page follows, it needs one stream", async (t) => {
    const proxy = await Proxy.start(t, server);
    const heads = [];
    proxy.refuse = (head) => { heads.push(head); };
    const far = new Realmgate(proxy.url);
    t.after(() => far.close());
    await cards.create([{ id: 1, title: "one", position: 1, tags: ["a"] }, { id: 2, title: "two" }]);
    const bare = await db.objects("Bare").create({ x: 1 });
    const one = far.object("Card", 1);
    const all = {
      list: watch(far.objects("Card").sort("id").fields("id")), object: watch(one), bare: watch(far.object("Bare", bare.$key)),
      tags: watch(one.collection("tags")), rates: watch(one.collection("rates")), sections: watch(far.objects("Card").fields("id").sections("title")),
      sum: watch(far.objects("Card").aggregates({ sum: "position" })), groups: watch(far.objects("Card").aggregates({ by: "title" })),
      values: watch(far.objects("Card").sort("id").values("title")), index: watch(far.objects("Card").sort("-title").indexOf(1)),
    };
    await eventually(() => Object.values(all).every((live) => live.state === "live"));
    await db.transaction((tx) => {
      tx.object("Card", 1).update({ title: "zero", position: 5 });
      tx.object("Card", 1).list("tags").append("b");
      tx.object("Card", 1).map("rates").put("EUR", 2);
    });
    await db.object("Bare", bare.$key).update({ x: 7 });
    await eventually(() => {
      same([all.object.items.title, all.bare.items.x, all.tags.items, all.rates.items], ["zero", 7, ["a", "b"], { EUR: 2 }]);
      same([all.sections.items.map(({ key }) => key), all.sum.items.sum, all.groups.items.length], [["two", "zero"], { position: 5 }, 2]);
      same([all.values.items, all.index.items], [["zero", "two"], 0]);
    });
    await db.object("Bare", bare.$key).delete();
    await db.object("Card", 1).delete();
    await eventually(() => [all.object, all.bare, all.tags, all.rates].every((live) => live.state === "ended"));
    same([all.object.items, all.bare.items, all.tags.items, all.bare.seen.at(-1).change.type], [null, null, [], "deleted"]);
    await eventually(() => same([all.list.items, all.index.items, all.values.items], [[{ id: 2 }], null, ["two"]]));
    assert.equal(heads.filter((head) => /\/stream |\/observe\//.test(head)).length, 1);
    await cards.delete({ all: true });
  });

  await t.test("for await gives every change, and ends with the signal", async () => {
    const control = new AbortController();
    const seen = [];
    for await (const [items, change] of cards.observe({ signal: control.signal })) {
      seen.push([items.length, change.type]);
      if (items.length < 3) await cards.create({ id: items.length });
      else control.abort();
    }
    same(seen, [[0, "initial"], [1, "update"], [2, "update"], [3, "update"]]);
    for await (const [items] of cards.observe()) {
      assert.equal(items.length, 3);
      break;
    }
    await cards.delete({ all: true });
  });

  await t.test("options follow an absent callback, and an undefined argument is refused in place of finding what has none", async () => {
    const control = new AbortController();
    for (const all of [[undefined, { signal: control.signal }], [null, { signal: control.signal }], [{ signal: control.signal }]]) {
      const live = cards.observe(...all);
      await eventually(() => live.state === "live");
    }
    const empty = cards.with({ filter: "", sort: "", distinct: "" }).observe();
    await eventually(() => empty.state === "live");
    empty.stop();
    const absent = [cards.observe(), cards.observe(null), cards.observe(undefined), cards.observe(() => {}, null)];
    await eventually(() => absent.every((one) => one.state === "live"));
    const signalled = cards.observe(undefined, { signal: control.signal });
    control.abort();
    assert.equal(signalled.state, "ended");
    absent.forEach((one) => one.stop());
    for (const wrong of [() => cards.filter("owner == $0", undefined), () => cards.filter(undefined), () => cards.filter("id > $0 AND id < $1", 3, undefined)]) {
      assert.throws(wrong, TypeError);
    }
    assert.throws(() => cards.indexWhere("owner == $0", undefined), TypeError);
    same(await cards.filter("owner == $0", null).get(), []);
  });

  await t.test("many queries share one stream, and the set goes with them", async (t) => {
    const proxy = await Proxy.start(t, server);
    const heads = [];
    proxy.refuse = (head) => { heads.push(head); };
    const far = new Realmgate(proxy.url);
    const all = Array.from({ length: 30 }, (_, at) => watch(far.objects("Card").filter("id IN $0", [at, at + 30]).fields("id")));
    await eventually(() => all.every((one) => one.state === "live"));
    await cards.create(Array.from({ length: 60 }, (_, id) => ({ id })));
    await eventually(() => all.forEach((one, at) => same(one.items, [{ id: at }, { id: at + 30 }])));
    assert.equal(heads.filter((head) => /\/stream |\/observe\//.test(head)).length, 1);
    const set = /subscriptions\/(js-[^/]+)/.exec(heads.join())[1];
    far.close();
    await eventually(async () => (await db.transport.send("GET", `/v1/subscriptions/${set}`)).value.count === 0);
    await cards.delete({ all: true });
  });

  await t.test("where the server has no room for a set, queries have streams of their own", async (t) => {
    const small = await Server.start(t, { settings: ["subscription.setsPerCaller=1"] });
    const others = [new Realmgate(small.url), new Realmgate(small.url)];
    t.after(() => others.forEach((one) => one.close()));
    const all = others.flatMap((one) => [watch(one.objects("Card")), watch(one.objects("Person"))]);
    await eventually(() => all.every((one) => one.state === "live"));
    await others[0].objects("Card").create({ id: 1 });
    await eventually(() => all[0].items.length === 1 && all[2].items.length === 1);
    const more = others.flatMap((one) => [watch(one.object("Card", 1)), watch(one.object("Card", 1).collection("tags")), watch(one.objects("Card").values("id"))]);
    await eventually(() => all.concat(more).every((live) => live.state === "live" && live.items !== null));
    await others[0].objects("Card").create({ id: 2 });
    await others[0].object("Card", 1).update({ title: "new", tags: ["a"] });
    await eventually(() => same(more.map((live) => live.items.title ?? live.items), ["new", ["a"], [1, 2], "new", ["a"], [1, 2]]));
  });

  await t.test("a query that is wrong ends with its error, the others go on", async () => {
    const errors = [];
    const options = { onError: (error) => errors.push(error) };
    const wrong = [cards.filter("nope == 1"), cards.filter("id =="), cards.filter("title == 3")].map((query) => query.observe(() => {}, options));
    const right = watch(cards);
    await eventually(() => wrong.every((one) => one.state === "ended") && right.state === "live");
    same(errors.map((error) => error.code).sort(), ["query.syntax", "query.type_mismatch", "query.unknown_property"]);
    assert.equal(wrong[0].error.position, 0);
    await assert.rejects(async () => { for await (const _ of cards.filter("nope == 1").observe()) assert.fail(); }, { code: "query.unknown_property" });
    right.stop();
  });

  await t.test("a result beyond one event comes whole", async (t) => {
    const small = await Server.start(t, { settings: ["limits.eventBytes=4096"] });
    const other = new Realmgate(small.url);
    t.after(() => other.close());
    await other.objects("Card").create(Array.from({ length: 500 }, (_, id) => ({ id, title: "a long enough title" })));
    const all = [watch(other.objects("Card")), watch(other.objects("Card").sort("-id"))];
    await eventually(() => all.every((one) => one.seen.length > 0));
    same(all.map((one) => [one.seen[0].items.length, one.seen[0].change.type]), [[500, "initial"], [500, "initial"]]);
    await other.objects("Card").update({ title: "another one of them" }, { all: true });
    const fresh = await other.objects("Card").get();
    await eventually(() => same(all[0].items, fresh));
    await eventually(() => same(all[1].items, fresh.slice().reverse()));
  });

  await t.test("Retry-After of a stream is honoured, and closing reconnects to the server that comes", async (t) => {
    const proxy = await Proxy.start(t, server);
    const far = new Realmgate(proxy.url);
    t.after(() => far.close());
    const states = [];
    const live = watch(far.objects("Card"), { onState: (state, error) => states.push([state, error?.code ?? null]) });
    await eventually(() => live.state === "live");
    let refusals = 0;
    proxy.refuse = () => ((refusals += 1) <= 1 ? { status: 429, headers: { "Retry-After": "1" }, body: '{"code":"streams.limited"}' } : null);
    const begin = performance.now();
    proxy.cut();
    await eventually(() => refusals === 2);
    assert.ok(performance.now() - begin >= 990);
    await eventually(() => live.state === "live");
    await server.stop();
    await eventually(() => live.state === "waiting");
    assert.ok(states.some(([, code]) => code === "streams.limited") && states.some(([, code]) => code === "gateway.draining"));
    await server.resume();
    const { length } = live.seen;
    await cards.create({ id: 77 });
    await eventually(() => live.items.length === 1);
    same(live.seen.slice(length).map(({ change }) => change.type), ["update"]);
  });

  await t.test("a refused credential ends a live result with its error", async (t) => {
    const closed = await Server.start(t, { options: ["--auth"] });
    const nobody = new Realmgate(closed.url);
    const live = [nobody.objects("Card"), nobody.objects("Person")].map((query) => watch(query, { onError: () => {} }));
    await eventually(() => live.every((one) => one.state === "ended"));
    same(live.map((one) => one.error.code), ["auth.required", "auth.required"]);
  });
});

test("every state that an observer is shown is that of a fresh query, whatever happens to the connection", limit, async (t) => {
  const { next, below, pick } = random(t);
  const server = await Server.start(t, { settings: ["limits.eventBytes=2000"] });
  const db = new Realmgate(server.url);
  const proxy = await Proxy.start(t, server);
  const wire = new Wire();
  const { fetch } = wire;
  const clients = [new Realmgate(proxy.url, { fetch }), new Realmgate(proxy.url, { fetch, streams: 2 }), new Realmgate(server.url)];
  t.after(() => clients.forEach((client) => client.close()));

  const queries = [
    (client) => client.objects("Card").fields("id", "title", "position"),
    (client) => client.objects("Card").filter("column == $0", "a").sort("-position", "id"),
    (client) => client.objects("Card").filter("position > $0", 3).filter("column != $0", "b").sort("title").limit(5),
    (client) => client.objects("Card").filter("owner.city == $0", "Rome").sort("id").expand("owner"),
    (client) => client.objects("Card").distinct("column").sort("id"),
    (client) => client.objects("Person").sort("handle").fields("handle", "city", "cards"),
    (client) => client.objects("Card").sort("position").fields("id", "column").sections("column"),
    (client) => client.objects("Card").filter("position > 5").fields("id").sections("title.first", { ascending: false }),
    (client) => client.object("Person", "p0").collection("cards").sort("id").fields("id", "title"),
    (client) => client.objects("Card").aggregates({ sum: "position", max: "position" }),
    (client) => client.objects("Card").filter("position > 2").aggregates({ by: "column", average: "position" }),
    (client) => client.objects("Card").aggregates({ by: ["column", "owner.city"], top: 3 }),
    (client) => client.objects("Card").aggregates({ by: "column", average: "position", order: ["-average(position)", "column"], limit: 2 }),
    (client) => client.objects("Card").aggregates({ by: "column", average: "position", having: "average(position) > 4 OR count < 18" }),
    (client) => client.objects("Card").aggregates({ by: "position", bins: 4 }),
    (client) => client.objects("Card").sort("id").values("column"),
    (client) => client.objects("Card").filter("position > 4").values("@distinctUnionOfObjects.owner.city"),
    (client) => client.objects("Card").sort("-position", "id").indexOf(1000),
    (client) => client.objects("Card").sort("title", "id").indexWhere("position > $0", -1),
    (client) => client.object("Card", 1000).collection("tags").values("self"),
    (client) => client.object("Card", 1000).collection("tags"),
    (client) => client.object("Card", 1000).collection("rates"),
    (client) => client.object("Card", 1000),
  ];
  const people = ["p0", "p1", "p2"];
  await db.objects("Person").create(people.map((handle) => ({ handle })));
  await db.objects("Card").create([{ id: 1000 }, ...Array.from({ length: 60 }, (_, id) => ({ id, title: `t${id}`, column: pick(["a", "b", "c"]), position: below(10) }))]);

  /** The fresh results by era, query and version. A restored backup begins an era, in which versions come again. */
  let era = 0;
  let step = 0;
  const fresh = new Map();
  const shown = [];
  const live = clients.flatMap((client, place) => queries.map((query, number) => {
    const observation = query(client).observe((items, change) => {
      shown.push({ era, step, place, number, version: change.version, type: change.type, text: JSON.stringify(items) });
    }, { onError: (error) => shown.push({ error }) });
    return Object.assign(observation, { number });
  }));
  await eventually(() => live.every((one) => one.items !== null));

  let latest = "";
  async function note() {
    const all = await Promise.all(queries.map((query) => query(db).get()));
    const { version } = await db.objects("Bare").limit(1).get();
    all.forEach((items, number) => fresh.set(`${era} ${number} ${version}`, JSON.stringify(items)));
    latest = JSON.stringify(all[0]);
  }
  async function write(client = db) {
    const id = below(70);
    const value = () => ({ title: pick(["x", "y", "zz"]) + below(9), column: pick(["a", "b", "c"]), position: below(10), owner: pick([...people, null]) });
    const one = client.object("Card", 1000);
    await pick([
      () => client.objects("Card").create({ id, ...value() }, { update: "modified" }),
      () => client.objects("Card").create({ id, ...value() }, { update: "modified" }),
      () => client.objects("Card").filter("id == $0", id).delete(),
      () => client.objects("Card").filter("position == $0 AND id < 1000", below(10)).update({ column: pick(["a", "b", "c"]), position: below(10) }),
      () => client.object("Person", pick(people)).update({ city: pick(["Rome", "Oslo", null]) }),
      () => one.list("tags").append(String(below(100))),
      () => one.list("tags").clear(),
      () => one.map("rates").put(pick(["EUR", "USD", "CHF"]), below(100) / 4),
      () => one.map("rates").clear(),
      () => one.update({ title: `t${below(100)}` }),
      () => client.transaction((tx) => { for (let at = 0; at < 40; at += 1) tx.create("Card", { id: 100 + at, ...value() }, { update: "modified" }); }),
      () => client.objects("Card").filter("id >= 100 AND id < 1000").delete(),
    ])();
  }

  // Each fault is over when it has met what it is for, which changes of one object bring about: the random choices are
  // all made before, so that a run depends on its seed and not on how fast the machine is.
  let touches = 0;
  const reached = (block) => eventually(async () => {
    wake();
    if (block()) return;
    await db.object("Card", 1000).update({ title: `touched ${(touches += 1)}` });
    await note();
    return false;
  }, 50);
  /** Lets the function see streams until it has changed as many of their pieces as it has choices for. */
  const damaged = async (choices, place, name, none, change) => {
    place[name] = (piece, state) => {
      if (choices.length === 0) return none(piece);
      const changed = change(piece, choices[0], state);
      if (changed === null) return none(piece);
      choices.shift();
      return changed;
    };
    await reached(() => choices.length === 0);
    place[name] = none;
  };
  const onWire = (choices, change) => damaged(choices, wire, "change", (text) => [text], change);
  const replaced = (text, form, by) => (form.test(text) ? [text.replace(form, by)] : null);
  const refused = async (count, answer) => {
    let left = count;
    proxy.refuse = (head) => (left > 0 && head.startsWith("GET") ? (left -= 1, answer) : null);
    proxy.cut();
    await reached(() => left === 0);
  };
  const doomed = new Realmgate(server.url, { retries: 0 });
  const faults = {
    cut: () => proxy.cut(),
    middle: () => damaged([next(), next(), next()], proxy, "filter", (bytes) => bytes, (bytes, part, state) => {
      if (!/\/stream |\/observe\//.test(state.head) || bytes.length < 40) return null;
      state.isLast = true;
      return bytes.subarray(0, Math.floor(part * bytes.length));
    }),
    garbage: () => onWire([1, 2, 3], (text) => replaced(text, /data: \{"/g, 'data: {!"')),
    positions: () => onWire([1, 2, 3], (text) => replaced(text, /"(insertions|deletions|modifications)":\[(?=\d)/g, '"$1":[99999')),
    // What a client has to read over, and pieces that end anywhere.
    noise: () => onWire(Array.from({ length: 8 }, () => [next(), next()].sort((one, other) => one - other)), (text, parts, { isBetweenEvents }) => {
      const [first, second] = parts.map((part) => Math.floor(part * text.length));
      return [isBetweenEvents ? ": noise\n\nunknown: field\n\n" : "", text.slice(0, first), text.slice(first, second), text.slice(second)];
    }),
    stall: async () => {
      const { abandoned } = proxy;
      proxy.stall();
      await write();
      await note();
      sleepAndWake();
      await eventually(() => proxy.abandoned > abandoned);
      proxy.flow();
    },
    refuse: () => refused(1 + below(3), { status: pick([429, 503, 502]), headers: { "Retry-After": "0" } }),
    noEvents: () => refused(1 + below(3), { status: 200, headers: { "Content-Type": "text/html" }, body: "<p>Sign in to the hotel's network" }),
    kill: async () => { await server.kill(); await write(doomed).catch(() => {}); await server.resume(); },
    restore: async () => {
      await server.stop();
      await eventually(() => live.every((one) => one.state !== "live"));
      era += 1;
      await server.restore("early.realmgate");
      await server.resume();
    },
  };
  await server.backup("early.realmgate");
  await note();

  const order = Object.keys(faults);
  const steps = 50 * lengthFactor;
  for (; step < steps; step += 1) {
    if (step % 4 === 3) await faults[step < order.length * 4 ? order[Math.floor(step / 4)] : pick(order)]();
    await write();
    await note();
    if (next() < 0.3) await eventually(() => { wake(); return JSON.stringify(live.at(-queries.length).items) === latest; });
  }

  for (const one of live) {
    const expected = JSON.stringify(await queries[one.number](db).get());
    await eventually(() => { wake(); return JSON.stringify(one.items) === expected; });
  }
  // An object that a restored backup does not have would end its observers; the backup has it.
  same(shown.filter(({ error }) => error).map(({ error }) => error.message), []);
  let compared = 0;
  for (const { era: when, number, version, text, place, step: at, type } of shown) {
    const expected = fresh.get(`${when} ${number} ${version}`);
    if (expected === undefined) continue;
    compared += 1;
    if (text === expected) continue;
    const states = [...fresh].filter(([, one]) => one === text).map(([name]) => name);
    assert.equal(text, expected, `client ${place}, query ${number}, ${type} at version ${version} of era ${when}, step ${at}; `
      + `this is the state of (era, query, version) ${states.join("; ") || "nothing"}`);
  }
  t.diagnostic(`${shown.length} states shown, ${compared} compared with a fresh query`);
  if (hasFixedSeeds) assert.ok(compared > shown.length / 2);
});
