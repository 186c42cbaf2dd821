// Values while a comparison is typed: after `carrier == ` the most frequent values of `carrier`.
//
// Cost: one aggregate request for the largest groups after each pause of typing within such a value.

import { RealmgateError, paths } from "../core/api.js";
import { own } from "../core/json.js";
import { literal, tally, text } from "../core/values.js";

const most = 8;
const comparison = /((?:[\p{L}_$]|\\u[0-9a-f]{4})(?:[\p{L}\p{N}_$.]|\\[ nrt]|\\u[0-9a-f]{4})*)\s*(?:==|!=|<>|=)(?:\[[cd]+\])?\s*("[^"\\]*|'[^'\\]*|[\p{L}\p{N}.-]*)$/u;
const kinds = ["string", "bool", "int", "uuid", "objectId", "date", "link"];

/**
 * What is compared at the caret: `{path, property, typed, start}`, where `start` is the beginning of the value; null where
 * no value is typed.
 */
export function comparedAt(source, caret, objectClass, schema) {
  const found = comparison.exec(source.slice(0, caret));
  if (found === null || /[\p{L}\p{N}_$]/u.test(source[caret] ?? "")) return null;
  // Quotes before the comparison must be closed: otherwise it is a part of a text.
  if ((source.slice(0, found.index).replace(/\\./g, "").match(/["']/g) ?? []).length % 2 === 1) return null;
  let owner = objectClass;
  let property = null;
  let path = found[1];
  for (const step of path.split(".")) {
    property = owner?.properties.find((one) => one.path === step) ?? null;
    owner = property?.target ? schema.class(property.target) : null;
  }
  if (property === null || !kinds.includes(property.kind)) return null;
  if (property.kind === "link") {
    const key = owner?.keyProperty;
    if (!key) return null;
    // A link is compared with the key of its target.
    path = `${path}.${key.path}`;
    property = key;
  }
  const typed = found[2].replace(/^["']/, "");
  return { path, property, typed, start: caret - found[2].length, quote: /^["']/.exec(found[2])?.[0] ?? "" };
}

/** The candidates in the form of `Completion`; none when the gateway refuses or cannot be reached. */
export async function valueCandidates(gateway, objectClass, found, snapshot, signal) {
  const { path, property, typed, start, quote } = found;
  try {
    const { groups } = await gateway.request("GET", paths.aggregates(objectClass.name), {
      query: {
        by: path, top: property.kind === "string" ? most : 100, snapshot,
        filter: property.kind === "string" && typed !== "" ? `${path} BEGINSWITH[c] ${literal(typed, property)}` : null,
      },
      signal,
    });
    const names = groups.flatMap(({ key, count }) => {
      const value = own(key, path) ?? null;
      if (value === null) return [];
      const begins = text(value, property).toLowerCase().startsWith(typed.toLowerCase());
      return begins ? [{ name: literal(value, property), note: tally(Number(count)) }] : [];
    }).slice(0, most);
    // A value that is complete needs no help.
    const isDone = names.length === 1 && quote === "" && names[0].name === typed;
    return { start, names: isDone ? [] : names, quote, isOffer: typed === "" };
  } catch (error) {
    if (!(error instanceof RealmgateError) && error.name !== "AbortError") throw error;
    return { start, names: [] };
  }
}
