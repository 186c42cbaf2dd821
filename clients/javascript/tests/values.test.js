import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  Decimal128, Double, Float, Link, ObjectId, Timestamp, UUID, geoCircle, parse, stringify,
} from "../lib/realmgate.js";

test("integers keep all 64 bits, and digits in texts and fractions are no integers", () => {
  const text = '{"a":9223372036854775807,"b":[-9223372036854775808,9007199254740991,9007199254740993],"c":"1234567890123456789","d":0.12345678901234566,"e":1.0e+20,"f":"\\\\\\"12345678901234567"}';
  const value = parse(text);
  assert.deepEqual(value, {
    a: 9223372036854775807n, b: [-9223372036854775808n, 9007199254740991, 9007199254740993n], c: "1234567890123456789",
    d: 0.12345678901234566, e: 1e20, f: '\\"12345678901234567',
  });
  assert.equal(stringify(value), text.replace("1.0e+20", "100000000000000000000"));
});

test("typed values become values of their types and back", () => {
  const text = '{"d":{"$date":"2026-01-31T12:00:00.000Z"},"n":{"$date":"2026-01-31T12:00:00.123456789Z"},"u":{"$uuid":"6f1b2c3d-0001-4000-8000-000000000001"},"o":{"$oid":"0123456789abcdef01234567"},"p":{"$decimal":"1.10"},"b":{"$binary":"AAH/"},"f":{"$float":0.1},"x":{"$double":"NaN"},"l":{"$link":{"class":"Dog","key":{"$uuid":"6f1b2c3d-0001-4000-8000-000000000001"}}},"k":{"$dictionary":{"$date":"x"}}}';
  const value = parse(text);
  assert.ok(value.d instanceof Date && !(value.d instanceof Timestamp));
  assert.ok(value.n instanceof Timestamp);
  assert.equal(value.n.getTime(), Date.parse("2026-01-31T12:00:00.123Z"));
  assert.ok(value.u instanceof UUID && value.o instanceof ObjectId && value.p instanceof Decimal128);
  assert.ok(value.p < 1.2 && value.p > 1);
  assert.deepEqual([...value.b], [0, 1, 255]);
  assert.ok(value.f instanceof Float && Number.isNaN(value.x));
  assert.ok(parse('{"$double":3}') instanceof Double);
  assert.deepEqual(value.l, new Link("Dog", value.l.key));
  assert.deepEqual(value.k, { $date: "x" });
  assert.equal(stringify(value), text);
  assert.equal(JSON.stringify({ u: value.u, d: value.d, n: value.n }), '{"u":"6f1b2c3d-0001-4000-8000-000000000001","d":"2026-01-31T12:00:00.000Z","n":"2026-01-31T12:00:00.123456789Z"}');
});

test("a zero keeps its sign", () => {
  assert.ok(Object.is(parse(stringify([-0]))[0], -0));
  assert.ok(Object.is(parse(stringify({ x: 0 })).x, 0));
  assert.equal(stringify([-0, 0]), "[-0.0,0]");
});

test("a date with finer digits is an ordinary date once it is changed", () => {
  const [date] = parse('[{"$date":"2026-01-31T12:00:00.123456789Z"}]');
  date.setUTCFullYear(2027);
  assert.equal(date.toISOString(), "2027-01-31T12:00:00.123Z");
});

test("a member named __proto__ is a member", () => {
  const value = parse('{"__proto__":{"a":{"$date":"2026-01-31T12:00:00.000Z"}},"n":12345678901234567}');
  assert.ok(Object.hasOwn(value, "__proto__"));
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(stringify(value), '{"__proto__":{"a":{"$date":"2026-01-31T12:00:00.000Z"}},"n":12345678901234567}');
});

test("a dictionary cannot pass for a link, and undefined members are left out", () => {
  assert.equal(stringify({ extra: { $link: { class: "A", key: 1 } }, none: undefined }), '{"extra":{"$dictionary":{"$link":{"class":"A","key":1}}}}');
  assert.equal(stringify([new Set([1n]), new Map([["a", 1]]), geoCircle([1, 2], 0.5), NaN, -Infinity]),
    '[[1],{"a":1},{"$geoCircle":{"center":[1,2],"radius":0.5}},{"$double":"NaN"},{"$double":"-Infinity"}]');
  assert.deepEqual(parse(stringify([NaN, Infinity, -Infinity])), [NaN, Infinity, -Infinity]);
});

test("console.log shows what a value is", () => {
  assert.equal(inspect([new UUID("6f1b2c3d-0001-4000-8000-000000000001"), new Decimal128("1.10"), new ObjectId("0123456789abcdef01234567")]),
    "[\n  UUID(6f1b2c3d-0001-4000-8000-000000000001),\n  Decimal128(1.10),\n  ObjectId(0123456789abcdef01234567)\n]");
});

test("texts of many megabytes are parsed", () => {
  const text = `{"a":"${"x\\n".repeat(2_000_000)}","b":1234567890123456789}`;
  assert.equal(parse(text).b, 1234567890123456789n);
});

test("malformed texts are refused with what is expected", () => {
  assert.throws(() => new UUID("x"), /"x" is not a UUID/);
  assert.throws(() => new ObjectId("12"), /hexadecimal/);
  assert.throws(() => new Decimal128("1,5"), /decimal/);
  assert.ok(new UUID().equals(new UUID(String(new UUID()))) === false);
  assert.match(String(new ObjectId()), /^[\da-f]{24}$/);
});
