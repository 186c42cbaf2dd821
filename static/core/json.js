// JSON as the JavaScript client reads and writes it, in a form for people, and compared.

import { stringify as write } from "../client/realmgate.js";

export { parse } from "../client/realmgate.js";

/** Writes JSON; dates without milliseconds are written without them, as the gateway does. */
export const stringify = (value) => write(value).replace(/("\$date":"[^"]*)\.000Z"/g, '$1Z"');

/** Whether two values are the same in JSON. */
export function same(left, right) {
  return left === right || stringify(left) === stringify(right);
}

/** JSON with a line for each member and element. */
export function indented(value) {
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return stringify(value).replace(/"(?:[^"\\]|\\[^])*"|\[\]|\{\}|[[{\]},:]/g, (token) => {
    if (token === "{" || token === "[") {
      depth += 1;
      return token + line();
    }
    if (token === "}" || token === "]") {
      depth -= 1;
      return line() + token;
    }
    if (token === ",") return token + line();
    return token === ":" ? ": " : token;
  });
}

/** A member of an object that came as JSON; undefined for one that it has not, whatever the name. */
export function own(object, name) {
  return object !== null && object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}
