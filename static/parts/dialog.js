// Dialogs: those of the page, and those that are made for one question.

import { freshID, make } from "./element.js";
import { button, sentenceOf } from "./ui.js";

const byId = (id) => document.getElementById(id);

/** Buttons marked `data-close`, and a press outside, close a dialog. */
export function prepareDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) closeByPress(dialog);
}

function closeByPress(dialog) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
  });
}

export function showKeys() {
  byId("keys-dialog").showModal();
}

/**
 * Shows a dialog and returns it. Its main button calls `submit`; when that throws, the dialog stays open and shows the
 * error. `starts` puts the caret at the beginning of a text. A closed dialog is removed.
 */
export function showDialog({ title, body, verb = null, kind = "primary", wide = false, cancel = "Cancel", submit = null, starts = false }) {
  const id = freshID("dialog");
  const fault = make("p.dialog-fault", { role: "alert", hidden: true });
  const main = verb === null ? null : make(`button.action.${kind}`, { type: "submit" }, verb);
  const onsubmit = async (event) => {
    event.preventDefault();
    fault.hidden = true;
    main.disabled = true;
    try {
      if ((await submit?.()) !== false) dialog.close();
    } catch (error) {
      fault.textContent = sentenceOf(error);
      fault.hidden = false;
    } finally {
      main.disabled = false;
    }
  };
  const dialog = make(`dialog.dialog${wide ? ".wide" : ""}`, { "aria-labelledby": id },
    make("form", { method: "dialog", onsubmit },
      make("h2", { id }, title), body, fault,
      make("div.buttons", {}, button(cancel, () => dialog.close()), main)));
  dialog.addEventListener("close", () => dialog.remove());
  closeByPress(dialog);
  document.body.append(dialog);
  dialog.showModal();
  const first = dialog.querySelector("input:enabled, select:enabled, textarea") ?? main ?? dialog.querySelector(".buttons button");
  // A long text is read from its beginning.
  if (starts) first.setSelectionRange?.(0, 0);
  first.focus();
  return dialog;
}

/** The keyboard goes on at the beginning of the page. */
function focusHeading() {
  [...document.querySelectorAll("main h1")].find((one) => one.checkVisibility())?.focus({ preventScroll: true });
}

/**
 * Asks, then calls `remove()`; shows its error in the dialog. What opened the dialog may be gone with what was removed:
 * then `lost()` says where the keyboard goes on.
 */
export function confirmRemoval(title, consequence, remove, verb = "Delete", lost = focusHeading) {
  const dialog = byId("remove-dialog");
  const fault = byId("remove-fault");
  byId("remove-title").textContent = title;
  byId("remove-text").textContent = consequence;
  dialog.querySelector("[type=submit]").textContent = verb;
  fault.hidden = true;
  dialog.querySelector("form").onsubmit = async (event) => {
    event.preventDefault();
    try {
      await remove();
      dialog.close();
      const { activeElement } = document;
      if (activeElement === null || activeElement === document.body || dialog.contains(activeElement)) lost();
    } catch (error) {
      fault.textContent = sentenceOf(error);
      fault.hidden = false;
    }
  };
  dialog.showModal();
  // Enter alone must not delete.
  dialog.querySelector("[data-close]").focus();
}
