// The plan of a query as a tree: what each part does, how many objects it passes on, and its share of the time as a bar.

import { tally } from "../core/values.js";
import { svg } from "../charts/svg.js";
import { make } from "../parts/element.js";

/** A time in the unit that reads best. */
export function duration(nanoseconds) {
  const number = Number(nanoseconds);
  if (number < 1000) return `${number} ns`;
  if (number < 1_000_000) return `${Math.round(number / 1000)} µs`;
  return `${(number / 1_000_000).toFixed(number < 100_000_000 ? 1 : 0)} ms`;
}

/** A list of the plan's parts. `total` is the time of the whole query in nanoseconds. */
export function planTree(plan, total) {
  return make("ul.plan-tree", {}, item(plan, Math.max(1, Number(total ?? plan.nanoseconds ?? 0))));
}

function item(part, total) {
  const parts = part.parts ?? [];
  return make("li", {},
    make("div.plan-part", {},
      make("div", {}, make("p.plan-words", {}, part.words), make("p.plan-numbers", {}, numbers(part))),
      time(part, parts, total)),
    parts.length > 0 && make("ul", {}, parts.map((one) => item(one, total))));
}

/** A part's time contains that of its parts; what is its own is drawn stronger. */
function time(part, parts, total) {
  if (part.nanoseconds === undefined) return null;
  const all = Number(part.nanoseconds);
  const inner = Math.min(all, parts.reduce((sum, one) => sum + Number(one.nanoseconds ?? 0), 0));
  const share = (value) => Math.min(100, (value / total) * 100).toFixed(2);
  const words = parts.length > 0 && inner > 0 ? `${duration(all)}, ${duration(all - inner)} of its own` : duration(all);
  return make("div.plan-time", {},
    svg("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect.track", { width: 100, height: 6 }),
      svg("rect.whole", { width: share(all), height: 6 }),
      svg("rect.bar", { width: share(all - inner), height: 6 })),
    make("p", {}, words));
}

function numbers({ rowsIn, rowsOut, clustersRead, clustersSkipped }) {
  const said = [];
  if (rowsIn !== undefined && rowsOut !== undefined) {
    said.push(`${tally(Number(rowsIn))} → ${tally(Number(rowsOut))} ${Number(rowsOut) === 1 ? "object" : "objects"}`);
  } else if (rowsOut !== undefined) {
    said.push(`${tally(Number(rowsOut))} ${Number(rowsOut) === 1 ? "object" : "objects"}`);
  }
  if (clustersRead !== undefined) said.push(`${tally(Number(clustersRead))} ${Number(clustersRead) === 1 ? "block" : "blocks"} read`);
  if (Number(clustersSkipped ?? 0) > 0) said.push(`${tally(Number(clustersSkipped))} skipped`);
  return said.join(" · ");
}
