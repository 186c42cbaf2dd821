import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { program, schema } from "./support/server.js";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = mkdtempSync(join(tmpdir(), "realmgate-package-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

test("a page with live lists loads less than 12 KB, compressed, in one file", () => {
  const text = readFileSync(join(here, "lib/bundle/realmgate.js"));
  assert.doesNotMatch(text.toString(), /^import|from ?"/m);
  // Versions of zlib differ by a percent or two: with the one of Node.js 20 it is less than 12 KB.
  const size = gzipSync(text, { level: 9 }).length;
  assert.ok(size < 12.2 * 1024, `${size} bytes, compressed`);
});

test("the bundle is that of the modules", () => {
  assert.equal(execFileSync(process.execPath, [join(here, "bundle.js"), "--check"], { encoding: "utf8" }), "");
});

test("modules need no others than those beside them, and what most pages need not is loaded later", () => {
  const loaded = new Set();
  const load = (file) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const [, path] of readFileSync(join(here, "lib", file), "utf8").matchAll(/^(?:import|export)[^;]*? from "([^"]+)";/gm)) {
      assert.match(path, /^\.\/[\w-]+\.js$/, `${file} imports ${path}`);
      load(path.slice(2));
    }
  };
  load("realmgate.js");
  for (const later of ["optimism.js", "hub.js", "sharing.js", "models.js", "transaction.js", "outbox.js"]) assert.ok(!loaded.has(later), later);
});

test("the client uses nothing that only one of browsers, Node.js and Deno has", () => {
  for (const name of readdirSync(join(here, "lib")).filter((file) => file.endsWith(".js"))) {
    const code = readFileSync(join(here, "lib", name), "utf8").replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
    assert.doesNotMatch(code, /\b(process|Buffer|window|Deno|XMLHttpRequest|EventSource|localStorage)\b|require\("|node:/, name);
  }
});

test("without a global crypto, as in Node.js 18, keys are made all the same", () => {
  const script = `import { UUID, ObjectId } from ${JSON.stringify(join(here, "lib/realmgate.js"))};
    const all = new Set(Array.from({ length: 1000 }, () => String(new UUID())));
    console.log(globalThis.crypto?.getRandomValues === undefined, all.size, String(new ObjectId()).length);`;
  const hidden = `delete globalThis.crypto; ${script.replace(/^import (.*) from (.*);/, "const $1 = await import($2);")}`;
  assert.equal(execFileSync(process.execPath, ["--input-type=module", "--eval", hidden], { encoding: "utf8" }), "true 1000 24\n");
});

test("the adapters have at most 60 lines", () => {
  for (const name of ["react.js", "store.js"]) assert.ok(readFileSync(join(here, "lib", name), "utf8").split("\n").length <= 60, name);
});

test("the package has the form of npm's, and the same bytes each time", async () => {
  const pack = () => execFileSync(join(here, "pack"), [directory], { encoding: "utf8" }).trim();
  const hash = () => createHash("sha256").update(readFileSync(pack())).digest("hex");
  assert.equal(hash(), hash());
  const names = execFileSync("tar", ["-tzf", pack()], { encoding: "utf8" }).split("\n");
  for (const name of ["package.json", "README.md", "LICENSE", "lib/realmgate.js", "lib/realmgate.d.ts", "lib/react.js", "lib/store.js", "lib/outbox.js", "lib/tanstack.js", "lib/bundle/realmgate.js"]) {
    assert.ok(names.includes(`package/${name}`), name);
  }
  assert.ok(!names.some((name) => name.includes("test")));
  const modules = join(directory, "node_modules");
  mkdirSync(modules);
  execFileSync("tar", ["-xzf", pack(), "-C", modules]);
  execFileSync("mv", [join(modules, "package"), join(modules, "realmgate")]);
  writeFileSync(join(directory, "use.mjs"), 'import { Realmgate } from "realmgate"; import { hooks } from "realmgate/react"; import { store } from "realmgate/store"; import { Outbox } from "realmgate/outbox"; import { collectionOptions } from "realmgate/tanstack"; console.log([Realmgate, hooks, store, Outbox, collectionOptions].every((one) => typeof one === "function"));');
  assert.equal(execFileSync(process.execPath, [join(directory, "use.mjs")], { encoding: "utf8" }), "true\n");
});

const tsc = (...all) => {
  const lib = ["es2022", "dom", "dom.iterable", "esnext.asynciterable"];
  const compilerOptions = { noEmit: true, strict: true, target: "es2022", module: "es2022", moduleResolution: "node", lib, types: [] };
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, files: all }));
  try {
    return execFileSync("tsc", ["--project", directory], { encoding: "utf8", cwd: directory });
  } catch (error) {
    return error.stdout ?? String(error);
  }
};

test("the declarations and the classes of a database are accepted by tsc, and wrong uses are not", () => {
  const modules = join(directory, "types");
  mkdirSync(modules);
  for (const file of readdirSync(join(here, "lib")).filter((name) => name.endsWith(".d.ts"))) writeFileSync(join(modules, file), readFileSync(join(here, "lib", file)));
  writeFileSync(join(directory, "schema.json"), JSON.stringify({ ...schema, classes: [...schema.classes, { name: "Date", properties: [{ name: "with space", type: "date?" }] }] }));
  const classes = execFileSync(program, ["types", "typescript", "--schema", join(directory, "schema.json")], { encoding: "utf8" });
  writeFileSync(join(modules, "classes.ts"), classes.replace('"realmgate"', '"./realmgate.js"'));
  const head = `import { Realmgate, RealmgateError, UUID, Decimal128, Link, Timestamp, geoCircle } from "./realmgate.js";
    import type { Classes, Card, Person, Date_ } from "./classes.js";
    import { store } from "./store.js";
    import { hooks } from "./react.js";
    import { Outbox } from "./outbox.js";
    import { collectionOptions } from "./tanstack.js";
    const db = new Realmgate<Classes>("http://127.0.0.1:8080", { token: async () => "x", streams: 2 });\n`;
  const use = join(modules, "use.ts");
  const right = `${head}
    async function use() {
      const cards = await db.objects("Card").filter("id > $0", 5n).sort("-position").limit(3).get();
      const title: string = cards[0].title;
      const owner: string | null = cards[0].owner;
      const marks: (number | bigint)[] = cards[0].marks;
      const rates: Record<string, number> = cards[0].rates;
      const sizes = cards[0].parts.map((part) => part.sizes);
      const version: number = cards.version;
      for await (const page of db.objects("Card").pages(10)) page.mark.toUpperCase();
      const expanded = await db.object("Card", 1).expand<Omit<Card, "owner"> & { owner: Person | null }>("owner").get();
      const city: string | null | undefined = expanded?.owner?.city;
      await db.objects("Card").create({ id: 1, title: "x", owner: { handle: "ada" }, marks: new Set([1, 2]) }, { optimistic: true });
      await db.objects("Card").create([{ id: 1 }, { id: 2n, owner: new Link("Person", "ada") }]);
      await db.object("Thing", crypto.randomUUID()).update({ price: "1.10", oid: "0123456789abcdef01234567", when: new Timestamp("2026-01-01T00:00:00.000000001Z"), extra: [1, { a: new UUID() }] });
      const observation = db.objects("Card").observe((items, change) => { items[0].title; if (change.rolledBack) change.rolledBack.code; }, { matches: (card) => card.column === "done" });
      for await (const [items, change] of db.objects("Card").observe({ signal: new AbortController().signal })) { items[0].column; change.insertions; }
      db.object("Card", 1).observe((card) => card?.title);
      db.objects("Card").sections("column").observe((sections) => sections[0].items[0].title);
      await db.object("Card", 1).list("tags").insert(0, "x", { behind: "y" });
      await db.transaction((tx) => {
        const eve = tx.create("Person", { handle: "eve" });
        tx.create("Card", { id: 3, owner: eve }).list("tags").append("a");
        tx.object("Card", 4).update({ owner: eve });
        tx.require("Card", "id == $0", [3], { count: 1 });
      }, { optimistic: true });
      store(db.objects("Card")).subscribe(({ items }) => items?.[0].title);
      db.objects("Card").aggregates({ by: "column", max: "position", order: ["-max(position)"], limit: 3, offset: 1 }).observe((groups) => groups.others?.count);
      const largest = await db.objects("Card").groups("column", { top: 3, max: "position" });
      const histogram = await db.objects("Card").aggregate({ by: "position", bins: 20 });
      const bars: number = histogram.bins[0].count + histogram.others.groups + largest[0].count;
      const all: number = (await db.objects("Card").aggregate({ min: "position" })).count;
      const outbox = await Outbox.open(db, { name: "board" });
      const kept = await outbox.create("Card", { id: 1, title: "x" });
      const mark: string = (await kept.answered).mark;
      await outbox.retry(outbox.conflicts[0].id, (tx) => { tx.object("Card", 1).update({ title: mark }); });
      const options = collectionOptions(db.objects("Card"), { key: "id", id: "cards" });
      const collected: string | number = options.getKey(cards[0]);
      db.objects("Card").observe(undefined, { signal: new AbortController().signal });
      const { useQuery } = hooks({} as any);
      const name: string | undefined = useQuery(() => db.objects("Card"), []).items?.[0].title;
      const date: Date_ = { $key: 1, "with space": new Date() };
      try { observation.stop(); } catch (error) { if (error instanceof RealmgateError) { const hint: string | null = error.hint; } }
      return [collected, title, owner, marks, rates, sizes, version, city, name, date, new Decimal128("1") < new Decimal128("2"), geoCircle([1, 2], 3)];
    }
    use();`;
  writeFileSync(use, right);
  const wrongs = [
    ['db.objects("Crad");', /'"Crad"' is not assignable/],
    ['db.objects("Card").create({ titel: "x" });', /titel/],
    ['db.objects("Card").create({ title: 3 });', /'number' is not assignable/],
    ['db.objects("Card").get().then((cards) => cards[0].titel);', /titel/],
    ['db.objects("Card").get().then((cards) => { const id: number = cards[0].id; });', /'Int' is not assignable|bigint/],
    ['db.objects("Card").groups("column", { top: "3" });', /'string' is not assignable/],
    ['db.objects("Card").aggregate({ bins: 3 });', /bins/],
    ['db.objects("Card").aggregates({ by: "column", limit: "3" });', /'string' is not assignable/],
    ['db.object("Person", 3);', /'number' is not assignable/],
    ['import { collectionOptions as wrong } from "./tanstack.js"; wrong(db.objects("Card"), { key: "nope" });', /"nope"/],
    ['import { Outbox as Wrong } from "./outbox.js"; Wrong.open(db).then((box) => box.update("Card", 1, { titel: "x" }));', /titel/],
  ];
  const files = wrongs.map(([text], at) => {
    const file = join(modules, `wrong${at}.ts`);
    writeFileSync(file, head + text);
    return file;
  });
  const errors = tsc(use, ...files).split(/\n(?=\S)/);
  assert.deepEqual(errors.filter((error) => !/^types\/wrong\d/.test(error)), []);
  wrongs.forEach(([text, expected], at) => assert.match(errors.filter((error) => error.startsWith(`types/wrong${at}.ts`)).join("\n"), expected, text));
});


// Debian's package node-typescript.
const compiler = "/usr/share/nodejs/typescript/lib/typescript.js";

test("the modules have every export and every member that is declared, and no other exports", { skip: existsSync(compiler) ? false : "TypeScript is not installed" }, async () => {
  const ts = createRequire(import.meta.url)(compiler);
  const { Realmgate } = await import(join(here, "lib/realmgate.js"));
  const db = new Realmgate("http://127.0.0.1:9");
  const observation = db.objects("A").observe(() => {}, { onError: () => {} });
  observation.stop();
  db.close();
  const object = db.object("A", 1);
  let transaction = null;
  await assert.rejects(db.transaction((tx) => {
    transaction = tx;
    throw new Error("enough");
  }));
  const { Outbox } = await import(join(here, "lib/outbox.js"));
  const outbox = await Outbox.open(db, { storage: { all: async () => [] } });
  outbox.close();
  const made = {
    Outbox: outbox, Realmgate: db, Query: db.objects("A"), Sections: db.objects("A").sections("b"), ObjectReference: object, Observation: observation,
    ListEdits: object.list("c"), SetEdits: object.set("c"), MapEdits: object.map("c"), Transaction: transaction, Edits: transaction.object("A", 1),
  };
  let members = 0;
  for (const name of ["realmgate", "react", "store", "outbox", "tanstack"]) {
    const file = join(here, "lib", `${name}.d.ts`);
    const target = { target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.esnext.asynciterable.d.ts"], types: [] };
    const program = ts.createProgram([file], target);
    const checker = program.getTypeChecker();
    const declared = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
    const exports = await import(join(here, "lib", `${name}.js`));
    const values = declared.filter((one) => (one.flags & ts.SymbolFlags.Value) !== 0).map((one) => one.name);
    assert.deepEqual(values.sort(), Object.keys(exports).sort(), name);
    for (const one of declared) {
      const isClass = (one.flags & ts.SymbolFlags.Class) !== 0;
      const instance = made[one.name] ?? (isClass ? exports[one.name].prototype : undefined);
      if (instance === undefined) continue;
      for (const member of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(one))) {
        // Fields of a class are its instances' own: only those that the test has made can be looked at.
        const isField = (member.flags & ts.SymbolFlags.Property) !== 0 && made[one.name] === undefined;
        const key = member.name.startsWith("__@asyncIterator") ? Symbol.asyncIterator : member.name.startsWith("__@") ? null : member.name;
        if (isField || key === null || (member.flags & ts.SymbolFlags.Optional) !== 0) continue;
        members += 1;
        assert.ok(key in instance, `${one.name}.${String(key)}`);
      }
    }
  }
  assert.ok(members > 100, `${members} members`);
});
