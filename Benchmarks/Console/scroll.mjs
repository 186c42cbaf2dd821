#!/usr/bin/env node
// How smoothly the console scrolls a large class: long tasks of the page's thread, the time between frames, the
// processor time of the thread for a frame, which other programs of the machine do not change, and how many of the rows
// in view show their values while the view moves.
//
//   Benchmarks/Console/scroll.mjs [ROWS [SECONDS [RUNS]]]
//
// REALMGATE_PROGRAM names a release build of the program. Without it, .build/release/realmgate is used. Needs chromium.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser } from "../../clients/javascript/tests/support/browser.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const [rows = 1_000_000, seconds = 10, runs = 5] = process.argv.slice(2).map(Number);
if (![rows, seconds, runs].every((one) => one > 0)) throw new Error("ROWS, SECONDS and RUNS must be positive numbers.");
const program = process.env.REALMGATE_PROGRAM ?? join(root, ".build/release/realmgate");
if (!existsSync(program)) throw new Error(`There is no ${program}. Build it with: swift build -c release --product realmgate`);

const schema = { schemaVersion: 1, classes: [{ name: "Reading", primaryKey: "id", properties: [
  { name: "id", type: "int" }, { name: "sensor", type: "string", indexed: true }, { name: "at", type: "date" },
  { name: "value", type: "double" }, { name: "note", type: "string?" }, { name: "valid", type: "bool" },
  { name: "tags", type: "string[]" }, { name: "next", type: "Reading?" }] }] };

const directory = await mkdtemp(join(tmpdir(), "realmgate-scroll-"));
const ends = [() => rm(directory, { recursive: true, force: true })];
const t = { after: (block) => ends.unshift(block) };

/** Runs the program; resolves with it when it has printed `until`, or with its end. */
async function run(options, until = null) {
  const child = spawn(program, options, { stdio: ["ignore", "pipe", "inherit"], cwd: root });
  if (until === null) {
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`realmgate ${options[0]} ended with ${code}.`);
    return child;
  }
  t.after(async () => {
    child.kill();
    await once(child, "exit");
  });
  let output = "";
  for await (const part of child.stdout) {
    output += part;
    const found = until.exec(output);
    if (found) return found[1];
  }
  throw new Error("The program ended before it listened.");
}

/** Imports the rows in parts: a request may take only so long. */
async function load(address) {
  for (let from = 0; from < rows; from += 50_000) {
    const lines = Array.from({ length: Math.min(50_000, rows - from) }, (_, index) => {
      const id = from + index;
      return JSON.stringify({
        id, sensor: `sensor-${id % 997}`, at: new Date(1.7e12 + id * 1000).toISOString(), value: Math.sin(id) * 100,
        note: id % 3 === 0 ? null : `a note about reading ${id}`, valid: id % 2 === 0, tags: [`t${id % 7}`],
      });
    });
    const response = await fetch(`${address}/v1/import/Reading`, {
      method: "POST", headers: { "Content-Type": "application/x-ndjson" }, body: lines.join("\n"),
    });
    if (!response.ok) throw new Error(await response.text());
  }
}

const scroll = (mode) => `new Promise((done) => {
  const grid = document.querySelector("#grid");
  const long = [];
  const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((one) => Math.round(one.duration))));
  observer.observe({ type: "longtask" });
  const frames = [];
  const end = grid.scrollHeight - grid.clientHeight;
  const begun = performance.now();
  let before = begun;
  let [filled, places] = [0, 0];
  grid.scrollTop = 0;
  const step = (now) => {
    frames.push(now - before);
    before = now;
    // Counting costs time as well.
    if (frames.length % 15 === 0) {
      filled += document.querySelectorAll(".row[role=row]").length;
      places += document.querySelectorAll(".row").length;
    }
    const share = (now - begun) / ${seconds * 1000};
    if (share >= 1) {
      observer.disconnect();
      grid.scrollTop = grid.scrollHeight;
      frames.sort((a, b) => a - b);
      const shown = [...document.querySelectorAll(".row[role=row]")].map((row) => Number(row.getAttribute("aria-rowindex")));
      done({ long, frames: frames.length, p50: frames[Math.floor(frames.length / 2)], p99: frames[Math.floor(frames.length * 0.99)],
        filled: filled / places, elements: document.querySelectorAll(".row").length, last: Math.max(0, ...shown) - 1 });
      return;
    }
    // Steps of a wheel, or the whole class from its beginning to its end.
    if (${JSON.stringify(mode)} === "wheel") grid.scrollTop += 120;
    else grid.scrollTop = share * end;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

/** The most processor time that a task of the page's thread takes while the block runs, in milliseconds. */
async function dearestTask(browser, block) {
  const events = [];
  const over = new Promise((done) => {
    browser.listener = (method, { value }) => {
      if (method === "Tracing.dataCollected") events.push(...value);
      if (method === "Tracing.tracingComplete") done();
    };
  });
  await browser.send("Tracing.start", { traceConfig: { includedCategories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] }, transferMode: "ReportEvents" });
  await block();
  await browser.send("Tracing.end");
  await over;
  browser.listener = null;
  const threads = new Map();
  for (const { name, pid, tid } of events) if (name === "UpdateLayoutTree") threads.set(`${pid} ${tid}`, (threads.get(`${pid} ${tid}`) ?? 0) + 1);
  const [[thread]] = [...threads].sort((one, other) => other[1] - one[1]);
  return Math.max(...events.filter(({ name, pid, tid }) => name === "RunTask" && `${pid} ${tid}` === thread).map(({ tdur = 0 }) => tdur)) / 1000;
}

try {
  await writeFile(join(directory, "schema.json"), JSON.stringify(schema));
  const address = await run([
    "serve", "--port", "0", "--data", join(directory, "a.realmgate"), "--schema", join(directory, "schema.json"), "--log-level", "error",
  ], /listening on (\S+)/);
  await load(address);
  const browser = await Browser.start(t, "chromium");
  await browser.command("Emulation.setDeviceMetricsOverride", { width: 1440, height: 900, deviceScaleFactor: 1, mobile: false });
  await browser.command("Page.navigate", { url: `${address}/#/Reading` });
  for (let turn = 0; turn < 300; turn += 1) {
    if (await browser.evaluate("document.querySelector('#tally')?.textContent !== '\\u00a0' && document.querySelectorAll('.row[role=row]').length > 5")) break;
    await new Promise((done) => setTimeout(done, 100));
  }
  console.log(await browser.evaluate("document.querySelector('#tally').textContent"));
  await browser.command("Performance.enable", { timeDomain: "threadTicks" });
  const measure = async () => Object.fromEntries((await browser.command("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value * 1000]));
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  for (const mode of ["wheel", "whole"]) {
    const all = [];
    for (let run = 0; run < runs; run += 1) {
      const before = await measure();
      const found = await browser.evaluate(scroll(mode));
      const after = await measure();
      const cost = (name) => (after[name] - before[name]) / found.frames;
      all.push({ ...found, task: cost("TaskDuration"), style: cost("RecalcStyleDuration"), layout: cost("LayoutDuration"), script: cost("ScriptDuration") });
    }
    const dearest = await dearestTask(browser, () => browser.evaluate(scroll(mode)));
    const of = (read) => median(all.map(read));
    const longest = all.map(({ long }) => Math.max(0, ...long));
    console.log(`${mode}, medians of ${runs} runs: ${of(({ long }) => long.length)} long tasks, the longest ${median(longest)} ms (of all runs ${Math.max(...longest)} ms); `
      + `${(of(({ frames }) => frames) / seconds).toFixed(1)} frames a second, between two ${of(({ p50 }) => p50).toFixed(1)} ms (median) and ${of(({ p99 }) => p99).toFixed(1)} ms (p99); `
      + `processor time of a frame ${of(({ task }) => task).toFixed(2)} ms: style ${of(({ style }) => style).toFixed(2)}, layout ${of(({ layout }) => layout).toFixed(2)}, `
      + `script ${of(({ script }) => script).toFixed(2)}; that of the dearest task ${dearest.toFixed(1)} ms; ${(100 * of(({ filled }) => filled)).toFixed(1)} % of ${of(({ elements }) => elements)} rows in the page have come, at a load of ${loadavg()[0].toFixed(1)}`);
  }
  await new Promise((done) => setTimeout(done, 1500));
  const last = await browser.evaluate("Math.max(...[...document.querySelectorAll('.row[role=row]')].map((row) => Number(row.getAttribute('aria-rowindex')) - 1))");
  console.log(`the last row in view at the end: ${last.toLocaleString("en")} of ${rows.toLocaleString("en")}`);
  if (browser.complaints.length > 0) console.log(browser.complaints);
} finally {
  for (const end of ends) await end();
}
process.exit(0);
