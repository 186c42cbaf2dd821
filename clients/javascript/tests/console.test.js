// The console in a browser: what must hold in each of them. Swift's ConsoleTests try the rest of it in Chromium.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { Realmgate } from "../lib/realmgate.js";
import { Browser } from "./support/browser.js";
import { eventually, limit, same } from "./support/check.js";
import { Server } from "./support/server.js";

/** A directory for pictures of the pages, for a person to look at. */
const pictures = process.env.REALMGATE_PICTURES || null;
if (pictures !== null) mkdirSync(pictures, { recursive: true });

const places = [
  "#/Flight", "#/Flight?view=sections&by=carrier", "#/Flight?view=summary", "#/Airport?view=map", "#/Flight?filter=delayy%20%3E%203", "#/Airport/JFK",
  "#/Nothing", "#/Nothing/3", "#nonsense", "#schema", "#diagram", "#streams", "#subscriptions", "#snapshots", "#transfer", "#access", "#metrics",
  "#logs", "#backup",
];

const row = (key) => `document.querySelector('.row[data-key="${key}"]')`;
const cell = (key, column) => `${row(key)}?.children[${column}]`;

test("in a browser, the console", limit, async (t) => {
  const server = await Server.start(t, { classes: null, options: ["--demo"] });
  const db = new Realmgate(server.url);
  const browser = await Browser.start(t);

  await t.test("each of its pages appears, at its width, and complains of nothing", async () => {
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      await browser.resize(width, height);
      await browser.open(`${server.url}/`);
      await browser.wait("document.querySelector('#state').dataset.state === 'live'");
      for (const place of places) {
        await browser.evaluate(`location.hash = ${JSON.stringify(place)}`);
        await browser.wait(`location.hash === ${JSON.stringify(place)} && [...document.querySelectorAll("main h1")].some((one) => one.checkVisibility())
          && document.querySelector("main .loading")?.checkVisibility() !== true && document.querySelector("#state")?.dataset.state !== "connecting"`);
        if (place === "#/Flight") await browser.wait("document.querySelectorAll('.row[role=row]').length > 5 && document.querySelector('#state').dataset.state === 'live'");
        if (/view=(sections|summary)/.test(place)) await browser.wait("document.querySelector('#other-view')?.checkVisibility() && document.querySelector('#other-view').textContent.includes('9E')");
        // No line of this server's log fits: the page knows all the same that it follows.
        if (place === "#logs") await browser.wait("document.querySelector('.panel-head [role=status]')?.textContent === 'Live'");
        if (place.includes("view=map")) await browser.wait("document.querySelectorAll('.map-list tbody tr').length > 5");
        if (place === "#diagram") await browser.wait("document.querySelector('main svg')");
        if (place === "#/Airport/JFK") await browser.wait("document.querySelector('.object-fields')");
        same([place, width, await browser.evaluate("document.documentElement.scrollWidth <= innerWidth")], [place, width, true]);
        if (pictures !== null) {
          await new Promise((done) => { setTimeout(done, 700); });
          const name = place.replace(/[^\w]+/g, "-").replace(/^-|-$/g, "");
          await browser.screenshot(`${pictures}/${process.env.REALMGATE_BROWSER || "chromium"}-${width}-${name}.png`);
        }
      }
    }
    await browser.resize(1440, 900);
    same(browser.complaints, []);
  });

  await t.test("its table follows a change, a new object and a deletion", async () => {
    await browser.open(`${server.url}/#/Airport?sort=iata`);
    await browser.wait(`document.querySelector('#state').dataset.state === 'live' && ${cell("00M", 1)}?.textContent === "Thigpen"`);
    await db.object("Airport", "00M").update({ name: "Thigpen Field" });
    await browser.wait(`${cell("00M", 1)}?.textContent === "Thigpen Field"`);
    await db.objects("Airport").create({ iata: "00A", name: "First", country: "USA", latitude: 1, longitude: 2 });
    await browser.wait(`${row("00A")}?.ariaRowIndex === "2" && document.querySelector("#tally").textContent.includes("3,377")`);
    await db.object("Airport", "00A").delete();
    await browser.wait(`${row("00A")} === null && document.querySelector("#tally").textContent.includes("3,376")`);
  });

  await t.test("a reader creates, edits and deletes an object, with the keyboard", async () => {
    await browser.open(`${server.url}/#/Airport?sort=iata`);
    await browser.wait(`document.querySelector('#state').dataset.state === 'live' && ${row("00M")}`);
    await browser.click("document.querySelector('#create')");
    await browser.wait("document.querySelector('#create-dialog').open && document.activeElement.name === 'iata'");
    await browser.type("0AA");
    for (const [name, value] of [["name", "Mine"], ["country", "USA"], ["latitude", "1.5"], ["longitude", "-2.5"]]) {
      await browser.click(`document.querySelector('#create-dialog [name=${name}]')`);
      await browser.type(value);
    }
    await browser.press("Enter");
    await browser.wait(`!document.querySelector('#create-dialog').open && ${cell("0AA", 1)}?.textContent === "Mine"`);
    same(await db.object("Airport", "0AA").get().then(({ name, latitude }) => [name, latitude]), ["Mine", 1.5]);

    await browser.click(cell("0AA", 1), 2);
    await browser.wait("document.activeElement.matches('.editor textarea')");
    await browser.evaluate("document.activeElement.select()");
    await browser.type("Yours");
    await browser.press("Enter");
    await browser.wait(`${cell("0AA", 1)}?.textContent === "Yours" && document.activeElement === ${cell("0AA", 1)}`);
    await eventually(async () => (await db.object("Airport", "0AA").get()).name === "Yours");

    await browser.press("Delete");
    await browser.wait("document.querySelector('#remove-dialog').open");
    await browser.press("Escape");
    await browser.wait("!document.querySelector('#remove-dialog').open");
    await browser.press("Delete");
    await browser.click("document.querySelector('#remove-dialog[open] [type=submit]')");
    await browser.wait(`${row("0AA")} === null`);
    same(await db.object("Airport", "0AA").get(), null);
    same(browser.complaints, []);
  });

  await t.test("a condition is typed, and selects", async () => {
    await browser.open(`${server.url}/#/Flight`);
    await browser.wait("document.querySelector('#state').dataset.state === 'live'");
    await browser.press("/");
    await browser.wait("document.activeElement.id === 'predicate'");
    await browser.type("origin.state == 'NY' AND delay > 60");
    await browser.press("Enter");
    const count = await db.objects("Flight").filter("origin.state == 'NY' AND delay > 60").count();
    await browser.wait(`document.querySelector('#tally').textContent.startsWith("${count.toLocaleString("en")} ")`);
    same(browser.complaints, []);
  });

  await t.test("two of its tabs share a stream, and the one that stays goes on when the other is closed", async () => {
    const open = async () => Number(/^realmgate_streams_open (\d+)/m.exec(await (await fetch(`${server.url}/metrics`)).text())[1]);
    const other = await browser.tab();
    for (const tab of [browser, other]) {
      await tab.open(`${server.url}/#/Airport?sort=iata&filter=state%20%3D%3D%20%22NY%22`);
      await tab.wait("document.querySelector('#state').dataset.state === 'live' && document.querySelectorAll('.row[role=row]').length > 5");
    }
    await eventually(async () => await open() === 1);
    const follows = async (name, ...tabs) => {
      await db.object("Airport", "01G").update({ name });
      for (const tab of tabs) await tab.wait(`${cell("01G", 1)}?.textContent === ${JSON.stringify(name)}`);
    };
    await follows("both", browser, other);
    await other.close();
    await follows("one", browser);
    assert.equal(await open(), 1);
    same([...browser.complaints, ...other.complaints], []);
  });
});

test("in a browser, a page of the console that could not be loaded appears when the server is back", limit, async (t) => {
  const server = await Server.start(t);
  // A browser that has none of its pages yet.
  const browser = await Browser.start(t);
  await browser.open(`${server.url}/#/Card`);
  await browser.wait("document.querySelector('#state').dataset.state === 'live'");
  await server.kill();
  await browser.evaluate("void (location.hash = '#snapshots')");
  await browser.wait("document.querySelector('#page h1')?.textContent === 'Not reachable'");
  await server.resume();
  await browser.click("[...document.querySelectorAll('#page button')].find((one) => /again/i.test(one.textContent))");
  await browser.wait("document.querySelector('#page h1')?.textContent === 'Snapshots'");
  same(browser.complaints, []);
});
