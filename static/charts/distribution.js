// How the values of a property are distributed over the objects that a query selects.

import { own } from "../core/json.js";
import { literal, tally, text } from "../core/values.js";

const mostBins = 24;
const mostValues = 12;

/** How a property is drawn: `bins` of numbers and dates, the largest groups of `values`, or null for neither. */
export function formOf(property, schema) {
  if (property.isKey || schema.sortPath(property) === null) return null;
  if (property.isNumeric || ["decimal128", "date"].includes(property.kind)) return "bins";
  return ["string", "bool", "link", "uuid", "objectId"].includes(property.kind) ? "values" : null;
}

/** The aggregate that a property's distribution is. */
export function questionOf(property, schema) {
  return { by: schema.sortPath(property), ...(formOf(property, schema) === "bins" ? { bins: mostBins } : { top: mostValues }) };
}

/**
 * The distribution of one property, from the response to its query. It is `{form, bars: [{label, count, predicate}], missing, others, total, version}`:
 * `missing` counts the objects without a value on the scale, `others` the groups that have no bar.
 */
export function distributionOf(answer, version, property, schema) {
  const form = formOf(property, schema);
  const path = schema.sortPath(property);
  // A link is grouped by the key of its target.
  const measured = property.kind === "link" ? schema.class(property.target).keyProperty : property;
  const bars = form === "bins" ? binsOf(answer, property, path) : groupsOf(answer, measured, path, property.kind);
  const others = { groups: Number(answer.others.groups), count: Number(answer.others.count) };
  const drawn = bars.reduce((sum, one) => sum + one.count, 0);
  return {
    form, bars, property, version, total: drawn + others.count,
    missing: form === "bins" ? others.count : bars.find((one) => one.isNull)?.count ?? 0,
    others: form === "bins" ? { groups: 0, count: 0 } : others,
  };
}

function binsOf({ bins }, property, path) {
  return bins.map(({ from, to, count }) => ({
    count: Number(count), from, to,
    label: intervalText(from, to, property),
    // The bounds are those that the gateway counted by.
    predicate: `${path} >= ${literal(from, property)} AND ${path} < ${literal(to, property)}`,
  }));
}

function groupsOf(groups, measured, path, kind) {
  return groups.map(({ key, count }) => {
    const value = own(key, path) ?? null;
    // A link that leads nowhere is compared as itself.
    const subject = value === null && kind === "link" ? path.slice(0, path.lastIndexOf(".")) : path;
    return {
      count: Number(count), isNull: value === null,
      label: text(value, measured),
      predicate: `${subject} == ${literal(value, measured)}`,
    };
  });
}

/** An interval as people read it. That of whole numbers of width one is the number. */
function intervalText(from, to, property) {
  if (property.kind === "int" && Number(to) - Number(from) === 1) return text(from, property);
  if (property.kind !== "date") return `${text(from, property)} to ${text(to, property)}`;
  const [first, second] = [from, to].map((one) => text(one, property));
  const isMidnight = (one) => one.includes("T00:00:00Z");
  if (!isMidnight(first) || !isMidnight(second)) return `${spaced(first)} to ${spaced(second)}`;
  const days = (Date.parse(second) - Date.parse(first)) / 86_400_000;
  if (days === 1) return first.slice(0, 10);
  const isMonths = first.includes("-01T") && second.includes("-01T") && days >= 28;
  if (isMonths && days <= 31) return first.slice(0, 7);
  if (isMonths && first.includes("-01-01T") && days <= 366) return first.slice(0, 4);
  return `${first.slice(0, 10)} to ${second.slice(0, 10)}`;
}

const spaced = (date) => date.replace("T", " ").replace(/(:\d\d):00Z$/, "$1").replace(/Z$/, "");

/** The first of the bars that count the most. */
export function highest(bars) {
  return bars.reduce((best, one) => (best === null || one.count > best.count ? one : best), null);
}

export function share(count, total) {
  const percent = total === 0 ? 0 : (count / total) * 100;
  if (count > 0 && percent < 1) return "< 1 %";
  if (count < total && percent > 99) return "> 99 %";
  return `${Math.round(percent)} %`;
}

/** The distribution in one sentence, for those who do not see its bars. */
export function sentence({ form, bars, missing, others, total, property }) {
  if (total === 0) return `${property.name}: no objects`;
  const most = highest(bars);
  if (most === null) return `${property.name}: ${tally(missing)} without a value`;
  if (form === "values" && most.count === 1 && bars.length + others.groups > 1) {
    return `${property.name}: ${tally(bars.length + others.groups)} different values, each once`;
  }
  const parts = [`${property.name}: most often ${most.label}, ${share(most.count, total)}`];
  if (form === "values") parts.push(`${tally(bars.length + others.groups)} different values`);
  if (missing > 0) parts.push(`${tally(missing)} without a value`);
  return parts.join("; ");
}

/** The predicate that also asks for `more`. Steps such as SORT stay behind it. */
export function narrowed(filter, more) {
  const [, predicate, steps] = /^(.*?)((?:\s+(?:SORT|DISTINCT|LIMIT)\s*\(.*)?)$/is.exec(filter.trim());
  if (predicate === "" || predicate.toUpperCase() === "TRUEPREDICATE") return more + steps;
  const isPlain = !/\b(?:or|not)\b|\|\||!(?!=)/i.test(predicate);
  return `${isPlain ? predicate : `(${predicate})`} AND ${more}${steps}`;
}
