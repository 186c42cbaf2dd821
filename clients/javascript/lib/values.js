// Typed values, and JSON that keeps them (`types=typed`).

class TextValue {
  #text;
  constructor(text, form, name) {
    if (!form.test(text)) throw new TypeError(`${JSON.stringify(String(text))} is not ${name}.`);
    this.#text = String(text);
    Object.freeze(this);
  }
  toString() { return this.#text; }
  toJSON() { return this.#text; }
  /** What `console.log` of Node.js and Deno shows. */
  [Symbol.for("nodejs.util.inspect.custom")]() { return `${this.constructor.name}(${this.#text})`; }
  equals(other) { return other instanceof this.constructor && String(other) === this.#text; }
}

export class UUID extends TextValue {
  static tag = "$uuid";
  constructor(text = randomUUID()) {
    super(String(text).toLowerCase(), /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, "a UUID");
  }
}

export class ObjectId extends TextValue {
  static tag = "$oid";
  constructor(text = Math.floor(Date.now() / 1000).toString(16).padStart(8, "0") + hex(8)) {
    super(String(text).toLowerCase(), /^[\da-f]{24}$/, "an ObjectId of 24 hexadecimal digits");
  }
}

export class Decimal128 extends TextValue {
  static tag = "$decimal";
  constructor(text) {
    super(text, /^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)$/i, "a decimal number");
  }
  valueOf() { return Number(String(this).replace(/inf(inity)?/i, "Infinity")); }
}

export class Timestamp extends Date {
  #text;
  #time;
  constructor(text) {
    super(text.replace(/(\.\d{3})\d+/, "$1"));
    this.#text = text;
    this.#time = this.getTime();
  }
  toISOString() { return Object.is(this.getTime(), this.#time) ? this.#text : super.toISOString(); }
  toJSON() { return this.toISOString(); }
}

export class Link {
  constructor(className, key) {
    this.class = className;
    this.key = key;
    Object.freeze(this);
  }
  toString() { return `${this.class}/${this.key}`; }
}

export class Float {
  static tag = "$float";
  constructor(value) { this.value = Number(value); }
  valueOf() { return this.value; }
  toJSON() { return Number.isFinite(this.value) ? this.value : String(this.value); }
}

export class Double extends Float {
  static tag = "$double";
}

export class Raw {
  constructor(json) { this.json = json; }
}

export const geoCircle = (center, radius) => new Raw({ $geoCircle: { center, radius } });
export const geoBox = (one, other) => new Raw({ $geoBox: [one, other] });
export const geoPolygon = (...rings) => new Raw({ $geoPolygon: rings });

function hex(bytes) {
  const array = new Uint8Array(bytes);
  // Pages without TLS have no randomUUID, and Node.js 18 has no global crypto.
  if (globalThis.crypto?.getRandomValues) crypto.getRandomValues(array);
  else array.forEach((_, index) => { array[index] = Math.random() * 256; });
  return Array.from(array, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function randomUUID() {
  const text = hex(16);
  const variant = "89ab"[Number(`0x${text[16]}`) & 3];
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`;
}

const isObject = (value) => value !== null && typeof value === "object";

const readers = {
  $date: (text) => {
    const date = new Date(text);
    return /\.\d{4}/.test(text) || Number.isNaN(date.getTime()) ? new Timestamp(text) : date;
  },
  $uuid: (text) => new UUID(text),
  $oid: (text) => new ObjectId(text),
  $decimal: (text) => new Decimal128(String(text)),
  $binary: (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
  $float: (value) => new Float(value),
  // A number that is not finite is no text of a mixed value either.
  $double: (value) => (typeof value === "string" ? Number(value) : new Double(value)),
  $int: (text) => BigInt(text),
  $link: (link) => new Link(link.class, decode(link.key)),
  $dictionary: (members) => decodeMembers(members),
};

function decodeMembers(object) {
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (!isObject(value)) continue;
    // An assignment to __proto__ would not make a member.
    Object.defineProperty(object, name, { value: decode(value), enumerable: true, writable: true, configurable: true });
  }
  return object;
}

/** The typed values within parsed JSON, which it replaces in place. */
function decode(value) {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) {
    value.forEach((element, index) => { if (isObject(element)) value[index] = decode(element); });
    return value;
  }
  const names = Object.keys(value);
  if (names.length === 1 && names[0][0] === "$" && Object.hasOwn(readers, names[0])) return readers[names[0]](value[names[0]]);
  return decodeMembers(value);
}

const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d[\d.eE+-]*/g;

export function parse(text) {
  if (/(^|[-[:,\s])\d{16,}([,\]}\s]|$)/.test(text)) {
    text = text.replace(tokens, (token) =>
      /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `{"$int":"${token}"}` : token);
  }
  return decode(JSON.parse(text));
}

function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

const tagged = (tag, value) => `{"${tag}":${JSON.stringify(value)}}`;

export function stringify(value, isRaw = false) {
  switch (typeof value) {
    case "bigint": return String(value);
    // Also a float, a decimal and a mixed value take this form.
    case "number": return Object.is(value, -0) ? "-0.0" : Number.isFinite(value) ? JSON.stringify(value) : `{"$double":"${value}"}`;
    case "undefined": case "function": case "symbol": return "null";
    case "object": break;
    default: return JSON.stringify(value);
  }
  if (value === null) return "null";
  if (Array.isArray(value) || value instanceof Set) return `[${Array.from(value, (element) => stringify(element)).join(",")}]`;
  if (value instanceof Date) return tagged("$date", value.toISOString());
  if (value instanceof TextValue || value instanceof Float) return tagged(value.constructor.tag, value.toJSON());
  if (value instanceof Link) return `{"$link":{"class":${JSON.stringify(value.class)},"key":${stringify(value.key)}}}`;
  if (value instanceof Raw) return stringify(value.json, true);
  if (value instanceof ArrayBuffer) value = new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return tagged("$binary", base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)));
  const members = (value instanceof Map ? [...value] : Object.entries(value)).filter(([, one]) => one !== undefined);
  const text = `{${members.map(([name, one]) => `${JSON.stringify(String(name))}:${stringify(one)}`).join(",")}}`;
  // Without this, a dictionary could pass for a link or a date.
  return !isRaw && members.length === 1 && String(members[0][0])[0] === "$" ? `{"$dictionary":${text}}` : text;
}
