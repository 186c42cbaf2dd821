// Requests as commands for a shell.

import { pairsOf } from "./api.js";
import { stringify } from "./json.js";

/** Quotes a word for a POSIX shell, with as few quotes as possible. */
export function quoted(word) {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (word.includes("'") && !/["$`\\!]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A GET; `flags` such as `-sG` or `-NG`. */
export function readCommand(flags, url, parameters) {
  const words = ["curl", flags, quoted(url)];
  for (const [name, value] of pairsOf(parameters)) {
    if (/^[\w.,-]+$/.test(value)) words.push("-d", `${name}=${value}`);
    else words.push("--data-urlencode", quoted(`${name}=${value}`));
  }
  return words.join(" ");
}

export function writeCommand(method, url, body) {
  const words = ["curl", "-X", method, quoted(url)];
  if (body !== undefined) words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(stringify(body)));
  return words.join(" ");
}
