#!/usr/bin/env node
// Writes lib/bundle: the client in one small file for a page that reads and follows, and its other parts beside that file.
//
//   clients/javascript/bundle.js            writes it, with esbuild (Debian's package esbuild)
//   clients/javascript/bundle.js --check    exit code 1 when lib/bundle was made of other modules
//
// The modules are written one after the other, so their top-level names must differ. The parts beside take what they
// import from the whole.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const lib = join(here, "lib");
const directory = join(lib, "bundle");
const whole = "realmgate.js";
/** What a page loads when it needs it. */
const parts = ["models.js", "optimism.js", "transaction.js", "realm-file.js", "reception.js", "sharing-pages.js", "turns.js", "polling.js", "outbox.js", "outbox-store.js"];

const source = (name) => readFileSync(join(lib, name), "utf8");
const statics = /^(?:import|export) \{([^}]*)\} from "\.\/([\w-]+\.js)";$/gm;
const lateImports = /\bimport\("\.\/([\w-]+\.js)"\)/g;
const late = (name) => `$${name.replace(/\.js$/, "").replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}`;
const list = (names) => names.split(",").map((one) => one.trim()).filter(Boolean);

/** The modules of the whole, each behind those that it needs. */
function order() {
  const all = new Set();
  const entered = new Set();
  const enter = (name) => {
    if (entered.has(name) || parts.includes(name)) return;
    entered.add(name);
    for (const [, , other] of source(name).matchAll(statics)) enter(other);
    all.add(name);
    for (const [, other] of source(name).matchAll(lateImports)) enter(other);
    for (const [, other] of source(name).matchAll(/new URL\("\.\/([\w-]+\.js)"/g)) enter(other);
  };
  enter(whole);
  return [...all];
}

/** The names that other modules import, by module. */
function importedNames(names) {
  const imported = new Map();
  for (const name of names) {
    for (const [, list_, other] of source(name).matchAll(statics)) {
      imported.set(other, new Set([...imported.get(other) ?? [], ...list(list_)]));
    }
  }
  return imported;
}

function flat(names) {
  const owners = new Map();
  const text = names.map((name) => {
    const body = source(name)
      .replace(statics, "").replace(/^export /gm, "")
      .replace(lateImports, (all, other) => (parts.includes(other) ? all : late(other)))
      .replace('new URL("./shared-worker.js", import.meta.url)', "import.meta.url");
    // The same file is the page's and the worker's. WebKit runs it twice in a worker: also as the module that its parts import.
    if (name === "shared-worker.js") return `if (globalThis.SharedWorkerGlobalScope && !globalThis.onconnect) {\n${body}\n}`;
    for (const [, one] of body.matchAll(/^(?:async )?(?:function\*?|class|const|let) (\w+)/gm)) {
      if (owners.has(one)) throw new Error(`${name} and ${owners.get(one)} have the same top-level name ${one}.`);
      owners.set(one, name);
    }
    return body;
  });
  const exportsOf = (name) => [...source(name).matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)].map(([, one]) => one);
  const isLate = new Set(names.flatMap((name) => [...source(name).matchAll(lateImports)].map(([, other]) => other)));
  const groups = names.filter((name) => isLate.has(name)).map((name) => `const ${late(name)} = { ${exportsOf(name).join(", ")} };`);
  const internals = [...importedNames(parts)].filter(([other]) => !parts.includes(other)).flatMap(([, some]) => [...some]);
  const given = [...exportsOf(whole), ...[...source(whole).matchAll(/^export \{([^}]*)\} from/gm)].flatMap(([, some]) => list(some))];
  return [...text, ...groups, `export const internals = { ${[...new Set(internals)].join(", ")} };`, `export { ${given.join(", ")} };`].join("\n");
}

/** A part, which takes from the whole what the whole has. */
const part = (name) => source(name).replace(statics, (all, names, other) =>
  (parts.includes(other) || all.startsWith("export") ? all : `import { internals as ${late(other)} } from "./${whole}";\nconst { ${list(names).join(", ")} } = ${late(other)};`));

const names = order();
const hash = createHash("sha256");
for (const name of [...names, ...parts]) hash.update(source(name));
const head = `// Made by clients/javascript/bundle.js of the modules ${hash.digest("hex").slice(0, 32)}.\n`;

if (process.argv[2] === "--check") {
  for (const name of [whole, ...parts]) {
    let text = "";
    try { text = readFileSync(join(directory, name), "utf8"); } catch { /* There is none. */ }
    if (text.startsWith(head)) continue;
    console.error(`lib/bundle/${name} was made of other modules. Write it with: clients/javascript/bundle.js`);
    process.exitCode = 1;
  }
} else {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  for (const name of [whole, ...parts]) {
    const input = name === whole ? flat(names) : part(name);
    const small = execFileSync("esbuild", ["--minify", "--format=esm", "--target=es2022", "--log-level=error"], { input, encoding: "utf8" });
    writeFileSync(join(directory, name), head + small);
  }
  writeFileSync(join(directory, "realmgate.d.ts"), 'export * from "../realmgate.js";\n');
}
