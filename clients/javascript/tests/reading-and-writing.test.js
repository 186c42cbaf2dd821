import assert from "node:assert/strict";
import { test } from "node:test";
import { Decimal128, Double, Link, ObjectId, Realmgate, RealmgateError, Timestamp, UUID } from "../lib/realmgate.js";
import { limit, same } from "./support/check.js";
import { Proxy } from "./support/proxy.js";
import { Server } from "./support/server.js";

test("reading and writing", limit, async (t) => {
  const server = await Server.start(t);
  const db = new Realmgate(server.url);
  const cards = db.objects("Card");

  await t.test("objects are created, read, changed, replaced and deleted", async () => {
    const created = await cards.create({ id: 1, title: "One", column: "todo", owner: { handle: "ada" }, parts: [{ size: 3 }] });
    assert.equal(created.owner, "ada");
    await cards.create([{ id: 2, title: "Two", column: "done", owner: "ada" }, { id: 3, title: "Three", column: "todo" }]);
    assert.equal((await db.object("Card", 2).update({ position: 1.5 })).position, 1.5);
    assert.equal((await db.object("Card", 3).replace({ title: "3" })).column, "");
    assert.equal((await db.object("Card", 3).get()).title, "3");
    await db.object("Card", 3).delete();
    assert.equal(await db.object("Card", 3).get(), null);
    assert.equal((await cards.create({ id: 1, title: "Uno" }, { update: "modified" })).title, "Uno");
    await assert.rejects(cards.create({ id: 1 }), (error) => error instanceof RealmgateError && error.code === "object.duplicate_key" && error.status === 409);
  });

  await t.test("the history of an object has its changes, newest first, with their values and types", async () => {
    const card = db.object("Card", 7);
    await card.replace({ title: "a", column: "todo" });
    const { mark } = await db.request("PATCH", "/v1/objects/Card/7", { value: { title: "b" } });
    await card.update({ position: 2.5 });
    await card.delete();
    const history = await card.history();
    same(history.map(({ kind }) => kind), ["deleted", "modified", "modified", "created"]);
    same(history[1].properties, { position: { old: 0, new: 2.5 } });
    same([history[2].properties, history[2].mark], [{ title: { old: "a", new: "b" } }, mark]);
    same([history[0].properties.title, history[3].properties.title], [{ old: "b" }, { new: "a" }]);
    assert.ok(history[0].time instanceof Date && history.version >= history[0].version && history.mark.startsWith(`${history.version}-`));
    assert.ok(history.next === null && history.begins.version < history[3].version);
    const first = await card.history({ limit: 3 });
    assert.ok(first.length === 3 && first.begins === null);
    const rest = await card.history({ after: first.next });
    same(rest.map(({ version }) => version), [history[3].version]);
    await assert.rejects(db.object("Card", 99_999).history(), { code: "object.not_found" });
  });

  await t.test("queries filter, sort, count, aggregate, group and page", async () => {
    await db.objects("Card").filter("id >= $0", 100).delete();
    await cards.create(Array.from({ length: 250 }, (_, at) => ({ id: 100 + at, title: `Card ${at}`, column: ["a", "b"][at % 2], position: at })));
    const query = cards.filter("id >= $0", 100).filter("column == $0 AND title != '$0' AND position < $1", "a", 200).sort("-id");
    assert.equal(await query.count(), 100);
    assert.equal((await query.get()).length, 100);
    const three = await query.limit(3).offset(1).fields("id").get();
    same(three, [{ id: 296 }, { id: 294 }, { id: 292 }]);
    assert.ok(three.version > 0 && three.mark.startsWith(`${three.version}-`));
    assert.equal((await query.first()).id, 298);
    same(await query.limit(0).get(), []);
    assert.equal(await cards.filter("id == -1").first(), null);
    assert.equal(await query.limit(3).offset(1).count(), 3);
    const pages = [];
    for await (const page of query.pages(30)) pages.push(page.length);
    same(pages, [30, 30, 30, 10]);
    same(await query.aggregate({ max: "id", average: ["position"] }).then(({ count, max, average }) => [count, max, average]), [100, { id: 298 }, { position: 99 }]);
    same((await cards.filter("id >= 100").groups("column", { sum: "position" })).map((group) => [group.key, group.count]), [[{ column: "a" }, 125], [{ column: "b" }, 125]]);
    same((await cards.filter("id >= 100").sections("column").get()).map(({ key, count }) => [key, count]), [["a", 125], ["b", 125]]);
    same(await cards.filter("id >= 100").sections("column", { ascending: false }).keys(), ["b", "a"]);
    assert.equal(await query.indexOf(296), 1);
    assert.equal(await query.indexOf(1), null);
    assert.equal(await query.indexWhere("id < $0", 296), 2);
    same(await cards.filter("id < 103 AND id >= 100").values("id"), [100, 101, 102]);
    assert.equal(await cards.values("@max.id"), 349);
    assert.equal(await query.update({ title: "same" }), 100);
    assert.equal(await cards.filter("title == 'same'").delete(), 100);
    await assert.rejects(cards.delete(), { code: "parameter.missing" });
    const long = cards.filter("id IN $0", Array.from({ length: 5000 }, (_, at) => at)).sort("id");
    assert.equal(await long.count(), await cards.count());
  });

  await t.test("a result of more than a page comes as a whole", async () => {
    await db.objects("Bare").create(Array.from({ length: 10_050 }, (_, x) => ({ x })));
    const all = await db.objects("Bare").get();
    assert.equal(all.length, 10_050);
    same(all.map(({ x }) => x), Array.from({ length: 10_050 }, (_, x) => x));
    assert.equal((await db.objects("Bare").limit(10_020).offset(5).get()).length, 10_020);
    await db.objects("Bare").delete({ all: true });
  });

  await t.test("values keep their types both ways", async () => {
    const value = {
      id: new UUID(), big: 9223372036854775807n, price: new Decimal128("1234567890123456789012345678901234"),
      when: new Timestamp("2026-01-31T12:00:00.123456789Z"), photo: Uint8Array.of(0, 1, 255), oid: new ObjectId(),
      ratio: 0.1, ["__proto__"]: "own", days: [new Date(0), new Date("2026-01-31T12:00:00Z")], bigs: { a: 2n ** 53n + 1n, b: 1 },
    };
    Object.assign(value, { extra: [new Double(NaN), 2n ** 60n, { deep: new Date(5) }, new Link("Card", 1), new UUID(), "2026-01-31T12:00:00Z"] });
    const things = db.objects("Thing");
    const written = await things.create(value);
    for (const read of [written, await db.object("Thing", value.id).get(), await things.filter("id == $0", value.id).first(), await things.filter("price == $0 AND when == $1 AND big == $2", value.price, value.when, value.big).first()]) {
      assert.ok(Object.hasOwn(read, "__proto__"));
      for (const [name, expected] of Object.entries(value)) same(read[name], expected, name);
      assert.ok(read.id.equals(value.id) && read.days[0] instanceof Date && read.photo instanceof Uint8Array);
      assert.equal(read.bigs.a, 2n ** 53n + 1n);
    }
    same(await things.values("big"), [9223372036854775807n]);
    same((await things.aggregate({ max: ["when", "price"] })).max, { when: value.when, price: value.price });
    const bare = await db.objects("Bare").create({ x: 1 });
    await db.object("Thing", value.id).update({ bare: new Link("Bare", bare.$key) });
    same((await db.object("Thing", value.id).get()).bare, new Link("Bare", bare.$key));
    same(await db.object("Thing", value.id).expand("bare").fields("bare").get(), { bare: { $key: bare.$key, x: 1 } });
    same(await db.object("Thing", value.id).value("bare"), { $key: bare.$key, x: 1 });
  });

  await t.test("NaN and infinities are numbers, both ways", async () => {
    const things = db.objects("Thing");
    for (const ratio of [NaN, Infinity, -Infinity]) {
      const { id } = await things.create({ id: new UUID(), ratio, extra: [ratio, String(ratio)] });
      const read = await db.object("Thing", id).get();
      assert.deepEqual([read.ratio, read.extra], [ratio, [ratio, String(ratio)]]);
      if (ratio === ratio) same(await things.filter("ratio == $0", ratio).count(), 1);
      await db.object("Card", 1).map("rates").put("r", ratio);
      assert.deepEqual((await db.object("Card", 1).get()).rates.r, ratio);
      assert.deepEqual((await things.filter("id == $0", id).values("ratio")), [ratio]);
      assert.deepEqual((await things.filter("id == $0", id).aggregate({ max: "ratio" })).max.ratio, Number.isNaN(ratio) ? null : ratio);
    }
    await db.object("Card", 1).map("rates").clear();
    const { id } = await things.create({ id: new UUID(), ratio: -0, big: -0 });
    const { ratio, big } = await db.object("Thing", id).get();
    assert.ok(Object.is(ratio, -0) && Object.is(big, 0));
  });

  await t.test("lists, sets, maps and embedded objects are edited in place", async () => {
    const card = db.object("Card", 1);
    same(await card.list("tags").append("a", "b", "c"), { modified: 3, count: 3 });
    await card.list("tags").insert(0, "first");
    await card.list("tags").replace(3, "C", { was: "c" });
    await card.list("tags").move(3, 0);
    await card.list("tags").remove(0, { was: "b" });
    assert.equal((await card.list("tags").remove(0, { was: "nothing" })).modified, 0);
    same(await card.collection("tags").get(), ["C", "first", "a"]);
    await card.set("marks").add(3, 1, 3);
    await card.set("marks").remove(1);
    await card.map("rates").put("EUR", 1.5);
    await card.map("rates").put("USD", 2);
    await card.map("rates").remove("USD");
    same(await card.collection("marks").get(), [3]);
    same(await card.collection("rates").get(), { EUR: 1.5 });
    await card.in("parts", 0).list("sizes").append(7);
    await card.in("parts", 0).update({ size: 4 });
    same(await card.value("parts", 0), { size: 4, sizes: [7] });
    same((await db.object("Person", "ada").collection("cards").sort("-id").fields("id").get()), [{ id: 2 }, { id: 1 }]);
    assert.equal(await db.object("Person", "ada").collection("cards").count(), 2);
    assert.equal(await card.value("title"), "Uno");
    await card.list("tags").clear();
    await card.list("tags").append(...Array.from({ length: 10_010 }, (_, at) => String(at)));
    assert.equal((await card.collection("tags").get()).length, 10_010);
    await card.list("tags").clear();
  });

  await t.test("a transaction is all or nothing, and refers to what it creates", async () => {
    const { results, version, mark } = await db.transaction((tx) => {
      const eve = tx.create("Person", { handle: "eve" });
      const card = tx.create("Card", { id: 900, owner: eve });
      card.list("tags").append("x");
      eve.update({ city: "Rome" });
      tx.require("Card", "id == $0", [900], { count: 1 });
      tx.object("Card", 1).update({ owner: eve });
    });
    assert.equal(results.length, 6);
    assert.ok(mark.startsWith(`${version}-`));
    same((await db.object("Card", 900).expand("owner").get()).owner, { handle: "eve", city: "Rome" });
    assert.equal((await db.object("Card", 1).get()).owner, "eve");
    await assert.rejects(
      db.transaction((tx) => { tx.object("Card", 900).delete(); tx.object("Card", 900).require(); }),
      (error) => error.code === "transaction.requirement_failed" && error.status === 412 && error.operation === 1);
    assert.ok(await db.object("Card", 900).get());
    await assert.rejects(db.transaction((tx) => tx.object("Card", 900).delete(), { ifVersion: mark.replace(/^\d+/, "1") }), { code: "transaction.version_changed" });
  });

  await t.test("errors say where and what instead", async () => {
    await assert.rejects(cards.filter("titel == 'x'").get(), (error) => {
      same([error.status, error.code, error.hint, error.position, error.length, error.parameter], [400, "query.unknown_property", "title", 0, 5, "filter"]);
      return error.message.includes("titel") && typeof error.requestId === "string";
    });
    await assert.rejects(db.object("Card", 1).update({ position: "high" }), { code: "object.invalid_value", property: "position", path: "$.position" });
    await assert.rejects(db.objects("Crad").get(), { status: 404, code: "object.unknown_class", hint: "Card" });
  });

  await t.test("keys of all forms are addressed", async () => {
    for (const handle of ["..", ".", "a/b", "ü ?#%", "$x"]) {
      await db.objects("Person").create({ handle });
      assert.equal((await db.object("Person", handle).get())?.handle, handle);
      await db.object("Person", handle).delete();
    }
  });

  await t.test("a snapshot keeps its version", async () => {
    const snapshot = await db.snapshot({ ttl: 60 });
    await db.object("Card", 900).update({ title: "later" });
    assert.equal((await cards.at(snapshot).filter("id == 900").first()).title, "");
    assert.equal((await db.object("Card", 900).at(snapshot).get()).title, "");
  });

  await t.test("a write whose answer is lost is sent again and runs once", async (t) => {
    const proxy = await Proxy.start(t, server);
    const far = new Realmgate(proxy.url);
    let lost = 0;
    proxy.filter = (bytes) => ((lost += 1) <= 2 ? null : bytes);
    await far.object("Card", 900).list("tags").append("once");
    assert.ok(lost > 2);
    same(await db.object("Card", 900).collection("tags").get(), ["x", "once"]);
    lost = 0;
    assert.equal((await far.objects("Card").create({ id: 901 })).id, 901);
  });

  await t.test("429 and 503 are tried again after Retry-After, 400 is not, and attempts end", async (t) => {
    const proxy = await Proxy.start(t, server);
    const far = new Realmgate(proxy.url, { retries: 2 });
    const answers = [{ status: 429, headers: { "Retry-After": "1" } }, { status: 503, headers: { "Retry-After": "0" } }];
    proxy.refuse = () => answers.shift() ?? null;
    const begin = performance.now();
    assert.ok((await far.objects("Card").count()) > 0);
    assert.ok(performance.now() - begin >= 990);
    let attempts = 0;
    proxy.refuse = () => (attempts += 1) && { status: 503, headers: { "Retry-After": "0" }, body: '{"code":"gateway.busy","detail":"Busy."}' };
    await assert.rejects(far.objects("Card").count(), { status: 503, code: "gateway.busy", message: "Busy." });
    assert.equal(attempts, 3);
    proxy.refuse = () => ({ status: 400, body: "no JSON" });
    await assert.rejects(far.objects("Card").count(), { status: 400, code: "http.400" });
  });

  await t.test("a stalled server is given up, a signal ends a request, and a lost server is an error", async (t) => {
    const proxy = await Proxy.start(t, server);
    proxy.stall();
    await assert.rejects(new Realmgate(proxy.url, { timeout: 200, retries: 0 }).objects("Card").count(), { status: 0, code: "connection.failed" });
    await assert.rejects(new Realmgate(proxy.url).objects("Card").count({ signal: AbortSignal.timeout(100) }), { name: "TimeoutError" });
    await assert.rejects(new Realmgate("http://127.0.0.1:1", { retries: 0 }).objects("Card").count(), { code: "connection.failed" });
  });

  await t.test("a request that the gateway holds back has that time as well, and one in vain is answered", async () => {
    const hurried = new Realmgate(server.url, { timeout: 500, retries: 0 });
    const { mark } = await hurried.request("GET", "/v1/objects/Card/900");
    const begin = performance.now();
    const { status, value } = await hurried.request("GET", "/v1/objects/Card/900", { parameters: { wait: 1, since: mark } });
    same([status, value], [204, null]);
    assert.ok(performance.now() - begin > 500);
  });

  await t.test("a response that is no JSON is a text for whoever asks for anything, and for others a failure", async (t) => {
    assert.match((await db.request("GET", "/v1/schema", { parameters: { format: "typescript" } })).value, /export interface Card /);
    assert.match((await db.request("GET", "/metrics")).value, /^# HELP /m);
    const proxy = await Proxy.start(t, server);
    const far = new Realmgate(proxy.url);
    proxy.refuse = () => ({ status: 200, headers: { "Content-Type": "text/html" }, body: "<title>Log in to the network</title>" });
    await assert.rejects(far.objects("Card").count(), { status: 0, code: "connection.failed" });
    same((await far.request("GET", "/v1/schema")).value, "<title>Log in to the network</title>");
  });

  await t.test("a token function gives a new token when the old one is refused", async (t) => {
    const proxy = await Proxy.start(t, server);
    const seen = [];
    proxy.refuse = () => null;
    const tokens = ["old", "new"];
    const far = new Realmgate(proxy.url, {
      token: async () => tokens.shift() ?? "new",
      fetch: (url, options) => {
        seen.push(options.headers.Authorization);
        return seen.length === 1 ? Promise.resolve(new Response('{"code":"auth.expired"}', { status: 401 })) : fetch(url, options);
      },
    });
    await far.objects("Card").count().catch(() => {});
    same(seen, ["Bearer old", "Bearer new"]);
  });
});
