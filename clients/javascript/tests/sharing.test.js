import assert from "node:assert/strict";
import { test } from "node:test";
import { Realmgate } from "../lib/realmgate.js";
import { Browser } from "./support/browser.js";
import { BufferingProxy } from "./support/buffering.js";
import { eventually, limit, same } from "./support/check.js";
import { Proxy } from "./support/proxy.js";
import { Server } from "./support/server.js";

/** What a page does first: a client, two queries, six objects, and a request that no stream may hold up. */
const page = (prelude = "", options = "{}", module = "realmgate.js") => `(async () => {
  ${prelude}
  const { Realmgate } = await import("/static/client/${module}");
  globalThis.db = new Realmgate(location.origin, ${options});
  globalThis.shown = 0;
  const count = () => { shown += 1; };
  globalThis.lists = [db.objects("Card").sort("id").observe(count), db.objects("Card").filter("position > 2").sort("id").observe(count)];
  globalThis.objects = [1, 2, 3, 4, 5, 6].map((id) => db.object("Card", id).observe(count));
  globalThis.all = [...lists, ...objects];
  return null;
})()`;

const isLive = (tab) => tab.evaluate("all.every((one) => one.state === 'live' && one.items !== null)");
const titles = (tab) => tab.evaluate("[lists[0].items.map(({ title }) => title).join(), objects.map(({ items }) => items.title).join()].join(' ')");

async function start(t, options) {
  const server = await Server.start(t, options);
  const proxy = await Proxy.start(t, server);
  const db = new Realmgate(server.url);
  await db.objects("Card").create([1, 2, 3, 4, 5, 6].map((id) => ({ id, title: `t${id}`, position: id })));
  const streams = [];
  proxy.refuse = (head) => { if (/\/stream |\/observe\//.test(head)) streams.push(head); };
  const browser = await Browser.start(t);
  const begin = async (tab, ...all) => {
    await tab.open(`${proxy.url}/static/icon.svg`);
    await tab.evaluate(page(...all));
    await eventually(() => isLive(tab));
  };
  const follows = async (tabs, text) => {
    await db.objects("Card").update({ title: text }, { all: true });
    const expected = [1, 2, 3, 4, 5, 6].map(() => text).join();
    for (const tab of tabs) await eventually(async () => await titles(tab) === `${expected} ${expected}`);
  };
  /** The requests that pages send beside their streams are answered. */
  const answers = async (tabs) => {
    for (const tab of tabs) same(await tab.evaluate("Promise.all([1, 2, 3].map(() => db.objects('Card').count()))"), [6, 6, 6]);
  };
  return { server, proxy, db, streams, browser, begin, follows, answers };
}

test("pages of an origin have one stream together, in a shared worker, and one that goes takes only its own with it", limit, async (t) => {
  const { db, streams, browser, begin, follows, answers } = await start(t);
  const tabs = [browser, await browser.tab(), await browser.tab()];
  for (const tab of tabs) await begin(tab);
  same(streams.map((head) => head.replace(/js-[\w-]+/, "SET")), ["GET /v1/subscriptions/SET/stream HTTP/1.1"]);
  await answers(tabs);
  await follows(tabs, "one");
  const set = /js-[\w-]+/.exec(streams[0])[0];
  const size = async () => (await db.transport.send("GET", `/v1/subscriptions/${set}`)).value.count;
  same(await size(), 24);

  await t.test("a page that is closed or crashes takes its subscriptions with it", async () => {
    await tabs[1].close();
    await eventually(async () => await size() === 16);
    await tabs[2].crash();
    await eventually(async () => await size() === 8);
    await follows([browser], "two");
    same(streams.length, 1);
  });

  await t.test("an object that is deleted ends, one that is not there fails, and a key of another type fails", async () => {
    await db.objects("Card").create({ id: 7, title: "seven" });
    await browser.evaluate(`(() => {
      globalThis.ends = [];
      globalThis.more = ["7", 8, "x"].map((id) => db.object("Card", id).observe((item, { type }) => ends.push([id, type]), { onError: (error) => ends.push([id, error.code]) }));
    })()`);
    await eventually(() => browser.evaluate("ends.length === 3"));
    await db.object("Card", 7).delete();
    await eventually(() => browser.evaluate("ends.length === 4 && more.every(({ state }) => state === 'ended')"));
    same((await browser.evaluate("ends")).sort(), [["7", "deleted"], ["7", "initial"], ["x", "object.invalid_key"], [8, "object.not_found"]].sort());
  });

  const skip = browser.killSharedWorker ? false : "this browser's protocol cannot end a worker";
  await t.test("when the worker is killed, pages go on with another", { skip }, async () => {
    await browser.killSharedWorker();
    await follows([browser], "three");
    await answers([browser]);
    same(browser.complaints, []);
  });
});

test("without shared workers one page has the stream for all, and another takes over when it goes", limit, async (t) => {
  const { streams, browser, begin, follows, answers } = await start(t);
  const tabs = [browser, await browser.tab(), await browser.tab()];
  for (const tab of tabs) await begin(tab, "delete globalThis.SharedWorker;");
  same(streams.length, 1);
  await answers(tabs);
  await follows(tabs, "one");
  await browser.open("about:blank");
  await follows(tabs.slice(1), "two");
  same(streams.length, 2);
  await answers(tabs.slice(1));
  await tabs[1].crash();
  await follows(tabs.slice(2), "three");
  same(streams.length, 3);
  same(tabs.flatMap(({ complaints }) => complaints), []);
});

test("the bundle shares as the modules do, also without shared workers, and loads its other parts", limit, async (t) => {
  for (const prelude of ["", "delete globalThis.SharedWorker;"]) {
    const { streams, browser, begin, follows, answers } = await start(t);
    const tabs = [browser, await browser.tab()];
    for (const tab of tabs) await begin(tab, prelude, "{}", "bundle/realmgate.js");
    same(streams.length, 1);
    await answers(tabs);
    await browser.evaluate("db.transaction((tx) => { tx.create('Card', { id: 10, title: 'ten' }); }, { optimistic: true }).then(() => null)");
    await eventually(() => tabs[1].evaluate("lists[0].items.length === 7"));
    await browser.evaluate("db.object('Card', 10).delete()");
    await follows(tabs, "one");
    same(await browser.evaluate(`(async () => {
      const { Outbox } = await import("/static/client/bundle/outbox.js");
      const { UUID } = await import("/static/client/bundle/realmgate.js");
      const outbox = await Outbox.open(db);
      const id = new UUID();
      await (await outbox.create("Thing", { id, when: new Date(0) })).answered;
      return (await db.object("Thing", id).get()).when.getTime();
    })()`), 0);
    same(tabs.flatMap(({ complaints }) => complaints), []);
  }
});

test("a page that cannot load what it shares by goes live when it can", limit, async (t) => {
  const { proxy, browser, follows, streams } = await start(t);
  const { refuse } = proxy;
  let refused = 0;
  proxy.refuse = (head) => {
    if (!/shar(ing|ed-worker)|models/.test(head) || refused >= 6) return refuse(head);
    refused += 1;
    return { status: 503 };
  };
  await browser.open(`${proxy.url}/static/icon.svg`);
  await browser.evaluate(page());
  await eventually(() => browser.evaluate("all.some(({ state }) => state === 'waiting')"));
  await eventually(() => isLive(browser));
  assert.equal(refused, 6);
  await follows([browser], "one");
  same(streams.length, 1);
  same(browser.complaints, []);
});

test("pages of different callers do not share, and pages that say who the caller is share with a token that is renewed", limit, async (t) => {
  const { proxy, streams, browser, begin, follows } = await start(t);
  const tabs = [browser, await browser.tab(), await browser.tab()];
  const heads = [];
  const { refuse } = proxy;
  proxy.refuse = (head, whole) => {
    heads.push(whole);
    return refuse(head);
  };
  const token = "{ token: () => 'of-ada', share: 'ada' }";
  await begin(tabs[0], "", token);
  await begin(tabs[1], "", token);
  same(streams.length, 1);
  await begin(tabs[2], "", "{ token: () => 'of-bob', share: 'bob' }");
  same(streams.length, 2);
  await follows(tabs, "one");
  const other = await browser.tab();
  await begin(other, "", "{ token: () => 'of-bob' }");
  same(streams.length, 3);
  await begin(other, "", "{ share: false }");
  same(streams.length, 4);
});

test("what has no room in the set takes turns, so that requests are never held up", limit, async (t) => {
  const { db, proxy, streams, browser, begin, answers } = await start(t, { settings: ["subscription.setSize=10"] });
  const tabs = [browser, await browser.tab()];
  for (const tab of tabs) await begin(tab);
  const more = `(() => { globalThis.more = [1, 2, 3, 4, 5, 6].flatMap((id) => [
    db.object("Card", id).collection("tags").observe(() => {}), db.objects("Card").filter("id <= $0", id).aggregates({ sum: "position" }).observe(() => {}),
  ]).concat(db.objects("Card").fields("id").sections("title").observe(() => {})); })()`;
  for (const tab of tabs) await tab.evaluate(more);
  await answers(tabs);
  for (const tab of tabs) await eventually(() => tab.evaluate("more.every(({ items }) => items !== null)"));
  await db.object("Card", 3).list("tags").append("new");
  await db.object("Card", 6).update({ position: 60, title: "last" });
  await answers(tabs);
  for (const tab of tabs) {
    await eventually(async () => same(await tab.evaluate("[more[4].items, more[11].items.sum.position, more[12].items.length]"), [["new"], 75, 6]));
  }
  same(tabs.flatMap(({ complaints }) => complaints), []);
  assert.ok(streams.length > 14);
  assert.ok(proxy.held === 0);
});

test("pages behind a proxy that keeps streams follow by long polls, which leave connections for requests", limit, async (t) => {
  const { server, browser, follows, answers } = await start(t);
  const proxy = await BufferingProxy.start(t, server);
  const tabs = [browser, await browser.tab()];
  for (const [at, tab] of tabs.entries()) {
    await tab.open(`${proxy.url}/static/icon.svg`);
    await tab.evaluate(page("", "{ silence: 2000 }", at === 0 ? "realmgate.js" : "bundle/realmgate.js"));
  }
  for (const tab of tabs) await eventually(() => isLive(tab));
  await answers(tabs);
  await follows(tabs, "polled");
  assert.ok(proxy.heads.some((head) => /wait=/.test(head)));
  await eventually(() => proxy.kept === 0);
  for (const tab of tabs) same(tab.complaints, []);
});
