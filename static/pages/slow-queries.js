// Slow queries: what took the most time in the last hour, how it runs, and which index would help. For administrators.

import { paths } from "../core/api.js";
import { time, utc } from "../core/quantities.js";
import { tally } from "../core/values.js";
import { planTree } from "../objects/plan-tree.js";
import { make } from "../parts/element.js";
import { empty, loading, panel, redraw, table } from "../parts/ui.js";

/** The panel; `read()` brings it up to date, and hides it from who may not see it. */
export function slowQueriesPanel({ gateway, optional }) {
  const content = make("div", {}, loading());
  const root = panel("Slow queries", {
    note: "What took the most time in the last hour, of the queries that took 5 ms or more. A question mark stands for a constant.",
  }, content);
  let last = null;

  async function read() {
    // Once refused, it is not asked for again.
    if (root.hidden) return;
    const answer = await optional(() => gateway.request("GET", paths.slowQueries));
    root.hidden = answer === null;
    if (answer === null) return;
    // What has not changed stays, with what the reader has opened or selected in it.
    const shown = JSON.stringify(answer, (_, one) => (typeof one === "bigint" ? String(one) : one));
    if (shown === last) return;
    last = shown;
    const opened = new Set([...content.querySelectorAll("details[open]")].map((one) => one.dataset.form));
    redraw(content, slowTable(answer));
    for (const one of content.querySelectorAll("details")) one.open = opened.has(one.dataset.form);
  }

  return { root, read };
}

function slowTable({ queries, forms, least }) {
  if (queries.length === 0) return empty(`No query took ${time(Number(least))} or more in the last hour.`);
  const made = table("Slow queries",
    ["Query", ...["Requests", "In all", "Slowest", "Examined", "Returned"].map((words) => ({ words, number: true }))],
    queries.map((one) => [
      make("div.slow-query", {},
        make("code", {}, one.form),
        one.advice.map(({ words }) => make("p.advice", {}, make("strong", {}, "Advice: "), words)),
        details(one)),
      tally(Number(one.count)), time(Number(one.seconds)), time(Number(one.slowest.seconds)), tally(Number(one.slowest.examined)),
      one.slowest.failed ? "failed" : one.slowest.returned === null ? "–" : tally(Number(one.slowest.returned)),
    ]));
  if (queries.length === Number(forms)) return made;
  return make("div", {}, made, make("p.note", {}, `${tally(queries.length)} of ${tally(Number(forms))} forms of query.`));
}

function details({ form, slowest, plan }) {
  return make("details", { "data-form": form }, make("summary", {}, "Slowest request and plan"),
    make("p.note", {}, `At ${utc(slowest.time)} UTC: `, make("code", {}, slowest.target)),
    plan === null
      ? make("p.note", {}, "There is no plan: the query does not fit the present schema, or is too long.")
      : planTree(plan));
}
