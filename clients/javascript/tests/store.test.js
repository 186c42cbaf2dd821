import assert from "node:assert/strict";
import { test } from "node:test";
import { Realmgate } from "../lib/realmgate.js";
import { store } from "../lib/store.js";
import { eventually, limit, same } from "./support/check.js";
import { Server } from "./support/server.js";

test("a store follows its query while it has subscribers", limit, async (t) => {
  const server = await Server.start(t);
  const db = new Realmgate(server.url);
  t.after(() => db.close());
  await db.objects("Card").create({ id: 1 });
  const cards = store(db.objects("Card").fields("id"));
  same(cards.value, { items: null, state: "connecting", error: null });
  const seen = [[], []];
  const ends = seen.map((all) => cards.subscribe((value) => all.push(value)));
  same(seen.map((all) => all.length), [1, 1]);
  await eventually(() => cards.value.items?.length === 1 && cards.value.state === "live");
  await db.objects("Card").create({ id: 2 });
  await eventually(() => seen.every((all) => all.at(-1).items?.length === 2));
  ends[0]();
  ends[0]();
  await db.objects("Card").create({ id: 3 });
  await eventually(() => seen[1].at(-1).items.length === 3);
  assert.equal(seen[0].at(-1).items.length, 2);
  ends[1]();
  await db.objects("Card").create({ id: 4 });
  const end = cards.subscribe(() => {});
  await eventually(() => cards.value.items.length === 4);
  end();

  const wrong = store(db.objects("Card").filter("nope == 1"));
  wrong.subscribe(() => {});
  await eventually(() => wrong.value.error?.code === "query.unknown_property" && wrong.value.state === "ended");
});
