// All objects that match a query, edited or deleted in parts: with their number before, progress, and an end at any time.

import { own } from "../core/json.js";
import { paths } from "../core/api.js";
import { tally } from "../core/values.js";
import { showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { toast } from "../parts/toast.js";
import { keyValue } from "./undo.js";

/** Objects for one transaction. */
const batch = 500;

/** The number of objects that match now. */
export async function countMatching(gateway, objectClass, filter) {
  const { count } = await gateway.request("GET", paths.aggregates(objectClass.name), { query: { filter } });
  return Number(count);
}

/** The keys of the objects that match, at most `limit`. */
export async function matchingKeys(gateway, objectClass, filter, limit) {
  const { items } = await gateway.request("GET", paths.collection(objectClass.name), {
    query: { ...given(filter), fields: objectClass.primaryKey ?? undefined, limit },
  });
  return items.map((one) => objectClass.keyOf(one));
}

const given = (filter) => (filter.trim() === "" ? {} : { filter });

/** The parameters by which a bulk request names the objects of a filter. */
const chosen = (filter) => (filter.trim() === "" ? { all: true } : { filter });

/** Asks, and deletes at most as many objects as it said. `done()` is called after each part. */
export function deleteMatching({ gateway, objectClass, filter }, count, done) {
  const { bar, words, body } = progressOf(count, `This deletes ${which(filter)}. Links to them become null. This cannot be undone.`);
  let stopped = false;
  let deleted = 0;
  const dialog = showDialog({
    title: `Delete ${tally(count)} objects of ${objectClass.name}?`, verb: "Delete", kind: "danger", body,
    submit: async () => {
      bar.hidden = false;
      while (deleted < count && !stopped) {
        const part = Math.min(batch, count - deleted);
        const answer = await gateway.request("DELETE", paths.collection(objectClass.name), {
          query: { ...chosen(filter), limit: part },
        });
        deleted += Number(answer.deleted);
        bar.value = deleted / count;
        words.textContent = `${tally(deleted)} of ${tally(count)} deleted.`;
        // Others may have deleted the rest.
        if (Number(answer.deleted) < part) break;
      }
      if (!stopped) toast(`${tally(deleted)} objects of ${objectClass.name} were deleted.`);
      done();
    },
  });
  dialog.addEventListener("close", () => {
    stopped = true;
    if (deleted > 0 && deleted < count) toast(`Stopped: ${tally(deleted)} of ${tally(count)} objects of ${objectClass.name} were deleted.`);
  });
  // Enter alone must not delete.
  dialog.querySelector(".buttons button").focus();
}

/**
 * Sets a property of all matching objects, a part in each transaction. `progress(edited)` is called after each part, and
 * returns whether to go on. Returns the number of objects that were edited.
 */
export async function editMatching({ gateway, objectClass, filter }, values, progress) {
  let edited = 0;
  let after = null;
  do {
    // Pages in the order of creation, so that what the edit changes does not shift them.
    const page = await gateway.request("GET", paths.collection(objectClass.name), {
      query: { ...given(filter), fields: objectClass.primaryKey ?? undefined, limit: batch, after },
    });
    const keys = page.items.map((one) => objectClass.keyOf(one));
    if (keys.length > 0) {
      await gateway.transaction((transaction) => {
        for (const key of keys) transaction.object(objectClass.name, keyValue(objectClass, key)).update(values);
      });
    }
    edited += keys.length;
    after = own(page, "next") ?? null;
  } while (progress(edited) && after !== null);
  return edited;
}

/** A bar that is hidden until the work begins, and a sentence below it. */
export function progressOf(count, sentence) {
  const bar = make("progress", { max: 1, hidden: true, "aria-label": "Progress" });
  bar.value = 0;
  const words = make("p.note", { role: "status" }, sentence);
  return { bar, words, body: make("div.fields", {}, words, make("div.progress", {}, bar)) };
}

const which = (filter) => (filter.trim() === "" ? "every object of the class" : `every object where ${filter}`);
