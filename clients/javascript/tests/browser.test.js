import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { Realmgate } from "../lib/realmgate.js";
import { Browser } from "./support/browser.js";
import { eventually, limit, same } from "./support/check.js";
import { guide } from "./support/pages.js";
import { Proxy } from "./support/proxy.js";
import { Server } from "./support/server.js";

test("in a browser, from the server that serves the client", limit, async (t) => {
  const server = await Server.start(t);
  const db = new Realmgate(server.url);
  const browser = await Browser.start(t);
  const app = await browser.tab();
  await app.open(`${server.url}/static/icon.svg`);
  const prelude = `
    globalThis.module ??= import("/static/client/realmgate.js");
    globalThis.pages ??= [];`;
  const evaluate = (body, tab = app) => tab.evaluate(`(async () => { ${prelude} const { Realmgate, stringify, UUID } = await module; ${body} })()`);

  await t.test("it reads, writes and keeps types", async () => {
    const text = await evaluate(`
      const db = globalThis.db = new Realmgate(location.origin);
      const id = new UUID();
      await db.objects("Thing").create({ id, big: 2n ** 62n, photo: Uint8Array.of(1, 2), when: new Date(0) });
      const thing = await db.objects("Thing").filter("id == $0", id).fields("big", "photo", "when").first();
      return stringify(thing);`);
    assert.equal(text, '{"big":4611686018427387904,"photo":{"$binary":"AQI="},"when":{"$date":"1970-01-01T00:00:00.000Z"}}');
  });

  /** The streams that the server has open. */
  const open = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return Number(/^realmgate_streams_open (\d+)/m.exec(text)[1]);
  };

  await t.test("twenty live queries use one connection, and follow over a restart", async () => {
    await evaluate(`
      globalThis.live = Array.from({ length: 20 }, (_, at) => db.objects("Card").filter("position == $0", at).sort("id").observe(() => {}));
      return null;`);
    await eventually(() => app.evaluate("live.every((one) => one.state === 'live')"));
    await db.objects("Card").create(Array.from({ length: 20 }, (_, id) => ({ id, position: id })));
    await eventually(() => app.evaluate("live.every((one, at) => one.items.length === 1 && one.items[0].id === at)"));
    assert.equal(await open(), 1);
    await server.kill();
    await eventually(() => app.evaluate("live.every((one) => one.state === 'waiting')"));
    await server.resume();
    await db.objects("Card").filter("id < 10").update({ position: 3 });
    await eventually(() => app.evaluate("live[3].items.length === 10 && live[4].items.length === 0 && live.every((one) => one.state === 'live')"));
    same(await app.evaluate("live[3].items.map(({ id }) => id)"), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  await t.test("a page that is closed takes its stream with it", async () => {
    await app.close();
    await eventually(async () => await open() === 0);
  });

  // Debian's packages node-react and node-react-dom, as modules of CommonJS.
  const react = Object.entries({ react: "react", scheduler: "scheduler", "react-dom": "react-dom" })
    .map(([name, file]) => [name, `/usr/share/nodejs/${name}/cjs/${file}.production.min.js`]);
  const skip = react.every(([, file]) => existsSync(file)) ? false : "React is not installed";
  await t.test("the hook for React shows a query, follows it, changes it and lets it go", { skip }, async () => {
    await browser.open(`${server.url}/docs`);
    for (const [name, file] of react) {
      await browser.evaluate(`(() => {
        globalThis.modules ??= {};
        const module = { exports: {} };
        ((module, exports, require) => {${readFileSync(file, "utf8")}})(module, module.exports, (name) => modules[name]);
        modules[${JSON.stringify(name)}] = module.exports;
        return null;
      })()`);
    }
    await evaluate(`
      const { hooks } = await import("/static/client/react.js");
      const [React, ReactDOM] = [modules.react, modules["react-dom"]];
      const { useQuery } = hooks(React);
      const db = new Realmgate(location.origin);
      globalThis.renders = [];
      function Cards({ position }) {
        const { items, state } = useQuery(() => db.objects("Card").filter("position == $0", position).sort("id"), [position]);
        renders.push([position, items?.map(({ id }) => id).join() ?? null]);
        return React.createElement("p", { id: "shown" }, position + ":" + state + ":" + (items?.length ?? "none"));
      }
      const place = document.createElement("div");
      document.body.append(place);
      const root = ReactDOM.createRoot(place);
      globalThis.show = (position) => root.render(React.createElement(Cards, { position }));
      globalThis.hide = () => root.unmount();
      show(3);
      return null;`, browser);
    const shown = (text) => eventually(() => browser.evaluate(`document.getElementById("shown")?.textContent === ${JSON.stringify(text)}`));
    await shown("3:live:10");
    await db.object("Card", 15).update({ position: 3 });
    await shown("3:live:11");
    await browser.evaluate("show(16)");
    await shown("16:live:1");
    assert.ok((await browser.evaluate("renders")).every(([position, ids]) => position !== 16 || ids === null || ids === "16"));
    await browser.evaluate("hide()");
    same(browser.complaints, []);
  });
});

test("in a browser, writes that are made without a network outlive the page, and are sent once, by any page", limit, async (t) => {
  const server = await Server.start(t);
  const proxy = await Proxy.start(t, server);
  const db = new Realmgate(server.url);
  const browser = await Browser.start(t);
  const begin = async (tab) => {
    await tab.open(`${proxy.url}/static/icon.svg`);
    await tab.evaluate(`(async () => {
      const { Realmgate } = await import("/static/client/realmgate.js");
      const { Outbox } = await import("/static/client/outbox.js");
      globalThis.db = new Realmgate(location.origin);
      globalThis.cards = db.objects("Card").sort("id").observe(() => {});
      globalThis.outbox = await Outbox.open(db);
      globalThis.tell = () => [outbox.pending.length, outbox.conflicts.length];
      return null;
    })()`);
    await eventually(() => tab.evaluate("cards.state === 'live'"));
  };
  await begin(browser);
  proxy.refuse = (head) => (head.startsWith("POST") ? { status: 503, headers: { "Retry-After": "0" } } : null);
  same(await browser.evaluate(`(async () => {
    for (let id = 1; id <= 5; id += 1) await outbox.create("Card", { id, title: "t" + id });
    await outbox.update("Card", 9, { title: "nine" });
    await outbox.update("Card", 5, { title: "five" });
    return tell();
  })()`), [7, 0]);
  await eventually(() => browser.evaluate("cards.items.length === 5"));
  const other = await browser.tab();
  await begin(other);
  await browser.open("about:blank");
  same(await other.evaluate("tell()"), [7, 0]);
  // What another page has written is shown here as well.
  await eventually(() => other.evaluate("cards.items.map(({ title }) => title).join() === 't1,t2,t3,t4,five'"));
  await begin(browser);
  same(await db.objects("Card").count(), 0);
  proxy.refuse = () => null;
  for (const tab of [other, browser]) {
    await eventually(() => tab.evaluate("dispatchEvent(new Event('online')), tell().join() === '0,1'"));
    same(await tab.evaluate("outbox.conflicts.map(({ error }) => error.code)"), ["object.not_found"]);
  }
  same((await db.objects("Card").sort("id").get()).map(({ title }) => title), ["t1", "t2", "t3", "t4", "five"]);
  await other.evaluate("outbox.discard(outbox.conflicts[0].id)");
  await eventually(() => browser.evaluate("tell().join() === '0,0'"));
  same([...browser.complaints, ...other.complaints], []);
});

test("in a browser, a page of another origin shows the list of the guide", limit, async (t) => {
  const html = `<!doctype html><meta charset="utf-8"><title>Late</title><body><script type="module">${guide.find(({ language }) => language === "js").code}</script>`;
  let address = "";
  const pages = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(html.replaceAll("http://127.0.0.1:8080", address));
  });
  await new Promise((done) => pages.listen(0, "127.0.0.1", done));
  t.after(() => pages.close());
  const origin = `http://127.0.0.1:${pages.address().port}`;
  const open = await Server.start(t, { classes: null, options: ["--demo"], settings: [`cors.origins=${origin}`] });
  address = open.url;
  const browser = await Browser.start(t);
  await browser.open(`${origin}/`);
  const other = new Realmgate(open.url);
  t.after(() => other.close());
  const list = other.objects("Flight").filter("delay > $0 AND origin.state == $1", 60, "NY").sort("-delay").limit(20);
  const words = (flights) => flights.map((flight) => `${flight.carrier} ${flight.delay}`).join(", ");
  await eventually(async () => await browser.evaluate("document.body.textContent") === words(await list.get()));
  await other.object("Flight", (await list.get())[4].id).update({ delay: 1500 });
  await eventually(async () => (await browser.evaluate("document.body.textContent")).includes(" 1500,"));
  assert.deepEqual(browser.complaints, []);
});
