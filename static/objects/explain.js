// The plan of a query, with the work of each part.

import { paths } from "../core/api.js";
import { tally } from "../core/values.js";
import { duration, planTree } from "./plan-tree.js";

const dialog = () => document.getElementById("explain-dialog");

/** Runs the query and shows its plan. Throws the gateway's refusal. */
export async function explain(gateway, className, parameters) {
  const answer = await gateway.request("GET", paths.collection(className), { query: { ...parameters, explain: true } });
  document.getElementById("explain-parts").replaceChildren(planTree(answer.plan, answer.nanoseconds));
  const number = Number(answer.count ?? 0);
  document.getElementById("explain-sum").textContent =
    `${tally(number)} ${number === 1 ? "object" : "objects"} in ${duration(answer.nanoseconds ?? 0)}, up to the end of the page, `
    + `at version ${answer.version}. ${upkeep(answer.live)}`;
  if (!dialog().open) dialog().showModal();
}

/** How a live query of it is kept current. */
function upkeep({ upkeep, reason }) {
  if (upkeep === "incremental") return "A live query of it is updated by what has changed.";
  return `A live query of it is run again after changes: ${reason}`;
}
