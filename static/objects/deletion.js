// Deleting objects: asks first, and offers to undo it afterwards.

import { paths } from "../core/api.js";
import { tally } from "../core/values.js";
import { confirmRemoval } from "../parts/dialog.js";
import { toast, toastFault } from "../parts/toast.js";
import { plainError, sentenceOf } from "../parts/ui.js";
import { keepVersion, keyValue, mostUndone, restore, undoTime } from "./undo.js";

/** Objects for one transaction. */
const batch = 500;

/**
 * Asks whether these objects are to be deleted. `view` is `{gateway, schema, objectClass}`; `name` is what the reader calls
 * them; `wrote(method, path)` is called with the request for one object, `done()` after the deletion. `lost()` is called
 * when what had the keyboard is gone with the objects.
 */
export function deleteObjects({ gateway, schema, objectClass }, keys, name, { wrote = () => {}, done = () => {}, lost } = {}) {
  const one = keys.length === 1;
  let mayUndo = keys.length <= mostUndone && !objectClass.isEmbedded;
  const prospect = mayUndo ? "You can undo this for two minutes."
    : objectClass.isEmbedded ? "This cannot be undone." : `This cannot be undone: it is more than ${tally(mostUndone)} objects.`;
  confirmRemoval(`Delete ${name}?`, `Links to ${one ? "it" : "them"} become null. ${prospect}`, async () => {
    let snapshot = null;
    if (mayUndo) {
      try {
        snapshot = await keepVersion(gateway);
      } catch (error) {
        mayUndo = false;
        throw plainError(`The gateway cannot keep this version to undo the deletion: ${sentenceOf(error)} Press Delete again to delete for good.`);
      }
    }
    if (one) {
      const path = paths.object(objectClass.name, keys[0]);
      wrote("DELETE", path);
      await gateway.request("DELETE", path).catch((error) => {
        // Somebody else has deleted it already.
        if (error.status !== 404) throw error;
      });
    } else {
      for (let at = 0; at < keys.length; at += batch) {
        await gateway.transaction((transaction) => {
          for (const key of keys.slice(at, at + batch)) transaction.object(objectClass.name, keyValue(objectClass, key)).delete();
        });
      }
    }
    done();
    offer({ gateway, schema, objectClass }, keys, one ? name : `${tally(keys.length)} objects of ${objectClass.name}`, snapshot);
  }, "Delete", lost);
}

function offer({ gateway, schema, objectClass }, keys, name, snapshot) {
  const sentence = `${name} ${keys.length === 1 ? "was" : "were"} deleted.`;
  if (snapshot === null) {
    toast(sentence);
    return;
  }
  let isOpen = true;
  const release = () => gateway.request("DELETE", paths.snapshot(snapshot)).catch(() => {});
  toast(sentence, {
    seconds: undoTime - 5,
    action: {
      words: "Undo",
      run: async () => {
        isOpen = false;
        try {
          const { links } = await restore(gateway, schema, objectClass, keys, snapshot);
          toast(`${name} ${keys.length === 1 ? "is" : "are"} back${links > 0 ? `, with ${tally(links)} ${links === 1 ? "link" : "links"} to ${keys.length === 1 ? "it" : "them"}` : ""}.`);
        } catch (error) {
          toastFault(error);
        }
        release();
      },
    },
    closed: () => {
      if (isOpen) release();
    },
  });
}
