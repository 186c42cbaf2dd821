// What the predicate selects, counted and added up in groups.

import { Problem, Unreachable, paths, request } from "./api.js";
import { element } from "./element.js";
import { brief, tally, text } from "./values.js";

const byId = (id) => document.getElementById(id);
const functions = ["sum", "average", "min", "max"];
/** More groups than anyone reads; the sentence above says how many there are. */
const shownGroups = 500;

/** Opens the dialog for what `filter` selects; the groups follow what is chosen in it. */
export async function showGroups(objectClass, schema, filter) {
  const keys = objectClass.properties
    .map((one) => ({ property: one, path: schema.sortPath(one) }))
    .filter(({ property, path }) => path !== null && !property.isKey);
  const measures = objectClass.properties.filter((one) => one.isNumeric || one.kind === "decimal128");
  choices(byId("group-by"), keys.map(({ path }) => [path, path]));
  choices(byId("group-of"), [["", "objects alone"], ...measures.map((one) => [one.name, one.name])]);
  // What the predicate is about is probably what is to be added up.
  const first = measures.find((one) => filter.includes(one.name)) ?? measures.find((one) => !one.isKey);
  if (first) byId("group-of").value = first.name;
  // Few values make the more telling groups: texts and links before numbers and dates.
  const telling = keys.find(({ property }) => ["string", "bool", "link"].includes(property.kind));
  if (telling) byId("group-by").value = telling.path;

  let asked = 0;
  const ask = async () => {
    const turn = ++asked;
    const chosen = keys.find(({ path }) => path === byId("group-by").value);
    const measure = measures.find((one) => one.name === byId("group-of").value);
    if (!chosen) {
      show([], measure, chosen, `${objectClass.name} has nothing to make groups by.`);
      return;
    }
    const asks = measure ? Object.fromEntries(functions.map((name) => [name, measure.name])) : {};
    try {
      const { groups } = await request("GET", paths.aggregates(objectClass.name), {
        query: { filter, by: chosen.path, ...asks },
      });
      if (turn !== asked) return;
      const more = groups.length > shownGroups ? `, the first ${tally(shownGroups)} of which are shown` : "";
      show(groups, measure, chosen, `${tally(groups.length)} ${groups.length === 1 ? "group" : "groups"}${more}`);
    } catch (error) {
      if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
      if (turn === asked) show([], measure, chosen, error.message);
    }
  };
  byId("group-by").onchange = ask;
  byId("group-of").onchange = ask;
  byId("group-title").textContent = `${objectClass.name} in groups`;
  await ask();
  if (!byId("group-dialog").open) byId("group-dialog").showModal();
}

function choices(select, options) {
  select.replaceChildren(
    ...options.map(([value, words]) => {
      const option = element("option", "", { value });
      option.textContent = words;
      return option;
    }));
}

function show(groups, measure, chosen, sentence) {
  byId("group-sum").textContent = sentence;
  const heads = groups.length === 0 ? [] : [chosen.path, "count", ...(measure ? functions : [])];
  byId("group-heads").replaceChildren(
    ...heads.map((words) => {
      const head = element("th", "", { scope: "col" });
      head.textContent = words;
      return head;
    }));
  byId("group-rows").replaceChildren(
    ...groups.slice(0, shownGroups).map((group) => {
      const row = element("tr", "");
      const key = element("th", "words", { scope: "row" });
      key.textContent = text(group.key[chosen.path], chosen.property);
      row.append(key, cell(tally(Number(group.count))));
      for (const name of measure ? functions : []) {
        const value = group[name][measure.name];
        const made = cell(value === null ? "" : brief(value, measure));
        if (value !== null) made.title = text(value, measure);
        row.append(made);
      }
      return row;
    }));
}

function cell(words) {
  const made = element("td", "number");
  made.textContent = words;
  return made;
}
