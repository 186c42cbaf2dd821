// Short messages at the edge of the page, which disappear by themselves. Errors stay until they are closed.

import { make } from "./element.js";
import { iconButton, sentenceOf } from "./ui.js";

const time = 4000;
const most = 4;

const place = () => document.getElementById("toasts");

/** `link` is `{href, words}`, behind the sentence. */
export function toast(sentence, { isFault = false, link = null } = {}) {
  const close = () => made.remove();
  const made = make(`div.toast${isFault ? ".faulty" : ""}`, {},
    make("p", {}, sentence, ...(link === null ? [] : [" ", make("a", { href: link.href }, link.words)])), iconButton("×", "Close this message", close));
  place().append(made);
  while (place().children.length > most) place().firstChild.remove();
  if (!isFault) setTimeout(close, time);
}

/** Shows an error; an error of the page itself is thrown again. */
export function toastFault(error) {
  if (error.name === "AbortError") return;
  toast(sentenceOf(error), { isFault: true });
}
