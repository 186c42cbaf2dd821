// The code of the guide and of the README runs as it is on the page, in the order of the page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as client from "../lib/realmgate.js";
import { eventually, limit, same } from "./support/check.js";
import { guide, readme } from "./support/pages.js";
import { Server, program } from "./support/server.js";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const lib = join(here, "lib");
const directory = mkdtempSync(join(tmpdir(), "realmgate-guide-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const [live, objects, observed, iterated, writes, transaction, outboxed, react, svelte, tanstack] = guide.filter((one) => one.language === "js");
const { Realmgate, UUID } = client;

/** Runs code as a module does, with these names around it; gives back the names that it declares and that are asked for. */
async function run(code, names = {}, wanted = []) {
  const file = join(directory, `block-${(run.count = (run.count ?? 0) + 1)}.mjs`);
  // Of the addresses of modules, Node.js reads files alone.
  const known = {
    realmgate: "realmgate.js", "realmgate/react": "react.js", "realmgate/store": "store.js", "realmgate/tanstack": "tanstack.js",
    "@tanstack/db": "../tests/support/tanstack.js",
  };
  const placed = code.replace(/ from "([^"]+)"/g, (_, name) => {
    const found = known[name] ?? /\/static\/client\/([\w-]+\.js)$/.exec(name)?.[1] ?? null;
    return found === null ? ` from "${name}"` : ` from ${JSON.stringify(pathToFileURL(join(lib, found)).href)}`;
  });
  const imports = [...placed.matchAll(/^import .*$/gm)].map(([line]) => line);
  const body = placed.replace(/^import .*$/gm, "");
  writeFileSync(file, `${imports.join("\n")}
    export async function block({ ${Object.keys(names).join(", ")} }) {
      ${body}
      return { ${wanted.join(", ")} };
    }`);
  return (await import(pathToFileURL(file).href)).block(names);
}

test("the guide has a test for each of its blocks", () => {
  assert.deepEqual(guide.map((one) => one.language), ["js", "js", "js", "js", "js", "js", "js", "ts", "js", "js", "js"]);
});

test("reading and observing, on the demo", limit, async (t) => {
  const server = await Server.start(t, { classes: null, options: ["--demo"] });
  const local = (code) => code.replaceAll("http://127.0.0.1:8080", server.url);
  const globals = { document: { body: { textContent: "" } } };
  const { db, late } = await run(local(live.code), globals, ["db", "late"]);
  t.after(() => db.close());

  await t.test("the list at the top follows the data", async () => {
    await eventually(() => globals.document.body.textContent !== "");
    const shown = await late.get();
    assert.ok(shown.length > 0 && shown.every((flight) => flight.delay > 60));
    assert.equal(globals.document.body.textContent, shown.map((flight) => `${flight.carrier} ${flight.delay}`).join(", "));
    const first = shown[0];
    await db.object("Flight", first.id).update({ delay: 2000 });
    await eventually(() => globals.document.body.textContent.startsWith(`${first.carrier} 2000,`));
  });

  await t.test("an object, its linking objects and the object behind a link", async () => {
    const { jfk } = await run(objects.code, { db }, ["jfk"]);
    assert.equal((await jfk.get()).iata, "JFK");
    const departures = await jfk.collection("departures").sort("-delay").limit(3).get();
    assert.ok(departures.length === 3 && departures.every((flight) => flight.origin === "JFK"));
    const { origin } = await db.object("Flight", 7).get();
    assert.equal((await db.object("Flight", 7).value("origin")).iata, origin);
  });

  await t.test("a callback with positions, and its end", async () => {
    const seen = [];
    const names = {
      late, drawAll: (items) => seen.push(["all", items.length]), draw: (items, ...positions) => seen.push(["some", ...positions]),
      show: (message) => seen.push(["error", message]), showState: (state) => seen.push(["state", state]),
    };
    // The last line stops it: before that, it is observed here.
    const [begin, end] = observed.code.split("observation.stop();");
    assert.equal(end.trim(), "");
    const { observation } = await run(begin, names, ["observation"]);
    await eventually(() => seen.some(([what]) => what === "all"));
    const last = observation.items.at(-1);
    await db.object("Flight", last.id).update({ delay: 1999 });
    await eventually(() => seen.some(([what]) => what === "some"));
    assert.deepEqual(seen.find(([what]) => what === "some").slice(1), [[19], [1], []]);
    observation.stop();
    assert.deepEqual(seen.filter(([what]) => what === "error"), []);
    assert.deepEqual(seen.filter(([what]) => what === "state").map(([, state]) => state).slice(-2), ["live", "ended"]);
  });

  await t.test("a loop in place of a callback", async () => {
    const control = new AbortController();
    const drawn = [];
    await run(iterated.code, {
      late, signal: control.signal,
      draw: (items, change) => {
        drawn.push([items.length, change.type]);
        control.abort();
      },
    }).catch((error) => assert.equal(error.name, "AbortError"));
    assert.deepEqual(drawn, [[20, "initial"]]);
  });

  await t.test("the block in TypeScript is accepted by tsc", () => {
    const place = join(directory, "types");
    execFileSync("mkdir", ["-p", join(place, "node_modules/realmgate")]);
    for (const file of readdirSync(lib).filter((name) => name.endsWith(".d.ts"))) copyFileSync(join(lib, file), join(place, "node_modules/realmgate", file));
    writeFileSync(join(place, "node_modules/realmgate/package.json"), JSON.stringify({ name: "realmgate", types: "realmgate.d.ts" }));
    writeFileSync(join(place, "classes.ts"), execFileSync(program, ["types", "typescript", "--data", server.data], { encoding: "utf8" }));
    const { code } = guide.find((one) => one.language === "ts");
    writeFileSync(join(place, "use.ts"), `${code}\nexport const states: (string | null | undefined)[] = flights.map((flight) => flight.origin?.state);\n`);
    const compilerOptions = {
      noEmit: true, strict: true, target: "es2022", module: "es2022", moduleResolution: "node", types: [],
      lib: ["es2022", "dom", "dom.iterable", "esnext.asynciterable"],
    };
    writeFileSync(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
    let said = "";
    try {
      execFileSync("tsc", ["--project", place], { encoding: "utf8" });
    } catch (error) {
      said = error.stdout;
    }
    assert.equal(said, "");
  });

  await t.test("a store", async () => {
    const { delays } = await run(svelte.code, { db }, ["delays"]);
    const end = delays.subscribe(() => {});
    await eventually(() => delays.value.items?.length > 0);
    assert.ok(delays.value.items.every((flight) => flight.delay > 60));
    end();
  });

  // Debian's packages node-react and node-react-dom, as modules of CommonJS.
  const files = ["react/cjs/react.production.min.js", "react-dom/cjs/react-dom-server-legacy.node.production.min.js"].map((name) => `/usr/share/nodejs/${name}`);
  await t.test("a hook for React", { skip: files.every(existsSync) ? false : "React is not installed" }, async () => {
    const require = createRequire(import.meta.url);
    let React = null;
    const load = (file) => {
      const module = { exports: {} };
      new Function("require", "module", "exports", readFileSync(file, "utf8"))((name) => (name === "react" ? React : require(name)), module, module.exports);
      return module.exports;
    };
    React = load(files[0]);
    const { renderToString } = load(files[1]);
    const code = react.code.replace(/^import \* as React.*$/m, "").replace("  …\n", '  return React.createElement("p", null, error?.message ?? items?.length ?? "nothing yet");\n');
    assert.doesNotMatch(code, /…/);
    const { Delays } = await run(code, { db, React }, ["Delays"]);
    assert.equal(renderToString(React.createElement(Delays, { state: "NY" })), "<p>nothing yet</p>");
  });
});

test("writes", limit, async (t) => {
  const server = await Server.start(t, { classes: { schemaVersion: 1, classes: [
    { name: "Card", primaryKey: "id", properties: [
      { name: "id", type: "uuid" }, { name: "title", type: "string" }, { name: "column", type: "string" }, { name: "added", type: "date?" }] },
    { name: "Person", primaryKey: "name", properties: [
      { name: "name", type: "string" }, { name: "tags", type: "string[]" }, { name: "marks", type: "int<>" }, { name: "prices", type: "double{}" }] },
    { name: "Dog", primaryKey: "id", properties: [{ name: "id", type: "int" }, { name: "owner", type: "Person?" }, { name: "tags", type: "string[]" }] },
  ] } });
  const db = new Realmgate(server.url);
  t.after(() => db.close());
  await db.objects("Person").create({ name: "ada", tags: ["first", "old"] });
  await db.objects("Dog").create({ id: 2 });
  await db.objects("Card").create([{ id: new UUID(), column: "Done" }, { id: new UUID(), column: "To do" }]);

  const { card } = await run(writes.code, { db, UUID }, ["card"]);
  assert.ok(card.id instanceof UUID && card.added instanceof Date);
  same((await db.objects("Card").get()).map((one) => one.column), ["To do"]);
  same(await db.object("Person", "ada").get(), { name: "ada", tags: ["new", "first"], marks: [7], prices: { EUR: 1.5 } });

  const { mark } = await db.objects("Dog").get();
  await run(transaction.code, { db, mark });
  same(await db.objects("Dog").get(), [{ id: 3, owner: "eve", tags: ["brown"] }]);
  // The state is another one now, so the same is refused.
  await assert.rejects(run(transaction.code, { db, mark }), (error) => error.status === 412);
});

test("an outbox and a collection of TanStack DB", limit, async (t) => {
  const server = await Server.start(t, { classes: { schemaVersion: 1, classes: [
    { name: "Card", primaryKey: "id", properties: [{ name: "id", type: "uuid" }, { name: "title", type: "string" }, { name: "column", type: "string" }] },
  ] } });
  const db = new Realmgate(server.url);
  t.after(() => db.close());
  const card = await db.objects("Card").create({ id: new UUID(), title: "Old" });
  const entries = new Map();
  const storage = {
    all: async () => [...entries.values()], add: async (entry) => (entries.set(entries.size + 1, { ...entry, id: entries.size + 1 }), entries.size),
    put: async (entry) => entries.set(entry.id, entry), delete: async (id) => entries.delete(id),
  };
  const waiting = [];
  // Node.js has no IndexedDB.
  const code = outboxed.code.replace("Outbox.open(db)", "Outbox.open(db, { storage })");
  const { outbox, answered } = await run(code, { db, UUID, card, storage, showWaiting: (count) => waiting.push(count) }, ["outbox", "answered"]);
  t.after(() => outbox.close());
  assert.match((await answered).mark, /-/);
  assert.ok(waiting.length > 0);
  same(await db.objects("Card").sort("title").values("title"), ["As long as nobody else has changed it", "Written in a tunnel"]);

  const { cards } = await run(tanstack.code, { db, UUID }, ["cards"]);
  t.after(() => cards.cleanup());
  await eventually(() => cards.synced.size === 3);
  same([...cards.synced.values()].map(({ column }) => column), ["", "", "To do"]);
});

test("the README's list, with a key", limit, async (t) => {
  const [block, ...others] = readme;
  assert.deepEqual([block.language, others], ["js", []]);
  const key = "a-key-of-thirty-two-characters-or-more";
  const server = await Server.start(t, { classes: null, options: ["--demo"], settings: [`auth.adminKey=${key}`] });
  const logged = [];
  const { db } = await run(block.code.replace("rg_…", key).replaceAll("http://127.0.0.1:8080", server.url), { console: { log: (...all) => logged.push(all) } }, ["db"]);
  t.after(() => db.close());
  await eventually(() => logged.length === 2);
  assert.equal(logged[0][0].length, 20);
  assert.deepEqual([logged[1][0], logged[1][1].type], [20, "initial"]);
});
