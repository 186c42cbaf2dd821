import assert from "node:assert/strict";
import { test } from "node:test";
import { Realmgate } from "../lib/realmgate.js";
import { BufferingProxy } from "./support/buffering.js";
import { eventually, limit, same } from "./support/check.js";
import { Proxy } from "./support/proxy.js";
import { Server } from "./support/server.js";

/** So that a stream without a first line is given up after a tenth of a second. */
const silence = 400;

function watch(query, options) {
  const types = [];
  const observation = query.observe((_, change) => types.push(change.type), options);
  return Object.assign(observation, { types });
}

/** Everything that can be observed, of two cards. */
function all(db) {
  const cards = db.objects("Card").sort("id");
  const one = db.object("Card", 1);
  return {
    list: watch(cards.filter("position > $0", 0).fields("id", "title")), first: watch(cards.limit(1).fields("id")), object: watch(one),
    expanded: watch(one.fields("id", "title").expand("owner")), owner: watch(one.collection("owner"), { onError: () => {} }), tags: watch(one.collection("tags")),
    rates: watch(one.collection("rates")), sections: watch(cards.fields("id").sections("title")), sum: watch(cards.aggregates({ sum: "position" })),
    groups: watch(cards.aggregates({ by: "title", average: "position" })), values: watch(cards.values("title")), index: watch(cards.indexOf(2)),
    watched: watch(cards.keyPaths("owner.city").fields("id", "owner.city")),
  };
}

async function begin(t, { options } = {}) {
  const server = await Server.start(t);
  const proxy = await BufferingProxy.start(t, server);
  const near = new Realmgate(server.url);
  const far = new Realmgate(proxy.url, { silence, ...options });
  t.after(() => { near.close(); far.close(); });
  await near.objects("Card").create([
    { id: 1, title: "one", position: 1, tags: ["a"], rates: { EUR: 2 }, owner: { handle: "ada", city: "Rome" } }, { id: 2, title: "two", position: 2 },
  ]);
  return { server, proxy, near, far };
}

/** What an observation shows is what a read gives. */
const shown = (observations) => Object.fromEntries(Object.entries(observations).map(([name, { items }]) => [name, items]));

test("behind a proxy that keeps streams, everything is followed by long polls, with the values that streams give", limit, async (t) => {
  const { server, proxy, near, far } = await begin(t);
  const direct = all(near);
  const polled = all(far);
  const agree = () => eventually(() => {
    for (const observations of [direct, polled]) assert.ok(Object.values(observations).every(({ state }) => state === "live"));
    same(shown(polled), shown(direct));
    same(polled.groups.items.others, direct.groups.items.others);
  });
  await agree();
  same(polled.list.items, [{ id: 1, title: "one" }, { id: 2, title: "two" }]);
  await near.transaction((tx) => {
    tx.object("Card", 1).update({ title: "uno", position: 7 });
    tx.object("Card", 1).list("tags").append("b");
    tx.object("Card", 1).map("rates").put("USD", 3);
    tx.create("Card", { id: 0, title: "zero", position: 3 });
    tx.object("Person", "ada").update({ city: "Oslo" });
  });
  await eventually(() => same(polled.list.items, [{ id: 0, title: "zero" }, { id: 1, title: "uno" }, { id: 2, title: "two" }]));
  await agree();
  same([polled.first.items, polled.watched.items[1].owner.city, polled.index.items], [[{ id: 0 }], "Oslo", 2]);
  // The stream is given up, and so is its set.
  same(proxy.kept, 0);
  assert.equal(proxy.heads.filter((head) => /\/stream$/.test(head)).length, 1);
  assert.ok(!proxy.heads.some((head) => /\/observe\//.test(head)));
  await eventually(async () => {
    const set = /js-[\w-]+/.exec(proxy.heads.find((head) => /\/stream$/.test(head)))[0];
    same((await near.request("GET", `/v1/subscriptions/${set}`)).value.count, 0);
  });

  await t.test("a write of the client itself is seen, an object that is deleted ends, and one that is not there fails", async () => {
    await far.object("Card", 2).update({ title: "due" });
    await eventually(() => same(polled.values.items, ["zero", "uno", "due"]));
    const errors = [];
    watch(far.object("Card", 9), { onError: ({ code }) => errors.push(code) });
    watch(far.objects("Card").filter("nope == 1"), { onError: ({ code }) => errors.push(code) });
    await eventually(() => same([...errors].sort(), ["object.not_found", "query.unknown_property"]));
    await near.object("Card", 1).delete();
    // The stream of a path says that it leads elsewhere; a read says that there is nothing.
    for (const name of ["object", "expanded", "tags", "rates", "owner"]) await eventually(() => same([name, polled[name].state, polled[name].types.at(-1)], [name, "ended", "deleted"]));
    same(polled.object.items, null);
    await eventually(() => same(polled.list.items, [{ id: 0, title: "zero" }, { id: 2, title: "due" }]));
  });

  await t.test("after the server was away, what changed meanwhile is shown", async () => {
    await server.stop();
    await eventually(() => polled.list.state === "waiting" && polled.list.error.code === "connection.failed");
    await server.resume();
    await near.object("Card", 2).update({ title: "three" });
    await eventually(() => same([polled.list.state, polled.list.items.at(-1)], ["live", { id: 2, title: "three" }]));
  });

  await t.test("what is stopped is asked for no more", async () => {
    far.close();
    await eventually(async () => {
      const { length } = proxy.heads;
      await near.objects("Card").update({ position: length }, { all: true });
      await new Promise((done) => setTimeout(done, 50));
      return proxy.heads.length === length;
    });
  });
});

test("more results than there may be connections have turns", limit, async (t) => {
  const { proxy, near, far } = await begin(t, { options: { streams: 1 } });
  const lists = [1, 2, 3].map((id) => watch(far.objects("Card").filter("id >= $0", id).fields("id", "title").sort("id")));
  await eventually(() => lists.every(({ state }) => state === "live"));
  await near.objects("Card").create({ id: 3, title: "three" });
  await eventually(() => lists.every(({ items }) => items.at(-1)?.id === 3));
  await near.object("Card", 3).delete();
  await eventually(() => same(lists.map(({ items }) => items.length), [2, 1, 0]));
  assert.ok(proxy.heads.length > 0);
});

test("a result of more than a page comes whole, and a list of values as well", limit, async (t) => {
  const { near, far } = await begin(t);
  const many = Array.from({ length: 120 }, (_, index) => index);
  await near.objects("Card").create(many.slice(3).map((id) => ({ id, title: `t${id}`, owner: "ada" })));
  await near.object("Card", 2).update({ tags: many.map(String), marks: many });
  const lists = {
    cards: watch(far.objects("Card").fields("id")), held: watch(far.object("Person", "ada").collection("cards").fields("id")),
    tags: watch(far.object("Card", 2).collection("tags")), marks: watch(far.object("Card", 2).collection("marks")),
  };
  await eventually(() => same(Object.values(lists).map(({ items }) => items?.length), [119, 118, 120, 120]));
  await near.object("Card", 118).delete();
  await near.object("Card", 2).list("tags").append("last");
  await eventually(() => {
    same([lists.cards.items.length, lists.held.items.length, lists.tags.items.at(-1)], [118, 117, "last"]);
  });
});

test("a stream that breaks without a word once is a stream again, and one that is silent again and again is given up", limit, async (t) => {
  const server = await Server.start(t);
  const proxy = await Proxy.start(t, server);
  const near = new Realmgate(server.url);
  const far = new Realmgate(proxy.url, { silence });
  t.after(() => { near.close(); far.close(); });
  const heads = [];
  let keeps = false;
  // What the stream begins with passes, and nothing later: as with a proxy that has a buffer.
  proxy.refuse = (head) => { heads.push(head); };
  proxy.filter = (bytes, state) => {
    const isLater = state.hasPassed;
    if (/\/stream /.test(state.head)) state.hasPassed = true;
    return isLater && keeps ? Buffer.alloc(0) : bytes;
  };
  const cards = watch(far.objects("Card").sort("id").fields("id"));
  await eventually(() => cards.state === "live");
  keeps = true;
  const streams = () => heads.filter((head) => /\/stream /.test(head)).length;
  await eventually(() => streams() >= 2);
  await eventually(() => heads.some((head) => /^GET \/v1\/objects\/Card\?.*wait=/.test(head)));
  await near.objects("Card").create({ id: 5 });
  await eventually(() => same(cards.items, [{ id: 5 }]));
});
