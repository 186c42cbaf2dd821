// Values as text for people, as input from people, and as literals of the predicate language.

import { Link } from "../client/realmgate.js";
import { own, parse, stringify } from "./json.js";

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 20, useGrouping: false });
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const rough = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

/** A count with separators: 3,376. */
export const tally = (count) => grouped.format(count);

/** A number of bytes in the unit that suits it: 1.5 MiB. */
export function byteSize(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}

/** A short form of an aggregate: whole numbers exactly while they are short, everything else to four digits. */
export function brief(value, property) {
  if (property.kind === "date") return text(value, property).slice(0, 10);
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value);
  if (Math.abs(number) >= 1e9) return number.toPrecision(3);
  return Number.isInteger(number) ? grouped.format(number) : rough.format(number);
}

/** A value as a cell shows it. */
export function text(value, property) {
  if (value === null || value === undefined) return "null";
  if (property.isJSON) return stringify(value);
  if (typeof value === "number") {
    return property.kind === "int" || !Number.isFinite(value) ? String(value) : decimal(value);
  }
  if (typeof value !== "object") return String(value);
  if (value instanceof Link) return `#${value.key}`;
  const json = stringify(value);
  // A value with a type of its own is written as `{"$type": text}`.
  return value.constructor === Object || Array.isArray(value) ? json : String(Object.values(JSON.parse(json))[0]);
}

function decimal(value) {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-6 || size >= 1e15) ? String(value) : numbers.format(value);
}

/** A property of an object as its cell shows it. */
export function words(object, property) {
  const value = own(object, property.name);
  if (property.kind === "backlinks") return Array.isArray(value) ? `${value.length} ${property.target}` : property.target;
  const plain = text(value, property);
  return property.kind === "date" ? dateText(plain) : plain.replace(/\r?\n/g, " ↵ ");
}

/** A date without its `T` and `Z`, and without a time of day when that is midnight; all of it where there is more. */
function dateText(full) {
  const parts = /^(\d{4,}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?Z$/.exec(full);
  if (!parts) return full;
  const [, day, minute, second, fraction] = parts;
  if (fraction) return `${day} ${minute}${second}${fraction}`;
  return second === undefined || second === ":00" ? `${day} ${minute}` : `${day} ${minute}${second}`;
}

/**
 * What a person typed, as the JSON value to send. Text that is not a number is sent as it is: the gateway's refusal says
 * best what the property accepts. Throws for text that must be JSON and is not.
 */
export function fromInput(input, property) {
  const trimmed = input.trim();
  if (property.isJSON) return trimmed === "" ? null : fromJSON(trimmed);
  switch (property.kind) {
    case "int": {
      if (!/^[+-]?\d+$/.test(trimmed)) return input;
      const exact = BigInt(trimmed);
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
    }
    case "float":
    case "double":
      return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
    case "bool":
      return trimmed === "true" ? true : trimmed === "false" ? false : input;
    case "date": {
      const day = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/.exec(trimmed);
      return day ? `${day[1]}T${day[2] ?? "00:00"}${day[3] ?? ":00"}${day[4] ?? "Z"}` : input;
    }
    case "link":
    case "uuid":
    case "objectId":
    case "decimal128":
    case "data":
      return trimmed;
    default:
      return input;
  }
}

function fromJSON(input) {
  try {
    return parse(input);
  } catch (error) {
    throw new Error(`This is not JSON: ${error.message}.`);
  }
}

/** A link as typed: the target's primary key, or its object key where the class has none. */
export function linkFromInput(input, target) {
  if (!target) return input.trim();
  if (target.keyProperty) return fromInput(input, target.keyProperty);
  return new Link(target.name, fromInput(input.replace(/^\s*#/, ""), { kind: "int" }));
}

/** A date as the predicate language writes it: whole seconds as people read them, others by their nanoseconds. */
function dateLiteral(plain) {
  const seconds = Math.floor(Date.parse(plain) / 1000);
  // The gateway says best what is wrong with what is no date.
  if (Number.isNaN(seconds)) return plain;
  const nanoseconds = Number((/\.(\d{1,9})/.exec(plain)?.[1] ?? "").padEnd(9, "0"));
  const day = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.000Z$/.exec(new Date(seconds * 1000).toISOString());
  if (nanoseconds === 0 && day) return day[1];
  // Both parts have the sign of the whole.
  return seconds < 0 && nanoseconds > 0 ? `T${seconds + 1}:${nanoseconds - 1e9}` : `T${seconds}:${nanoseconds}`;
}

/** A value as the predicate language writes it. */
export function literal(value, property) {
  if (value === null) return "nil";
  const plain = text(value, property);
  switch (property.kind) {
    case "int":
    case "float":
    case "double":
    case "bool":
      return plain;
    case "date":
      return dateLiteral(plain);
    case "uuid":
      return `uuid(${plain})`;
    case "objectId":
      return `oid(${plain})`;
    default:
      return `'${plain.replace(/[\\']/g, (mark) => `\\${mark}`).replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t")}'`;
  }
}
