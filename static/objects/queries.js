// The queries of a class that the reader saved, and those that were asked lately. The browser remembers them.

import { routeAddress, sortText } from "../core/route.js";
import { showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { field, iconButton, plainError } from "../parts/ui.js";

const kept = 20;
const placeOf = (name) => `realmgate.queries.${name}`;

export class Queries {
  #saved = [];
  #recent = [];

  constructor(className) {
    this.className = className;
    try {
      const { saved, recent } = JSON.parse(localStorage.getItem(placeOf(className)) ?? "{}");
      const isQuery = (one) => typeof one?.address === "string" && one.address.startsWith("#/") && typeof one.words === "string";
      if (Array.isArray(saved)) this.#saved = saved.filter((one) => isQuery(one) && typeof one.name === "string");
      if (Array.isArray(recent)) this.#recent = recent.filter(isQuery);
    } catch {
      // Storage may be forbidden, or hold what another program wrote: then there are none.
    }
  }

  get saved() {
    return this.#saved;
  }

  get recent() {
    return this.#recent;
  }

  /** Remembers that a route was looked at, unless it is the whole class. */
  visited(route) {
    const one = described(route);
    if (one === null) return;
    this.#recent = [one, ...this.#recent.filter(({ address }) => address !== one.address)].slice(0, kept);
    this.#keep();
  }

  save(name, route) {
    const one = described(route) ?? { address: routeAddress(route), words: "all objects" };
    this.#saved = [...this.#saved.filter((other) => other.name !== name), { name, ...one }];
    this.#keep();
  }

  forget(name) {
    this.#saved = this.#saved.filter((one) => one.name !== name);
    this.#keep();
  }

  #keep() {
    try {
      localStorage.setItem(placeOf(this.className), JSON.stringify({ saved: this.#saved, recent: this.#recent }));
    } catch {
      // As above: then they last until the page is loaded again.
    }
  }
}

/** A route with its query in words; null for one that shows a whole class in its own order. */
function described({ className, filter, sort, distinct, view, by }) {
  const words = [
    filter.trim() !== "" && `where ${filter.trim()}`, sort.length > 0 && `by ${sortText(sort)}`,
    distinct !== "" && `distinct ${distinct}`, view !== "" && `as ${view}${by === "" ? "" : ` by ${by}`}`,
  ].filter(Boolean).join(" ");
  return words === "" ? null : { address: routeAddress({ className, filter: filter.trim(), sort, distinct, view, by }), words };
}

/** Shows the queries; `go(address)` moves to one of them. */
export function showQueries(queries, route, go) {
  const lists = make("div.queries", {});
  let dialog = null;
  const way = (one) => make("a.quiet-link", {
    href: one.address,
    onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      dialog.close();
      go(one.address);
    },
  }, make("code", {}, one.words));
  const draw = () => {
    lists.replaceChildren(
      make("h3", {}, "Saved"),
      queries.saved.length === 0 ? make("p.note", {}, "None yet. Give the current query a name to save it.")
        : make("ul", {}, queries.saved.map((one) => make("li", {}, make("b", {}, one.name), way(one), iconButton("×", `Forget ${one.name}`, () => {
          queries.forget(one.name);
          draw();
        })))),
      make("h3", {}, "Recent"),
      queries.recent.length === 0 ? make("p.note", {}, "None yet.") : make("ul", {}, queries.recent.map((one) => make("li", {}, way(one)))));
  };
  draw();
  const name = make("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "Delayed flights" });
  dialog = showDialog({
    title: `Queries of ${route.className}`, cancel: "Close", verb: "Save the current query", wide: true,
    body: make("div.query-name", {}, field("Name", name, { note: "This browser remembers saved and recent queries." }), lists),
    submit: () => {
      if (name.value.trim() === "") throw plainError("Enter a name for the query.");
      queries.save(name.value.trim(), route);
      name.value = "";
      draw();
      return false;
    },
  });
}
