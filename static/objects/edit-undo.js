// Undoing an edit of one property: a value, an embedded object, or the elements of a list, set or map.
//
// Cost: one request after an edit of elements, to know what it made; the undo reads the object and writes the property.

import { paths } from "../core/api.js";
import { own, same } from "../core/json.js";
import { toast, toastFault } from "../parts/toast.js";
import { plainError } from "../parts/ui.js";

/** How long the undo is offered, in seconds. */
const offered = 10;

/** The offer that is shown, or was. */
let offer = null;

/**
 * Offers to give a property the value back that it had before an edit. `context` is that of the object's page; `after` is
 * the value that the edit made, or undefined to read it.
 */
export async function offerUndo(context, property, before, sentence, after = undefined) {
  const { gateway, objectClass, key } = context;
  const path = paths.object(objectClass.name, key);
  const made = after === undefined ? own(await gateway.request("GET", path), property.name) : after;
  if (same(made, before)) return;
  // One offer at a time: a list of them would cover the page.
  offer?.close();
  offer = toast(sentence, {
    seconds: offered,
    action: { words: "Undo", run: () => undo(context, property, path, before, made).catch(toastFault) },
  });
}

/** Writes the old value, unless somebody has changed the new one since. */
async function undo(context, property, path, before, made) {
  const { value, headers } = await context.gateway.send("GET", path);
  if (!same(own(value, property.name), made)) {
    throw plainError(`${property.name} has changed since, so the edit cannot be undone.`);
  }
  await context.send("PATCH", path, { body: { [property.name]: before }, headers: { "If-Match": headers.get("ETag") } });
  toast(`${property.name} is as it was.`);
}
