// Metrics: the last hour as charts, from the points that the gateway keeps, and the present numbers as a table.
//
// Cost: four requests every ten seconds while the page is open and in view: the history, at most 360 points, the
// metrics, and for administrators the slow queries and the open connections.

import { isAbsent, paths } from "../core/api.js";
import { buckets, quantile, readMetrics } from "../core/prometheus.js";
import { bytes, time } from "../core/quantities.js";
import { tally } from "../core/values.js";
import { LineChart } from "../charts/line-chart.js";
import { make } from "../parts/element.js";
import { absent, empty, faultPanel, heading, loading, panel, redraw, table } from "../parts/ui.js";
import { connectionsPanel } from "./connections.js";
import { slowQueriesPanel } from "./slow-queries.js";

const hour = 3_600_000;
/** Less than this makes no line that says anything. */
const least = 300_000;

export const title = "Metrics";

const count = (value) => tally(Math.round(value * 100) / 100);
const percentiles = ["p50", "p99"];

/** The charts: what each is about, which series it draws, and how its values are written. */
const charts = [
  { name: "Requests", note: "per second", series: ["requests"], format: count },
  { name: "Response time", note: "half of the requests took at most p50, 99 % at most p99", series: ["latencyP50", "latencyP99"], lines: percentiles, format: time },
  { name: "Refused or failed", note: "requests per second with status 4xx or 5xx", series: ["failures"], format: count },
  { name: "Commits", note: "durable, per second", series: ["commits"], format: count },
  { name: "Commit time", note: "half of the commits took at most p50, 99 % at most p99", series: ["commitP50", "commitP99"], lines: percentiles, format: time },
  { name: "Open streams", note: "event streams of clients", series: ["streams"], format: count },
  { name: "Live queries", note: "different queries of event streams", series: ["liveQueries"], format: count },
  { name: "Store size", note: "up to the last page in use", series: ["storeBytes"], format: bytes, unit: 1024 },
  { name: "Versions pinned", note: "by snapshots and readers", series: ["versionsPinned"], format: count },
  { name: "Memory", note: "of the server’s process, mapped files included", series: ["residentBytes"], format: bytes, unit: 1024 },
  { name: "Processor", note: "share of one core", series: ["cpu"], format: (value) => `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %` },
];

export function open(root, _, { gateway }) {
  let timer = null;
  let isClosed = false;
  let hasDrawn = false;
  const made = charts.map((one) => ({ ...one, chart: new LineChart(one.name, one) }));
  const grid = make("div.charts.wide", {}, made.map((one) => one.chart.root));
  const status = make("p.note", { role: "status" });
  const routes = make("div", {}, loading());
  const all = make("div", {}, loading());
  const parts = [slowQueriesPanel, connectionsPanel].map((makePanel) => makePanel({ gateway, optional }));
  const body = make("div.stack", {}, status, grid,
    panel("Where the time goes", { note: "The routes by the time that their requests have taken in all, since the server was started. That of a stream ends when it opens." }, routes),
    parts.map((one) => one.root),
    panel("All metrics", { note: "The current values of GET /metrics, which Prometheus reads." }, all));
  root.replaceChildren(heading("Metrics", "The last hour, as the server has kept it."), body);
  grid.hidden = true;

  async function read() {
    let pause = 10;
    try {
      if (document.visibilityState === "visible") {
        const history = await gateway.request("GET", paths.metricsHistory);
        const families = readMetrics(await (await gateway.respond("GET", paths.metrics)).text());
        if (isClosed) return;
        pause = Number(history.seconds);
        draw(history);
        redraw(routes, routeTable(families));
        redraw(all, allTable(families));
        await Promise.all(parts.map((one) => one.read()));
        if (isClosed) return;
        hasDrawn = true;
        body.querySelector(".faulty")?.remove();
      }
    } catch (error) {
      if (isClosed) return;
      if (isAbsent(error)) {
        root.replaceChildren(heading("Metrics", ""), absent("metrics", error));
        return;
      }
      if (!hasDrawn) all.replaceChildren(faultPanel(error));
      else if (!body.querySelector(".faulty")) body.prepend(faultPanel(error));
      pause = 5;
    }
    timer = setTimeout(read, pause * 1000);
  }

  function draw({ seconds, times, series }) {
    grid.hidden = times.length === 0;
    if (times.length === 0) {
      status.replaceChildren(empty("The server has no readings yet. It makes one every ten seconds."));
      return;
    }
    const moments = times.map(Number);
    const to = moments.at(-1);
    const from = Math.max(to - hour, Math.min(moments[0], to - least));
    status.textContent = `A point every ${seconds} seconds${to - moments[0] < hour * 0.95
      ? `, since the server was started ${minutes(to - moments[0])} ago` : ""}. Times are in UTC.`;
    for (const one of made) {
      one.chart.draw(moments, one.series.map((name) => (series[name] ?? []).map((value) => (value === null ? null : Number(value)))), [from, to]);
    }
  }

  const shown = () => {
    if (document.visibilityState !== "visible") return;
    clearTimeout(timer);
    read();
  };
  document.addEventListener("visibilitychange", shown);
  read();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    },
  };
}

/** What `ask()` returns; null where the caller may not know: a key that only reads the metrics is not told what others ask for. */
async function optional(ask) {
  try {
    return await ask();
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function minutes(milliseconds) {
  const number = Math.round(milliseconds / 60_000);
  if (number < 1) return "less than a minute";
  return number === 1 ? "a minute" : `${number} minutes`;
}

const durations = "realmgate_http_request_duration_seconds";

/** What each method of a route has cost: `{name, count, seconds, p99, failed}`, the dearest first. */
function routesOf(families) {
  const found = new Map();
  const at = ({ method, route }) => {
    const name = `${method} ${route}`;
    if (!found.has(name)) found.set(name, { name, count: 0, seconds: 0, failed: 0, samples: [] });
    return found.get(name);
  };
  for (const sample of families.get(durations)?.samples ?? []) {
    const one = at(sample.labels);
    one.samples.push(sample);
    if (sample.name.endsWith("_count")) one.count += sample.value;
    if (sample.name.endsWith("_sum")) one.seconds += sample.value;
  }
  for (const { labels, value } of families.get("realmgate_http_requests_total")?.samples ?? []) {
    if (/^[45]/.test(labels.status)) at(labels).failed += value;
  }
  return [...found.values()].filter((one) => one.count > 0).map(({ samples, ...one }) => ({
    ...one, p99: quantile(0.99, [], buckets(new Map([[durations, { samples }]]), durations)),
  })).sort((one, other) => other.seconds - one.seconds);
}

function routeTable(families) {
  const routes = routesOf(families);
  const whole = routes.reduce((sum, one) => sum + one.seconds, 0);
  const heads = ["Route", ...["Requests", "Failed", "Average", "99 % within", "In all"].map((words) => ({ words, number: true })), { hidden: "Share" }];
  return table("Routes by their time", heads, routes.map((one) => [
    make("code.route", {}, one.name), tally(one.count), one.failed === 0 ? "" : tally(one.failed), time(one.seconds / one.count),
    one.p99 === null ? "" : time(one.p99), time(one.seconds),
    make("meter", { min: 0, max: Math.max(whole, Number.MIN_VALUE), value: one.seconds, "aria-hidden": "true" }),
  ]));
}

function allTable(families) {
  const rows = [...families.values()].filter((one) => one.samples.length > 0).map((family) => {
    const sum = family.type === "histogram"
      ? family.samples.filter((one) => one.name.endsWith("_count")).reduce((found, one) => found + one.value, 0)
      : family.samples.reduce((found, one) => found + one.value, 0);
    return [make("code", {}, family.name), family.help, family.type, tally(sum)];
  });
  return table("All metrics", ["Name", "What it is", "Kind", { words: "Now", number: true }], rows);
}
