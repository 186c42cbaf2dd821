// One stream of events as it arrives: its state, counts, and the latest events, which can be held, resumed and opened.

import { indented } from "../core/json.js";
import { tally } from "../core/values.js";
import { make } from "./element.js";
import { button, sentenceOf } from "./ui.js";

const kept = 200;
/** Longer events are shown in part, so that the page stays fast. */
const longest = 20_000;

export class EventLog {
  #reader = null;
  #held = null;
  #counts = new Map();
  #begun = performance.now();

  /** `closed()` is called when the reader closes the stream; without it there is no button for that. */
  constructor(gateway, url, { closed = null } = {}) {
    this.gateway = gateway;
    this.url = url;
    this.state = make("span", { role: "status" }, "Connecting");
    this.figures = make("p.note", {});
    this.list = make("ol.events", { "aria-label": "Events, the latest first", tabindex: "0" });
    this.pause = button("Pause", () => this.#pause());
    this.again = button("Reconnect", () => this.#reconnect(), { title: "Ends the connection and resumes after the last event" });
    this.lamp = make("div.state.inline", { "data-state": "connecting" },
      make("p", {}, make("span.lamp", { "aria-hidden": "true" }), this.state));
    this.root = make("section.panel.stream", { "aria-label": `Stream ${url}` },
      make("div.panel-head", {}, make("code.url", {}, url), make("div.actions", {}, this.lamp, this.pause, this.again,
        closed !== null && button("Close", () => {
          this.close();
          this.root.remove();
          closed();
        }))),
      this.figures, this.list);
    this.#open();
  }

  close() {
    this.#reader?.stop();
  }

  #open(lastEventID = "") {
    this.#set("connecting", "Connecting");
    this.#reader = this.gateway.events(this.url, {
      open: () => this.#set("live", "Open"),
      event: (type, body, id = "") => this.#take({ type, body, id }),
      lost: () => this.#set("waiting", "Reconnecting…"),
      failed: (error) => {
        this.#set("waiting", `Refused: ${error.status}`);
        this.list.prepend(make("li.event.faulty", { role: "alert" }, sentenceOf(error)));
      },
    }, { lastEventID });
    this.#figures();
  }

  #set(state, sentence) {
    this.lamp.dataset.state = state;
    this.state.textContent = sentence;
  }

  #reconnect() {
    const { lastEventID } = this.#reader;
    this.close();
    this.#open(lastEventID);
    if (lastEventID !== "") this.#set("connecting", `Resuming after ${lastEventID}`);
  }

  #pause() {
    if (this.#held === null) {
      this.#held = [];
      this.pause.textContent = "Resume";
    } else {
      const held = this.#held;
      this.#held = null;
      this.pause.textContent = "Pause";
      for (const one of held) this.#show(one);
    }
    this.pause.setAttribute("aria-pressed", String(this.#held !== null));
    this.#figures();
  }

  #take(event) {
    this.#count(event.type);
    event.time = new Date();
    if (this.#held === null) {
      this.#show(event);
      return;
    }
    this.#held.push(event);
    if (this.#held.length > kept) this.#held.shift();
    this.#figures();
  }

  #count(type) {
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
    this.#figures();
  }

  #figures() {
    const parts = [...this.#counts].map(([type, count]) => `${tally(count)} ${type}`);
    if (this.#reader?.lastEventID) parts.push(`last id ${this.#reader.lastEventID}`);
    if (this.#held !== null) parts.push(`paused, ${tally(this.#held.length)} waiting`);
    this.figures.textContent = parts.length === 0 ? "No events yet." : parts.join(" · ");
  }

  #show({ type, body, id, time }) {
    const pre = make("pre", { tabindex: "0" });
    const item = make("li.event", {},
      make("details", {
        ontoggle: () => {
          if (pre.textContent !== "") return;
          const full = indented(body);
          pre.textContent = full.length > longest ? `${full.slice(0, longest)}\n… ${tally(full.length - longest)} more characters` : full;
        },
      },
      make("summary", {},
        make("time", {}, time.toLocaleTimeString("en-GB")),
        make(`span.event-type.${type}`, {}, type),
        make("span.event-id", {}, id),
        make("span.event-sense", {}, summary(type, body))),
      pre));
    this.list.prepend(item);
    while (this.list.children.length > kept) this.list.lastChild.remove();
  }
}

/** What an event says, in a few words. */
function summary(type, body) {
  const whose = body.subscription === undefined ? "" : `${body.subscription}: `;
  if (type === "subscriptions") return (body.subscriptions ?? []).join(", ") || "no subscriptions";
  if (type === "initial") {
    if (body.object !== undefined) return `${whose}the object`;
    if (body.groups !== undefined) return `${whose}${tally(body.groups.length)} groups`;
    return `${whose}${tally(body.count ?? body.items?.length ?? 0)} in the result`;
  }
  if (type === "change") return `${whose}${(body.changes ?? []).map((one) => one.name).join(", ")}`;
  if (type === "error") return `${whose}${body.detail ?? body.code ?? ""}`;
  const parts = [["insertions", "inserted"], ["modifications", "modified"], ["deletions", "deleted"]]
    .filter(([name]) => body[name]?.length > 0)
    .map(([name, words]) => `${tally(body[name].length)} ${words}`);
  // An aggregate has all of its result.
  if (body.count !== undefined) parts.push(`${tally(body.count)} in the result`);
  return whose + parts.join(", ");
}
