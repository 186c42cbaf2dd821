// The elements of pages: headings, panels, fields, tables, and the sentences for what is empty or went wrong.

import { RealmgateError } from "../core/api.js";
import { freshID, make } from "./element.js";

/** Names of more characters are headings in a smaller size. */
export const longName = 32;

/** The head of a page. */
export function heading(title, lead, ...right) {
  return make("header.title", {},
    make("div", {}, make(`h1${title.length > longName ? ".long" : ""}`, { tabindex: "-1" }, title), make("p.tally", {}, lead)),
    right.length > 0 && make("div.title-actions", {}, right));
}

/** A part of a page with a heading of its own. */
export function panel(title, { actions = [], note = null } = {}, ...children) {
  const id = freshID("panel");
  return make("section.panel", { "aria-labelledby": id },
    make("div.panel-head", {}, make("h2", { id }, title), actions.length > 0 && make("div.actions", {}, actions)),
    note !== null && make("p.note", {}, note),
    children);
}

export function button(words, onclick, { kind = "", label = null, type = "button", title = null } = {}) {
  return make(`button.action${kind === "" ? "" : `.${kind}`}`, { type, onclick, title, "aria-label": label }, words);
}

/** A round button with a sign in it; `label` is its name. */
export function iconButton(sign, label, onclick, members = {}) {
  return make("button.icon", { type: "button", "aria-label": label, title: label, onclick, ...members }, sign);
}

/** A choice; options are texts or pairs of value and text. */
export function select(options, members = {}) {
  return make("select", members, options.map((one) => {
    const [value, words] = Array.isArray(one) ? one : [one, one];
    return make("option", { value }, words);
  }));
}

/** A control with its name above it, a remark below it, and room for its fault. */
export function field(label, control, { note = null, wide = false } = {}) {
  control.id ||= freshID("field");
  const fault = make("p.field-fault", { id: freshID("fault"), role: "alert", hidden: true });
  const remark = note === null ? null : make("p.note", { id: freshID("note") }, note);
  control.setAttribute("aria-describedby", [fault.id, remark?.id].filter(Boolean).join(" "));
  const made = make(`div.form-field${wide ? ".span" : ""}`, {},
    make("label", { for: control.id }, label), control, fault, remark);
  /** Shows a fault; null removes it. */
  made.blame = (sentence) => {
    fault.hidden = sentence === null;
    fault.textContent = sentence ?? "";
    if (sentence === null) control.removeAttribute("aria-invalid");
    else control.setAttribute("aria-invalid", "true");
  };
  made.control = control;
  return made;
}

/** A checkbox with its name after it. */
export function check(label, members = {}) {
  const box = make("input", { type: "checkbox", ...members });
  return make("label.check", {}, box, make("span", {}, label));
}

/**
 * A table. A head is a text, `{words, number}`, or `{hidden}` for a name that is heard alone; a row is an array of texts and elements, the first of which names the
 * row. It scrolls sideways on its own where it is too wide.
 */
export function table(caption, heads, rows) {
  const columns = heads.map((one) => (one === "" ? { hidden: "Actions" } : typeof one === "string" ? { words: one } : one));
  const kind = (index) => (columns[index].number ? ".number" : "");
  return make("div.table-scroll", { tabindex: "0", role: "group", "aria-label": caption },
    make("table.data", {},
      make("caption.hidden", {}, caption),
      make("thead", {}, make("tr", {}, columns.map((one, index) => make(`th${kind(index)}`, { scope: "col" },
        one.hidden ? make("span.hidden", {}, one.hidden) : one.words)))),
      make("tbody", {}, rows.map((cells) => make("tr", {}, cells.map((cell, index) =>
        index === 0 ? make(`th${kind(0)}`, { scope: "row" }, cell || make("span.null", {}, "empty")) : make(`td${kind(index)}`, {}, cell ?? "")))))));
}

/** Shows another table instead of one that the reader may have scrolled, or be at with the keyboard. */
export function redraw(root, made) {
  const before = root.firstElementChild;
  const scrolled = scrolledPart(before)?.scrollLeft ?? 0;
  const hadFocus = document.activeElement !== document.body && scrolledPart(before) === document.activeElement;
  root.replaceChildren(made);
  const part = scrolledPart(made);
  if (part === null) return;
  part.scrollLeft = scrolled;
  if (hadFocus) part.focus();
}

const scrolledPart = (one) => (one?.matches(".table-scroll") ? one : one?.querySelector(".table-scroll") ?? null);

/** A sentence where there is nothing else to show. */
export function empty(sentence, ...more) {
  return make("div.empty", {}, make("p", {}, sentence), more);
}

export function loading(words = "Loading…") {
  return make("p.loading", { role: "status" }, words);
}

/** The error in words, with a button that tries again where that may help. */
export function faultPanel(error, again = null) {
  return make("div.empty.faulty", { role: "alert" },
    make("p", {}, sentenceOf(error)), again !== null && button("Try again", again));
}

/** The sentence of an error that the reader can act on; an error of the page itself is thrown again. */
export function sentenceOf(error) {
  if (error instanceof RealmgateError) {
    if (error.status === 0) return "The gateway cannot be reached. Check that it runs, then try again.";
    return error.hint ? `${error.message} Did you mean ‘${error.hint}’?` : error.message;
  }
  if (error instanceof SyntaxError) return `This is not JSON: ${error.message}.`;
  if (error.isPlain) return error.message;
  throw error;
}

/** An error with a sentence for the reader. */
export function plainError(sentence) {
  const error = new Error(sentence);
  error.isPlain = true;
  return error;
}

/** A page whose endpoint the gateway does not have, or does not offer to this caller. */
export function absent(what, problem) {
  const reason = problem.status === 403
    ? `Your key does not permit this. ${problem.message}`
    : problem.code?.endsWith(".unavailable") ? problem.message : `This gateway does not offer ${what}.`;
  return empty(reason);
}
