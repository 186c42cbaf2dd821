// Metrics at a glance: rates, latencies and sizes of the last minutes, from the gateway's metrics.

import { paths } from "../core/api.js";
import { buckets, quantile, readMetrics, total } from "../core/prometheus.js";
import { tally } from "../core/values.js";
import { Chart } from "../parts/chart.js";
import { make } from "../parts/element.js";
import { absent, faultPanel, heading, loading, panel, table } from "../parts/ui.js";

const pause = 2000;
const kept = 150;

export const title = "Metrics";

/** The charts: what each is about, and how its value comes from the readings. */
const charts = [
  { name: "Requests", note: "per second", rate: "realmgate_http_requests_total" },
  { name: "Latency", note: "p99, and p50 below it", histogram: "realmgate_http_request_duration_seconds" },
  { name: "Refused or failed", note: "requests per second", rate: "realmgate_http_requests_total", keep: isFailure },
  { name: "Commits", note: "durable, per second", rate: "realmgate_store_commits_total" },
  { name: "Commit time", note: "p99, and p50 below it", histogram: "realmgate_store_commit_duration_seconds" },
  { name: "Open streams", gauge: "realmgate_streams_open" },
  { name: "Live queries", gauge: "realmgate_live_queries" },
  { name: "Store size", note: "pages in use", gauge: "realmgate_store_used_bytes", bytes: true },
  { name: "Versions pinned", note: "by snapshots and readers", gauge: "realmgate_store_versions_pinned" },
];

function isFailure({ status = "", code = "" }) {
  return /^[45]/.test(status || code);
}

export function open(root, _, { gateway }) {
  let timer = null;
  let before = null;
  let isClosed = false;
  const made = charts.map((one) => ({ ...one, chart: new Chart(one.name, { note: one.note ?? "" }), lines: [[], []] }));
  const grid = make("div.charts", {}, made.map((one) => one.chart.root));
  const all = make("div", {}, loading());
  const body = make("div.stack", {}, grid, panel("All metrics", { note: "The metrics that GET /metrics gives to Prometheus." }, all));
  root.replaceChildren(heading("Metrics", "Rates, times and sizes, read every two seconds."), body);

  async function read() {
    try {
      const response = await gateway.respond("GET", paths.metrics);
      const families = readMetrics(await response.text());
      if (isClosed) return;
      const now = { families, time: performance.now() };
      for (const one of made) draw(one, now, before);
      drawAll(all, families);
      before = now;
      body.querySelector(".faulty")?.remove();
    } catch (error) {
      if (isClosed) return;
      if (error.isAbsent) {
        root.replaceChildren(heading("Metrics", ""), absent("metrics", error));
        return;
      }
      if (before === null) all.replaceChildren(faultPanel(error));
      else if (!body.querySelector(".faulty")) body.prepend(faultPanel(error));
    }
    timer = setTimeout(read, pause);
  }

  read();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function draw(one, now, before) {
  const name = one.rate ?? one.gauge ?? one.histogram;
  one.chart.root.hidden = !now.families.has(name);
  if (one.chart.root.hidden) return;
  const seconds = before === null ? 0 : (now.time - before.time) / 1000;
  let values = one.histogram ? [null, null] : [null];
  if (one.gauge) {
    values = [total(now.families, name)];
  } else if (one.rate && before !== null) {
    const old = total(before.families, name, one.keep) ?? 0;
    values = [Math.max(0, (total(now.families, name, one.keep) ?? 0) - old) / seconds];
  } else if (one.histogram && before !== null) {
    const pair = [buckets(before.families, name), buckets(now.families, name)];
    values = [quantile(0.99, ...pair), quantile(0.5, ...pair)];
  }
  values.forEach((value, index) => {
    one.lines[index].push(value);
    if (one.lines[index].length > kept) one.lines[index].shift();
  });
  one.chart.draw(one.lines.filter((line) => line.length > 0), words(one, values));
}

function words(one, values) {
  if (values[0] === null) return "–";
  if (one.histogram) return `${time(values[0])} · ${time(values[1] ?? 0)}`;
  if (one.bytes) return bytes(values[0]);
  return tally(one.rate ? Math.round(values[0] * 10) / 10 : values[0]);
}

function time(seconds) {
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  return seconds < 1 ? `${(seconds * 1000).toFixed(1)} ms` : `${seconds.toFixed(2)} s`;
}

function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let rest = count;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return `${rest.toFixed(rest < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`;
}

function drawAll(root, families) {
  const rows = [...families.values()].filter((one) => one.samples.length > 0).map((family) => {
    const sum = family.type === "histogram"
      ? family.samples.filter((one) => one.name.endsWith("_count")).reduce((found, one) => found + one.value, 0)
      : family.samples.reduce((found, one) => found + one.value, 0);
    return [make("code", {}, family.name), family.help, family.type, tally(sum)];
  });
  const scrolled = root.firstElementChild?.scrollLeft ?? 0;
  const hadFocus = root.firstElementChild === document.activeElement;
  root.replaceChildren(table("All figures", ["Name", "What it is", "Kind", { words: "Now", number: true }], rows));
  root.firstElementChild.scrollLeft = scrolled;
  if (hadFocus) root.firstElementChild.focus();
}
