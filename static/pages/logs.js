// The log: the lines that the server keeps, and each new one, for administrators.
//
// Cost: one stream while the page is open. The page has at most 1,000 lines.

import { isAbsent, paths, queryString } from "../core/api.js";
import { tally } from "../core/values.js";
import { make } from "../parts/element.js";
import { absent, button, check, faultPanel, field, heading, panel, select } from "../parts/ui.js";

/** Older lines leave the page. */
const most = 1000;
/** How long a text is waited for while it is typed, in milliseconds. */
const pause = 300;
const levels = [["trace", "all lines"], ["debug", "debug and above"], ["info", "info and above"], ["notice", "notice and above"],
  ["warning", "warnings and errors"], ["error", "errors"], ["critical", "critical errors"]];
const ages = [["", "any time"], ["300", "the last 5 minutes"], ["3600", "the last hour"], ["86400", "the last day"]];

export const title = "Log";

export function open(root, route, { gateway }) {
  let stream = null;
  let timer = null;
  let frame = null;
  /** Lines that have come since the last frame, and those that wait while the page is paused; null while it is not. */
  let fresh = [];
  let held = null;
  const asked = route.parameters ?? {};
  const level = select(levels, { value: levels.some(([name]) => name === asked.level) ? asked.level : "trace", onchange: () => begin() });
  const age = select(ages, { onchange: () => begin() });
  const text = make("input", {
    type: "search", autocomplete: "off", spellcheck: "false", value: asked.text ?? "",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(begin, pause);
    },
  });
  const follow = check("Follow", { checked: true, onchange: () => show() });
  const hold = button("Pause", () => turn(), { label: "Pause the log" });
  const words = make("span", { role: "status" }, "Connecting");
  const lamp = make("div.state.inline", { "data-state": "connecting" }, make("p", {}, make("span.lamp", { "aria-hidden": "true" }), words));
  const figures = make("p.note.log-count", {});
  // Not announced line by line: a busy server writes more than anybody can hear.
  const list = make("ol.log", { tabindex: "0", "aria-label": "Lines, the newest last", onscroll: () => scrolled() });
  root.replaceChildren(
    heading("Log", "The newest lines of the server’s log, which it keeps in memory. Times are in UTC."),
    panel("Lines", { actions: [lamp, follow, hold] },
      make("div.form-grid", {}, field("Level", level), field("Contains", text), field("Since", age)),
      figures, list));

  function begin() {
    clearTimeout(timer);
    stream?.stop();
    fresh = [];
    held = held === null ? null : [];
    list.replaceChildren();
    set("connecting", "Connecting");
    const since = age.value === "" ? null : new Date(Date.now() - Number(age.value) * 1000).toISOString();
    stream = gateway.events(paths.observeLogs + queryString({ level: level.value, text: text.value.trim(), since }), {
      open: () => set("live", held === null ? "Live" : "Paused"),
      event: (type, line) => take(type, line),
      lost: () => set("waiting", "Reconnecting…"),
      failed: (error) => {
        set("waiting", "Refused");
        if (isAbsent(error)) root.replaceChildren(heading("Log", ""), absent("the log", error));
        else list.before(faultPanel(error, begin));
      },
    });
    root.querySelector(".faulty")?.remove();
    count();
  }

  function set(state, sentence) {
    lamp.dataset.state = state;
    words.textContent = sentence;
  }

  function take(type, line) {
    if (type !== "line" && type !== "lost") return;
    const one = type === "line" ? lineOf(line) : make("li.log-gap", {}, `${tally(Number(line.count))} lines were lost: the server keeps the newest 2,000.`);
    if (held !== null) {
      held.push(one);
      if (held.length > most) held.shift();
      count();
      return;
    }
    fresh.push(one);
    frame ??= requestAnimationFrame(show);
  }

  /** Adds what has come, and scrolls to the end where the reader follows. */
  function show() {
    frame = null;
    list.append(...fresh.splice(0).slice(-most));
    while (list.children.length > most) list.firstChild.remove();
    count();
    if (follow.querySelector("input").checked) list.scrollTop = list.scrollHeight;
  }

  /** Who scrolls back reads there; who scrolls to the end follows again. */
  function scrolled() {
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
    follow.querySelector("input").checked = isAtEnd;
  }

  function turn() {
    if (held === null) {
      held = [];
      hold.textContent = "Resume";
      hold.setAttribute("aria-label", "Resume the log");
      set(lamp.dataset.state, "Paused");
    } else {
      fresh.push(...held);
      held = null;
      hold.textContent = "Pause";
      hold.setAttribute("aria-label", "Pause the log");
      set(lamp.dataset.state, lamp.dataset.state === "live" ? "Live" : words.textContent);
      show();
    }
    count();
  }

  function count() {
    const shown = list.children.length;
    figures.textContent = shown === 0 ? "No lines match yet."
      : `${tally(shown)} ${shown === 1 ? "line" : "lines"}${held !== null ? `, and ${tally(held.length)} more since the pause` : ""}`;
  }

  begin();
  return {
    close: () => {
      clearTimeout(timer);
      if (frame !== null) cancelAnimationFrame(frame);
      stream?.stop();
    },
  };
}

function lineOf({ time, level, label, message, fields }) {
  return make(`li.log-line.level-${level}`, {},
    make("time", { datetime: time, title: time }, time.slice(11, 23).replace("Z", "")),
    make("span.log-level", {}, level),
    make("span.log-label", {}, label),
    make("span.log-message", {}, message),
    Object.entries(fields).map(([name, value]) => make("span.log-field", {}, make("b", {}, `${name}=`), value)));
}
