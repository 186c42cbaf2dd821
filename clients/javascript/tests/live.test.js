import assert from "node:assert/strict";
import { test } from "node:test";
import { Realmgate } from "../lib/realmgate.js";
import { eventually, random, same } from "./support/check.js";
import { Proxy } from "./support/proxy.js";
import { Server } from "./support/server.js";

/** Observes, and keeps what was shown. */
function watch(query, options) {
  const seen = [];
  const observation = query.observe((items, change) => seen.push({ items, change }), options);
  return Object.assign(observation, { seen });
}

test("live results", async (t) => {
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
    await card.delete();
    await eventually(() => all.card.state === "ended" && all.tags.state === "ended");
    assert.equal(all.card.items, null);
    assert.equal(all.card.seen.at(-1).change.type, "deleted");
    same(all.tags.items, []);
    db.close();
    assert.ok(Object.values(all).every((one) => one.state === "ended"));
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

  await t.test("many queries share one stream, and the set goes with them", async (t) => {
    const proxy = await Proxy.start(t, server);
    const heads = [];
    proxy.refuse = (head) => { heads.push(head); };
    const far = new Realmgate(proxy.url);
    const all = Array.from({ length: 30 }, (_, at) => watch(far.objects("Card").filter("id IN $0", [at, at + 30]).fields("id")));
    await eventually(() => all.every((one) => one.state === "live"));
    await cards.create(Array.from({ length: 60 }, (_, id) => ({ id })));
    await eventually(() => all.forEach((one, at) => same(one.items, [{ id: at }, { id: at + 30 }])));
    assert.equal(heads.filter((head) => /\/stream |\/observe\//.test(head)).length, 2);
    const set = /subscriptions\/(js-[^/]+)/.exec(heads.join())[1];
    far.close();
    await eventually(async () => (await db.transport.send("GET", `/v1/subscriptions/${set}`)).value.count === 0);
    await cards.delete({ all: true });
  });

  await t.test("where the server has no room for a set, queries have streams of their own", async (t) => {
    const small = await Server.start(t, { settings: ["subscription.setsPerCaller=1"] });
    const others = [new Realmgate(small.url, { streams: 0 }), new Realmgate(small.url, { streams: 0 })];
    t.after(() => others.forEach((one) => one.close()));
    const all = others.flatMap((one) => [watch(one.objects("Card")), watch(one.objects("Person"))]);
    await eventually(() => all.every((one) => one.state === "live"));
    await others[0].objects("Card").create({ id: 1 });
    await eventually(() => all[0].items.length === 1 && all[2].items.length === 1);
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
    const begin = Date.now();
    proxy.cut();
    await eventually(() => refusals === 2);
    assert.ok(Date.now() - begin >= 1000);
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

test("every state that an observer is shown is that of a fresh query, whatever happens to the connection", { timeout: 300_000 }, async (t) => {
  const { next, below, pick } = random(t);
  const server = await Server.start(t, { settings: ["limits.eventBytes=2000"] });
  const db = new Realmgate(server.url);
  const proxy = await Proxy.start(t, server);
  const clients = [new Realmgate(proxy.url, { silence: 1500 }), new Realmgate(proxy.url, { silence: 1500, streams: 0 }), new Realmgate(server.url, { streams: Infinity })];
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

  async function note() {
    await Promise.all(queries.map(async (query, number) => {
      const reader = query(db);
      const items = await reader.get();
      fresh.set(`${era} ${number} ${(await db.objects("Bare").limit(1).get()).version}`, JSON.stringify(items));
    }));
  }
  async function write() {
    const id = below(70);
    const value = () => ({ title: pick(["x", "y", "zz"]) + below(9), column: pick(["a", "b", "c"]), position: below(10), owner: pick([...people, null]) });
    const one = db.object("Card", 1000);
    await pick([
      () => db.objects("Card").create({ id, ...value() }, { update: "modified" }),
      () => db.objects("Card").create({ id, ...value() }, { update: "modified" }),
      () => db.objects("Card").filter("id == $0", id).delete(),
      () => db.objects("Card").filter("position == $0 AND id < 1000", below(10)).update({ column: pick(["a", "b", "c"]), position: below(10) }),
      () => db.object("Person", pick(people)).update({ city: pick(["Rome", "Oslo", null]) }),
      () => one.list("tags").append(String(below(100))),
      () => one.list("tags").clear(),
      () => one.map("rates").put(pick(["EUR", "USD", "CHF"]), below(100) / 4),
      () => one.map("rates").clear(),
      () => one.update({ title: `t${below(100)}` }),
      () => db.transaction((tx) => { for (let at = 0; at < 40; at += 1) tx.create("Card", { id: 100 + at, ...value() }, { update: "modified" }); }),
      () => db.objects("Card").filter("id >= 100 AND id < 1000").delete(),
    ])();
  }
  const pauseFor = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const faults = {
    cut: () => proxy.cut(),
    // The connection ends somewhere within what the server sends.
    middle: () => {
      proxy.filter = (bytes, state) => {
        if (state.isCut) return null;
        if (state.sent <= 200 || bytes.length <= 40) return bytes;
        state.isCut = true;
        return bytes.subarray(0, below(bytes.length));
      };
      setTimeout(() => { proxy.filter = (bytes) => bytes; proxy.cut(); }, 100);
    },
    garbage: () => { proxy.filter = (bytes) => Buffer.from(bytes.toString("latin1").replace(/data: \{"/g, 'data: {!'), "latin1"); setTimeout(() => { proxy.filter = (bytes) => bytes; }, 150); },
    // Far beyond every result: a client cannot tell a wrong position that its result has from a right one.
    positions: () => { proxy.filter = (bytes) => Buffer.from(bytes.toString("latin1").replace(/"(insertions|deletions)":\[(\d)/g, '"$1":[9999$2'), "latin1"); setTimeout(() => { proxy.filter = (bytes) => bytes; proxy.cut(); }, 100); },
    noise: () => { proxy.filter = (bytes) => (next() < 0.5 ? Buffer.concat([bytes, Buffer.from("\u0000garbage")]) : bytes); setTimeout(() => { proxy.filter = (bytes) => bytes; proxy.cut(); }, 100); },
    stall: () => { proxy.isStalled = true; setTimeout(() => { proxy.isStalled = false; }, 1800); },
    refuse: () => { const status = pick([429, 503, 502]); proxy.refuse = () => ({ status, headers: { "Retry-After": "0" } }); proxy.cut(); setTimeout(() => { proxy.refuse = () => null; }, 300); },
    noEvents: () => { proxy.refuse = () => ({ status: 200, headers: { "Content-Type": "text/html" }, body: "<p>Sign in to the hotel's network" }); proxy.cut(); setTimeout(() => { proxy.refuse = () => null; }, 200); },
    kill: async () => { await server.kill(); await write().catch(() => {}); await server.resume(); },
    restore: async () => {
      await server.stop();
      await eventually(() => live.every((one) => one.state !== "live" || one.state === "ended"));
      era += 1;
      await server.restore("early.realmgate");
      await server.resume();
    },
  };
  db.transport.retries = 0;
  await server.backup("early.realmgate");
  await note();

  const steps = Number(process.env.REALMGATE_STEPS ?? 120);
  const order = Object.keys(faults);
  for (; step < steps; step += 1) {
    if (step % 5 === 4) {
      const name = step < order.length * 5 ? order[Math.floor(step / 5)] : pick(order);
      await faults[name]();
      if (name === "kill") await db.objects("Bare").count();
    }
    await write();
    await note();
    if (next() < 0.3) await pauseFor(below(60));
  }
  await pauseFor(2000);
  await write();
  await note();

  // An object that a restored backup does not have would end its observers; the backup has it.
  same(shown.filter(({ error }) => error).map(({ error }) => error.message), []);
  for (const one of live) {
    const query = queries[one.number](db);
    const expected = JSON.stringify(await query.get());
    // After several faults in a row, a client may pause for half a minute before it connects again.
    await eventually(() => JSON.stringify(one.items) === expected, 60);
  }
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
  assert.ok(compared > shown.length / 2);
});
