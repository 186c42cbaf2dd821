// Conditions of a filter as people choose them, and as the predicate language writes them.

import { literal } from "../core/values.js";

const ordered = [["==", "is"], ["!=", "is not"], ["<", "is less than"], ["<=", "is at most"], [">", "is more than"], [">=", "is at least"]];
const times = [["==", "is"], ["<", "is before"], ["<=", "is at or before"], [">", "is after"], [">=", "is at or after"]];
const texts = [
  ["CONTAINS[c]", "contains"], ["BEGINSWITH[c]", "begins with"], ["ENDSWITH[c]", "ends with"], ["==", "is"], ["!=", "is not"],
];
const same = [["==", "is"], ["!=", "is not"]];
const absence = [["== nil", "has no value"], ["!= nil", "has a value"]];

/** What is counted, with the type that its number has. */
const counted = { kind: "int", name: "count", isNumeric: true, optional: false };

function operatorsOf(property) {
  const { kind } = property;
  const some = kind === "string" ? texts : kind === "date" ? times
    : property.isNumeric || kind === "decimal128" ? ordered
      : kind === "bool" ? same.slice(0, 1) : ["uuid", "objectId", "link"].includes(kind) ? same : [];
  return property.optional || kind === "link" ? [...some, ...absence] : some;
}

/**
 * What conditions can be about: `{path, words, group, property, operators, prefix}`, where `property` has the type of the
 * value. Those of linked objects follow under the name of the link.
 */
export function subjectsOf(objectClass, schema, group = null) {
  const from = (property, path, words) => {
    if (property.kind === "collection" || property.kind === "backlinks") {
      return [{ path: `${path}.@count`, words: `number of ${words}`, group, property: counted, operators: ordered }];
    }
    if (property.kind === "objectKey") return [];
    const key = property.kind === "link" ? schema.class(property.target)?.keyProperty : null;
    // Objects without a primary key cannot be named.
    const all = property.kind === "link" && !key ? absence : operatorsOf(property);
    return all.length === 0 ? [] : [{ path, words, group, property, key, operators: all }];
  };
  const own = objectClass.properties.flatMap((one) => from(one,
    group === null ? one.path : `${group.path}.${one.path}`, group === null ? one.name : `${group.words}.${one.name}`));
  if (group !== null) return own;
  const behind = objectClass.properties.filter((one) => ["link", "embedded"].includes(one.kind)).flatMap((one) => {
    const target = schema.class(one.target);
    return target === null ? [] : subjectsOf(target, schema, { path: one.path, words: one.name });
  });
  return [...own, ...behind];
}

export const takesValue = (operator) => !operator.endsWith("nil");

/** A condition `{subject, operator, value}` as a predicate. */
export function written({ subject, operator, value }) {
  if (!takesValue(operator)) return `${subject.path} ${operator}`;
  // A link is compared by the key of its target.
  const path = subject.key ? `${subject.path}.${subject.key.path}` : subject.path;
  return `${path} ${operator} ${literal(value, subject.key ?? subject.property)}`;
}

/** All conditions, of which each or any must hold. */
export const joined = (conditions, connector) => conditions.map(written).join(` ${connector} `);

/** The parts between `AND` or `OR`: `{connector, parts}`; null for what has both, parentheses, or more. */
function split(text) {
  const token = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\s(AND|OR)\s|[(){}]|\b(?:NOT|SORT|DISTINCT|LIMIT)\b|\w+\([\w-]*\)|&&|\|\|/gi;
  const parts = [];
  const connectors = new Set();
  let from = 0;
  for (const found of text.matchAll(token)) {
    const [all, connector] = found;
    if (connector) {
      parts.push(text.slice(from, found.index));
      from = found.index + all.length;
      connectors.add(connector.toUpperCase());
    } else if (!/^["']|^\w+\(/.test(all)) {
      return null;
    }
  }
  if (connectors.size > 1) return null;
  return { connector: [...connectors][0] ?? "AND", parts: [...parts, text.slice(from)].map((one) => one.trim()) };
}

/** The value as the reader types it; undefined for what is not a value of the property. */
function typed(source, property) {
  const quoted = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$/s.exec(source);
  if (quoted) {
    if (property.isNumeric || ["bool", "date"].includes(property.kind)) return undefined;
    const signs = { n: "\n", r: "\r", t: "\t" };
    return (quoted[1] ?? quoted[2]).replace(/\\(.)/gs, (_, sign) => signs[sign] ?? sign);
  }
  if (property.kind === "date") {
    const whole = /^\d{4,}-\d\d-\d\d[T@]\d\d:\d\d:\d\d$/.exec(source);
    return whole ? `${source.replace("@", "T")}Z` : undefined;
  }
  const named = { uuid: /^uuid\(([\w-]+)\)$/i, objectId: /^oid\(([\w]+)\)$/i }[property.kind];
  if (named) return named.exec(source)?.[1];
  if (property.kind === "bool") return /^(?:true|false)$/i.test(source) ? source.toLowerCase() : undefined;
  return property.isNumeric && /^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(source) ? source : undefined;
}

/** The conditions of a filter, `{connector, conditions: [{subject, operator, typed}]}`; null for one that is no such list. */
export function readConditions(text, subjects) {
  if (text.trim() === "") return { connector: "AND", conditions: [] };
  const found = split(text.trim());
  if (found === null) return null;
  const conditions = found.parts.map((part) => {
    for (const subject of subjects) {
      const paths = subject.key ? [`${subject.path}.${subject.key.path}`, subject.path] : [subject.path];
      for (const path of paths) {
        if (!part.startsWith(path) || !/^\s*[=!<>]|^\s+\w/.test(part.slice(path.length))) continue;
        const rest = part.slice(path.length).trim().replace(/^([!=]=)\s*(?:nil|null)$/i, "$1 nil");
        // The longest operator that fits: `<=` before `<`.
        const operator = subject.operators.map(([one]) => one).sort((one, other) => other.length - one.length)
          .find((one) => (takesValue(one) ? rest.toUpperCase().startsWith(one.toUpperCase()) : rest === one));
        if (operator === undefined) continue;
        if (!takesValue(operator)) return { subject, operator, typed: "" };
        const value = typed(rest.slice(operator.length).trim(), subject.key ?? subject.property);
        if (value !== undefined) return { subject, operator, typed: value };
      }
    }
    return null;
  });
  return conditions.includes(null) ? null : { connector: found.connector, conditions };
}
