// Two versions of the database compared: inserted and deleted objects, and the old and new values of changed ones.

import { paths } from "../core/api.js";
import { same } from "../core/json.js";
import { objectAddress } from "../core/route.js";
import { tally, text, words } from "../core/values.js";
import { make } from "../parts/element.js";
import { button, empty, faultPanel, field, loading, panel, select } from "../parts/ui.js";

/** How many objects of each kind are listed, and of how many of those that changed the values are looked up at once. */
const most = 100;
const mostValues = 25;

/** Fills `root` with the form. `snapshots(list)` of what it gives says which versions there are. */
export function comparison(root, { gateway, database }) {
  const from = select([]);
  const to = select([]);
  const result = make("div", { "aria-live": "polite" });
  const go = button("Compare", () => compare(), { kind: "primary" });
  root.hidden = true;
  root.replaceChildren(panel("Compare", { note: "Lists what changed from one version to a later one." },
    make("div.line", {}, field("From", from), field("To", to), go), result));

  async function compare() {
    go.disabled = true;
    result.replaceChildren(loading("Comparing…"));
    const versions = { from: from.value, to: to.value };
    try {
      const answer = await gateway.request("GET", paths.snapshotChanges(versions.from), { query: { to: versions.to, limit: most } });
      const parts = answer.classes.map((one) => classPart(gateway, database.schema, one, versions)).filter((one) => one !== null);
      result.replaceChildren(
        make("p.note", {}, `Version ${answer.from} to version ${answer.to}`
          + (answer.schemaChanged ? "; the schema has changed as well." : ".")),
        ...(parts.length > 0 ? parts : [empty("The two versions have the same objects.")]));
    } catch (error) {
      result.replaceChildren(faultPanel(error, compare));
    } finally {
      go.disabled = false;
    }
  }

  return {
    snapshots: (snapshots) => {
      // The earlier ones first, as they are compared.
      const options = [...snapshots].sort((one, other) => Number(one.version) - Number(other.version))
        .map((each) => [each.snapshot, `version ${each.version}`]);
      offer(from, options, options[0]?.[0] ?? "");
      offer(to, [...options, ["", "now"]], "");
      root.hidden = options.length === 0;
    },
  };
}

/** Puts options into a choice, and keeps what was chosen where it is still there. */
function offer(choice, options, fallback) {
  const before = choice.value;
  choice.replaceChildren(...options.map(([value, sentence]) => make("option", { value }, sentence)));
  choice.value = before !== "" && options.some(([value]) => value === before) ? before : fallback;
}

/** What happened to one class; null for one that is not known here. */
function classPart(gateway, schema, { class: name, counts, inserted, deleted, modified }, { from, to }) {
  const objectClass = schema.class(name);
  if (objectClass === null) return null;
  const property = objectClass.keyProperty ?? { kind: "int" };
  const item = (mark, key, snapshot, more = null) => {
    const plain = text(key, property);
    return make("li", { "data-mark": mark },
      make("span.sign", { role: "img", "aria-label": mark }, { inserted: "+", deleted: "−", changed: "±" }[mark]),
      make("a.link", { href: objectAddress(name, plain, snapshot) }, plain), more);
  };
  const changed = modified.map(({ key, properties }, index) => {
    const values = make("span.changes", {}, properties.join(", "));
    if (index < mostValues) showValues(gateway, values, objectClass, text(key, property), properties, { from, to });
    return item("changed", key, to, values);
  });
  const part = (words, count, items) => items.length > 0 && make("section", {},
    make("h4", {}, `${tally(count)} ${words}`), make("ul.differences", {}, items),
    count > items.length && make("p.note", {}, `and ${tally(count - items.length)} more`));
  return make("section.compared", {}, make("h3", {}, name),
    part("inserted", counts.inserted, inserted.map((key) => item("inserted", key, to))),
    part("deleted", counts.deleted, deleted.map((key) => item("deleted", key, from))),
    part("changed", counts.modified, changed));
}

/** Shows what each property was and is. The names alone stay where that cannot be read. */
async function showValues(gateway, root, objectClass, key, names, { from, to }) {
  const path = paths.object(objectClass.name, key);
  try {
    const [before, after] = await Promise.all(
      [from, to].map((snapshot) => gateway.request("GET", path, { query: { snapshot } })));
    const properties = names.map((name) => objectClass.property(name)).filter((one) => one !== null);
    root.replaceChildren(...properties.filter((one) => !same(before[one.name], after[one.name])).map((property) =>
      make("span.difference", {}, make("b", {}, property.name), " ",
        make("del", {}, words(before, property)), " ", make("ins", {}, words(after, property)))));
  } catch {
    // The object or the snapshot was deleted meanwhile.
  }
}
