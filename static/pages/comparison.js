// Two versions of a class compared: what was inserted, deleted, and changed from what to what.

import { paths, request } from "../core/api.js";
import { database } from "../core/database.js";
import { same } from "../core/json.js";
import { objectAddress } from "../core/route.js";
import { tally, words } from "../core/values.js";
import { make } from "../parts/element.js";
import { button, empty, faultPanel, field, panel, plainError, select } from "../parts/ui.js";

const page = 5000;
const most = 100_000;
const shown = 200;

/** Fills `root` with the form. `snapshots(list)` of what it gives says which versions there are. */
export function comparison(root) {
  const one = select([]);
  const other = select([]);
  const classes = select(database.schema.classes.map((each) => each.name));
  const result = make("div", { "aria-live": "polite" });
  const go = button("Compare", () => compare(), { kind: "primary" });
  root.replaceChildren(panel("Compare", { note: "What happened to a class between two versions." },
    make("div.line", {}, field("Class", classes), field("From", one), field("To", other), go), result));

  async function compare() {
    go.disabled = true;
    const objectClass = database.schema.class(classes.value);
    try {
      const before = await read(objectClass, one.value, (count) => progress("Reading the first", count));
      const after = await read(objectClass, other.value, (count) => progress("Reading the second", count));
      result.replaceChildren(...draw(objectClass, differences(objectClass, before, after), one.value, other.value));
    } catch (error) {
      result.replaceChildren(faultPanel(error));
    } finally {
      go.disabled = false;
    }
  }

  function progress(what, count) {
    result.replaceChildren(make("p.loading", { role: "status" }, `${what}: ${tally(count)} objects`));
  }

  return {
    snapshots: (snapshots) => {
      const options = snapshots.map((each) => [each.snapshot, `version ${each.version}`]);
      const keep = (choice, list, fallback) => {
        const before = choice.value;
        choice.replaceChildren(...list.map(([value, text]) => make("option", { value }, text)));
        choice.value = list.some(([value]) => value === before) && before !== "" ? before : fallback;
      };
      keep(one, options, options.at(-1)?.[0] ?? "");
      keep(other, [["", "now"], ...options], "");
      root.hidden = options.length === 0;
    },
  };
}

/** All objects of a class at a version, by key. */
async function read(objectClass, snapshot, told) {
  const objects = new Map();
  let after = null;
  while (true) {
    const answer = await request("GET", paths.collection(objectClass.name), { query: { snapshot, limit: page, after } });
    for (const item of answer.items) objects.set(objectClass.keyOf(item), item);
    told(objects.size);
    after = answer.next ?? null;
    if (after === null) return objects;
    if (objects.size >= most) throw plainError(`${objectClass.name} has more than ${tally(most)} objects, too many to compare here.`);
  }
}

export function differences(objectClass, before, after) {
  const found = { inserted: [], deleted: [], changed: [] };
  for (const [key, object] of after) {
    const old = before.get(key);
    if (old === undefined) {
      found.inserted.push({ key, object });
      continue;
    }
    const names = objectClass.properties.filter((one) => one.kind !== "backlinks" && !same(old[one.name], object[one.name]));
    if (names.length > 0) found.changed.push({ key, object, old, names });
  }
  for (const [key, object] of before) if (!after.has(key)) found.deleted.push({ key, object });
  return found;
}

function draw(objectClass, { inserted, deleted, changed }, from, to) {
  if (inserted.length + deleted.length + changed.length === 0) return [empty("The two versions are the same.")];
  const link = (key, snapshot) => make("a.link", { href: objectAddress(objectClass.name, key, snapshot) }, key);
  const naming = objectClass.properties.find((one) => one.kind === "string" && !one.isKey);
  const item = (mark, key, snapshot, object, ...more) => make("li", { "data-mark": mark },
    make("span.sign", { "aria-label": mark }, { inserted: "+", deleted: "−", changed: "±" }[mark]),
    link(key, snapshot), naming && make("span.naming", {}, words(object, naming)), more);
  const part = (name, list, each) => list.length > 0 && make("section", {},
    make("h3", {}, `${tally(list.length)} ${name}`),
    make("ul.differences", {}, list.slice(0, shown).map(each)),
    list.length > shown && make("p.note", {}, `and ${tally(list.length - shown)} more`));
  return [
    part("inserted", inserted, ({ key, object }) => item("inserted", key, to, object)),
    part("deleted", deleted, ({ key, object }) => item("deleted", key, from, object)),
    part("changed", changed, ({ key, object, old, names }) => item("changed", key, to, object,
      make("span.changes", {}, names.map((property) => make("span.difference", {},
        make("b", {}, property.name), " ", make("del", {}, words(old, property)), " ", make("ins", {}, words(object, property))))))),
  ].filter(Boolean);
}
