// Short messages at the edge of the page, which disappear by themselves. Errors stay until they are closed.

import { make } from "./element.js";
import { iconButton, sentenceOf } from "./ui.js";

const time = 4000;
const most = 4;

const place = () => document.getElementById("toasts");

/**
 * `link` is `{href, words}`, behind the sentence; `action` is `{words, run}`, a button that also closes the message.
 * `closed()` is called when the message has gone without it. Returns the message, which has `close()`.
 */
export function toast(sentence, { isFault = false, link = null, action = null, seconds = null, closed = () => {} } = {}) {
  const close = () => {
    if (!made.isConnected) return;
    made.remove();
    closed();
  };
  const made = make(`div.toast${isFault ? ".faulty" : ""}`, {},
    make("p", {}, sentence, ...(link === null ? [] : [" ", make("a", { href: link.href }, link.words)])),
    action !== null && make("button.action", {
      type: "button",
      onclick: () => {
        made.remove();
        action.run();
      },
    }, action.words),
    iconButton("×", "Close this message", close));
  made.close = close;
  place().append(made);
  while (place().children.length > most) place().firstChild.close();
  if (!isFault) setTimeout(close, seconds === null ? time : 1000 * seconds);
  return made;
}

/** Shows an error; an error of the page itself is thrown again. */
export function toastFault(error) {
  if (error.name === "AbortError") return;
  toast(sentenceOf(error), { isFault: true });
}
