import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Outbox } from "../lib/outbox.js";
import { Realmgate } from "../lib/realmgate.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const description = JSON.parse(readFileSync(join(root, "openapi/openapi.json"), "utf8"));
const page = readFileSync(join(root, "docs/reference/javascript-parity.md"), "utf8");

const resolved = (one) => (one.$ref === undefined ? one : resolved(one.$ref.slice(2).split("/").reduce((at, name) => at[name], description)));

/** The parameters in the query of each operation: "GET /v1/schema" → ["format"]. */
const operations = new Map(Object.entries(description.paths).flatMap(([path, item]) =>
  ["get", "put", "post", "patch", "delete"].filter((method) => item[method] !== undefined).map((method) => {
    const all = [...item.parameters ?? [], ...item[method].parameters ?? []].map(resolved);
    return [`${method.toUpperCase()} ${path}`, all.filter((one) => one.in === "query").map(({ name }) => name).sort()];
  })));

const codes = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
const rows = [...page.matchAll(/^\| `((?:GET|PUT|POST|PATCH|DELETE) [^`]+)` \| (.*) \| ?(.*?) ?\| ?(.*?) ?\|$/gm)].map(([, operation, client, offered, rest]) => ({
  operations: operation.endsWith("…") ? ["", "/{key}/{property}", "/{key}/{property}/{steps}"].map((end) => operation.replace("…", end)) : [operation],
  client: codes(client), offered: codes(offered), rest: codes(rest),
}));

test("the parity table has every operation once, with every parameter", () => {
  const named = rows.flatMap((row) => row.operations);
  assert.deepEqual([...named].sort(), [...operations.keys()].sort());
  for (const row of rows) {
    for (const operation of row.operations) {
      assert.deepEqual([...row.offered, ...row.rest].sort(), operations.get(operation), operation);
    }
    if (row.client.length === 0 || row.client.includes("db.request()")) assert.deepEqual(row.offered, [], row.operations[0]);
  }
});

test("what the parity table names is there", () => {
  const db = new Realmgate("http://127.0.0.1:9");
  const query = db.objects("A");
  const observation = query.observe(() => {}, { onError: () => {} });
  observation.stop();
  const made = {
    db, query, observation, object: db.object("A", 1), sections: query.sections("b"), aggregates: query.aggregates({ by: "b" }),
    values: query.values("b"), index: query.indexOf(1), outbox: Outbox.prototype,
  };
  let count = 0;
  for (const code of rows.flatMap(({ client }) => client)) {
    const [, name, method] = /^(\w+)\.(\w+)\(\)$/.exec(code);
    assert.equal(typeof made[name][method], "function", code);
    count += 1;
  }
  assert.ok(count > 50);
});
