import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Realmgate, RealmgateError } from "../lib/realmgate.js";
import { limit, same } from "./support/check.js";
import { Server } from "./support/server.js";

const root = new URL("../../../", import.meta.url);
const people = readFileSync(new URL("Examples/Realm/people.realm", root));
const encrypted = gunzipSync(readFileSync(new URL("Tests/Wire/RealmFilesTests/Files/encrypted.realm.gz", root)));
const selection = { leaveOut: ["Address.former"], rename: { Person: "Human", Entry: "Note" } };

test("Realm files", limit, async (t) => {
  const server = await Server.start(t);
  const db = new Realmgate(server.url);

  await t.test("a preview names what stands in the way, and changes nothing", async () => {
    const { refusal, classes } = await db.importRealm(people, { dryRun: true });
    same(refusal.obstacles.map(({ name, way }) => [name, way]), [["Address.former", "leaveOut"]]);
    same(classes.map(({ name, objects }) => [name, objects]), [["Person", 39], ["Address", 135], ["Entry", 90]]);
    assert.equal((await db.importRealm(people, { ...selection, dryRun: true })).refusal, null);
    // The database has another class Person.
    assert.equal((await db.importRealm(people, { leaveOut: ["Address.former"], dryRun: true })).refusal.code, "realm_file.different_class");
    await assert.rejects(db.importRealm(people), (error) => error instanceof RealmgateError && error.code === "realm_file.unsuitable");
    assert.ok(!(await db.schema()).classes.some(({ name }) => name === "Note"));
  });

  await t.test("an import has counts and sums, and is read after", async () => {
    const { classes, version } = await db.importRealm(new Blob([people]), selection);
    same(classes.map(({ name, objects }) => [name, objects]), [["Human", 39], ["Address", 122], ["Note", 90]]);
    same(classes[1].numbers, [{ property: "number", count: 122, sum: "544", minimum: "0", maximum: "38" }]);
    const rest = await db.objects("Note").limit(1).get();
    assert.ok(rest.version >= version);
    assert.equal(await db.objects("Note").count(), 90);
  });

  await t.test("an encrypted file needs its key, as bytes or digits", async () => {
    const key = Uint8Array.from({ length: 64 }, (_, at) => at);
    await assert.rejects(db.importRealm(encrypted, { dryRun: true }), (error) => error.parameter === "Realmgate-Encryption-Key");
    await assert.rejects(db.importRealm(encrypted, { dryRun: true, key: key.toReversed?.() ?? key.slice().reverse() }), (error) => error.code === "realm_file.key");
    const digits = Buffer.from(key).toString("hex");
    for (const one of [key, key.buffer, digits]) assert.equal((await db.importRealm(encrypted, { dryRun: true, key: one })).refusal, null);
  });

  await t.test("a signal ends it", async () => {
    await assert.rejects(db.importRealm(people, { signal: AbortSignal.abort() }), { name: "AbortError" });
  });
});
