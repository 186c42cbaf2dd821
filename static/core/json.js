// JSON that keeps all 64 bits of an integer: those that a Number cannot hold exactly become BigInt.

// Strings and numbers, each as a whole: digits in a text or after a point are not integers.
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Parses JSON; integers beyond ±(2^53 − 1) are BigInt. */
export function parse(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const marked = text.replace(tokens, (token) =>
    !/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token)) ? token : `{"\\u0000int":"${token}"}`);
  return JSON.parse(marked, (_, value) =>
    value !== null && typeof value === "object" && "\u0000int" in value ? BigInt(value["\u0000int"]) : value);
}

/** Writes JSON; a BigInt becomes a plain integer. */
export function stringify(value, indent) {
  const text = JSON.stringify(
    value, (_, part) => (typeof part === "bigint" ? `\u0000int:${part}` : part), indent);
  return text?.replace(/"\\u0000int:(-?\d+)"/g, "$1");
}

/** Whether two JSON values are the same. */
export function same(left, right) {
  return left === right || stringify(left) === stringify(right);
}
