// Imports of Realm files.

import { problemOf, unreachable } from "./transport.js";
import { parse } from "./values.js";

const hexadecimal = (key) => (typeof key === "string" ? key : [...new Uint8Array(key.buffer ?? key, key.byteOffset ?? 0, key.byteLength)]
  .map((byte) => byte.toString(16).padStart(2, "0")).join(""));

/** Sent once: an import that was not answered may have happened, and would come twice. */
export async function importRealm(transport, file, { dryRun, update, rename = {}, leaveOut = [], key, signal } = {}) {
  const headers = { Accept: "application/json", "Content-Type": "application/x-realm" };
  if (key !== undefined) headers["Realmgate-Encryption-Key"] = hexadecimal(key);
  const parameters = {
    dryRun: dryRun ? "true" : undefined, update, leaveOut, rename: Object.entries(rename).map(([old, name]) => `${old}=${name}`),
  };
  let response, text;
  try {
    response = await transport.open("POST", "/v1/import", { parameters, body: file, headers, signal });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    throw unreachable(cause);
  }
  if (!response.ok) throw problemOf(response.status, text);
  const mark = response.headers.get("Realmgate-Mark");
  if (mark) transport.written = mark;
  return parse(text);
}
