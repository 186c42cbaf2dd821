// The bar of the selection: how many rows are selected, and what can be done with all of them.

import { paths } from "../core/api.js";
import { own } from "../core/json.js";
import { tally } from "../core/values.js";
import { showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { toast, toastFault } from "../parts/toast.js";
import { button, check, field, plainError, select, sentenceOf } from "../parts/ui.js";
import { deleteObjects } from "./deletion.js";
import { countMatching, deleteMatching, editMatching, matchingKeys, progressOf } from "./matching.js";
import { valueControl } from "./value-control.js";
import { keepVersion, keyValue, mostUndone, revertValues, undoTime } from "./undo.js";

const batch = 500;

export class Bulk {
  /** The filter and number of all that match, while they are chosen: `{filter, count}`. */
  #all = null;

  /**
   * `view()` gives `{gateway, schema, objectClass, rows, filter, matching, rights}`, where `matching` is the number of objects that
   * match, or null when not each of them is a row.
   */
  constructor(root, selection, view) {
    Object.assign(this, { root, selection, view });
    this.words = make("span", { role: "status" });
    this.rest = button("", () => this.#chooseAll().catch(toastFault), { kind: "quiet-line" });
    this.editing = button("Edit", () => this.#edit(), { label: "Edit the selected objects" });
    this.deleting = button("Delete", () => this.remove(), { kind: "danger-line", label: "Delete the selected objects" });
    root.append(this.words, this.editing, this.deleting,
      button("Clear", () => selection.clear(), { label: "Clear the selection" }), this.rest);
  }

  /** `isOfAll` says that the selection was not changed by the reader. */
  show(isOfAll = false) {
    const { size } = this.selection;
    this.root.hidden = size === 0;
    if (size === 0) this.#all = null;
    if (size === 0) return;
    const { filter, matching, rights, objectClass } = this.view();
    this.editing.hidden = this.#editable().length === 0;
    this.deleting.hidden = !rights.may("delete", objectClass.name);
    if (!isOfAll || this.#all?.filter !== filter) this.#all = null;
    this.words.textContent = this.#all === null ? `${tally(size)} selected` : `All ${tally(this.#all.count)} that match are selected`;
    this.rest.hidden = this.#all !== null || matching === null || matching <= size;
    if (!this.rest.hidden) this.rest.textContent = `Select all ${tally(matching)} that match`;
  }

  async #chooseAll() {
    const { gateway, objectClass, filter } = this.view();
    const count = await countMatching(gateway, objectClass, filter);
    if (this.view().filter !== filter) return;
    this.#all = { filter, count };
    this.show(true);
    this.root.querySelector("button:not([hidden])")?.focus();
  }

  remove() {
    if (this.#all !== null) this.#removeAll(this.#all).catch(toastFault);
    else this.#removeThese(this.selection.keys);
  }

  async #removeAll({ filter, count }) {
    const { gateway, objectClass } = this.view();
    // So few can be brought back.
    if (count <= mostUndone) this.#removeThese(await matchingKeys(gateway, objectClass, filter, count));
    else deleteMatching({ ...this.view(), filter }, count, () => this.selection.clear());
  }

  #removeThese(keys) {
    const { objectClass } = this.view();
    const name = keys.length === 1 ? `${objectClass.name} ${keys[0]}` : `${tally(keys.length)} objects of ${objectClass.name}`;
    deleteObjects(this.view(), keys, name, { done: () => this.selection.clear() });
  }

  /** The properties that the caller may change. */
  #editable() {
    const { rights, objectClass } = this.view();
    return objectClass.properties.filter((one) => one.isEditable && rights.mayWrite(objectClass.name, one.name));
  }

  #edit() {
    const { gateway, schema, objectClass } = this.view();
    const { keys } = this.selection;
    const all = this.#all;
    const count = all?.count ?? keys.length;
    const properties = this.#editable();
    const place = make("div", {});
    let control = null;
    const choice = select(properties.map((one) => one.name), { onchange: () => turn() });
    const turn = () => {
      const property = objectClass.property(choice.value);
      control = valueControl(gateway, schema, property);
      const none = property.optional ? check("null", {
        onchange: (event) => { control.input.disabled = event.target.checked; },
      }) : null;
      place.replaceChildren(field("Value", control.input, { note: property.type }), none ?? "");
      control.isNull = () => none?.querySelector("input").checked === true;
    };
    turn();
    let mayUndo = count <= mostUndone && !objectClass.isEmbedded;
    const { bar, words, body } = progressOf(count, mayUndo ? "You can undo this for two minutes."
      : objectClass.isEmbedded ? "" : `This cannot be undone: it is more than ${tally(mostUndone)} objects.`);
    const noun = count === 1 ? "object" : "objects";
    let stopped = false;
    const dialog = showDialog({
      title: `Edit ${tally(count)} ${noun} of ${objectClass.name}`, verb: "Change",
      body: make("div.fields", {}, field("Property", choice), place, body),
      submit: async () => {
        const values = { [choice.value]: control.isNull() ? null : control.read() };
        const report = (edited) => {
          bar.hidden = count <= batch;
          bar.value = Math.min(1, edited / count);
          if (count > batch) words.textContent = `${tally(edited)} of ${tally(count)} changed.`;
          return !stopped;
        };
        let snapshot = null;
        if (mayUndo) {
          try {
            snapshot = await keepVersion(gateway);
          } catch (error) {
            mayUndo = false;
            throw plainError(`The gateway cannot keep this version to undo the edit: ${sentenceOf(error)} Press Change again to edit for good.`);
          }
        }
        // What can be undone is known by its keys.
        const these = all === null ? keys : mayUndo ? await matchingKeys(gateway, objectClass, all.filter, count) : null;
        const edited = these === null ? await editMatching({ ...this.view(), filter: all.filter }, values, report)
          : await this.#editSelected(these, values, report);
        const sentence = `${stopped ? "Stopped: " : ""}${tally(edited)} ${noun} of ${objectClass.name} changed.`;
        if (snapshot === null) toast(sentence);
        else await this.#offerUndo(sentence, these.slice(0, edited), objectClass.property(choice.value), snapshot);
      },
    });
    dialog.addEventListener("close", () => {
      stopped = true;
    });
  }

  /** Offers to give the objects their values back. `snapshot` has the version before the edit. */
  async #offerUndo(sentence, keys, property, snapshot) {
    const { gateway, objectClass } = this.view();
    const release = () => gateway.request("DELETE", paths.snapshot(snapshot)).catch(() => {});
    if (keys.length === 0) {
      release();
      toast(sentence);
      return;
    }
    // As the gateway has stored it: the same in all of them.
    const made = await gateway.request("GET", paths.object(objectClass.name, keys[0])).then((one) => own(one, property.name), () => undefined);
    const undo = async () => {
      const { reverted, changed } = await revertValues(gateway, objectClass, keys, property, made, snapshot);
      const noun = (number) => (number === 1 ? "object" : "objects");
      toast(`${property.name} of ${tally(reverted)} ${noun(reverted)} is as it was.${changed > 0
        ? ` ${tally(changed)} ${noun(changed)} ${changed === 1 ? "has" : "have"} changed since, or ${changed === 1 ? "is" : "are"} gone.` : ""}`);
    };
    let isOpen = true;
    toast(sentence, {
      seconds: undoTime - 5,
      action: {
        words: "Undo",
        run: () => {
          isOpen = false;
          undo().catch(toastFault).then(release);
        },
      },
      closed: () => {
        if (isOpen) release();
      },
    });
  }

  async #editSelected(keys, values, report) {
    const { gateway, objectClass } = this.view();
    let edited = 0;
    while (edited < keys.length && report(edited)) {
      const part = keys.slice(edited, edited + batch);
      await gateway.transaction((transaction) => {
        for (const key of part) transaction.object(objectClass.name, keyValue(objectClass, key)).update(values);
      });
      edited += part.length;
    }
    return edited;
  }
}
