// The plan of a query, with the work of each part.

import { paths } from "../core/api.js";
import { element } from "../parts/element.js";
import { tally } from "../core/values.js";

const dialog = () => document.getElementById("explain-dialog");

/** A time in the unit that reads best. */
export function duration(nanoseconds) {
  const number = Number(nanoseconds);
  if (number < 10_000) return `${number} ns`;
  if (number < 10_000_000) return `${Math.round(number / 1000)} µs`;
  return `${Math.round(number / 1_000_000)} ms`;
}

/** Runs the query and shows its plan. Throws the gateway's refusal. */
export async function explain(gateway, className, parameters) {
  const answer = await gateway.request("GET", paths.collection(className), { query: { ...parameters, explain: true } });
  const body = document.getElementById("explain-parts");
  body.replaceChildren(...rowsOf(answer.plan, 0));
  const number = Number(answer.count ?? 0);
  document.getElementById("explain-sum").textContent =
    `${tally(number)} ${number === 1 ? "object" : "objects"} in ${duration(answer.nanoseconds ?? 0)}, up to the end of the page`;
  if (!dialog().open) dialog().showModal();
}

function rowsOf(part, depth) {
  const row = document.createElement("tr");
  const words = element("th", "words", { scope: "row" });
  words.textContent = part.words;
  words.style.setProperty("--depth", String(depth));
  const counts = [part.rowsIn, part.rowsOut, part.clustersRead, part.clustersSkipped];
  row.append(
    words,
    ...counts.map((count) => cell(count === undefined ? "" : tally(Number(count)))),
    cell(part.nanoseconds === undefined ? "" : duration(part.nanoseconds)));
  return [row, ...(part.parts ?? []).flatMap((inner) => rowsOf(inner, depth + 1))];
}

function cell(text) {
  const made = element("td", "number");
  made.textContent = text;
  return made;
}
