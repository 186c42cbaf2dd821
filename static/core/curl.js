// Requests as commands for a shell.

import { pairsOf } from "./api.js";
import { stringify } from "./json.js";

/** Quotes a word for a POSIX shell, with as few quotes as possible. */
export function quoted(word) {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (word.includes("'") && !/["$`\\!]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The key itself must not get into a history or onto a screen. */
const credential = '-H "Authorization: Bearer $KEY"';

/** A GET; `flags` such as `-sG` or `-NG`. With a key it reads the key from the variable KEY of the shell. */
export function readCommand(flags, url, parameters, hasKey = false) {
  const words = ["curl", flags, ...(hasKey ? [credential] : []), quoted(url)];
  for (const [name, value] of pairsOf(parameters)) {
    if (/^[\w.,-]+$/.test(value)) words.push("-d", `${name}=${value}`);
    else words.push("--data-urlencode", quoted(`${name}=${value}`));
  }
  return words.join(" ");
}

export function writeCommand(method, url, body, hasKey = false) {
  const words = ["curl", "-X", method, ...(hasKey ? [credential] : []), quoted(url)];
  if (body !== undefined) words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(stringify(body)));
  return words.join(" ");
}
