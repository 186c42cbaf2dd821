// Subscriptions: sets of queries that one stream follows.

import { isAbsent, paths } from "../core/api.js";
import { pageAddress } from "../core/route.js";
import { EventLog } from "../parts/event-log.js";
import { make } from "../parts/element.js";
import { toastFault } from "../parts/toast.js";
import { absent, button, empty, faultPanel, field, heading, loading, panel, select, sentenceOf, table } from "../parts/ui.js";

const pollPause = 3000;

export const title = "Subscriptions";

/** The sets that this page has made. */
const knownSets = new Set();

export function open(root, route, { gateway, database, navigation }) {
  const set = route.parameters?.set ?? "console";
  let log = null;
  let timer = null;
  let isClosed = false;
  const list = make("div", {}, loading());
  const streams = make("div.stack", {});
  const follow = button("Follow live", () => toggle());

  const setInput = make("input", { type: "text", value: set, spellcheck: "false", autocomplete: "off" });

  const classes = select(database.schema.classes.filter((one) => !one.isEmbedded).map((one) => one.name));
  const name = make("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "without a name" });
  const filter = make("input.mono", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "all objects" });
  const sort = make("input.mono", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "-age,name" });
  const limit = make("input", { type: "number", min: "0", placeholder: "no limit" });
  const fields = {
    class: field("Class", classes), name: field("Name", name), filter: field("Where", filter, { wide: true }),
    sort: field("Sorted by", sort), limit: field("At most", limit),
  };

  // A set exists from its first subscription on: one that nobody has made yet is not asked for.
  let exists = Boolean(route.parameters?.set) || knownSets.has(set);

  async function load() {
    clearTimeout(timer);
    if (!exists) {
      draw({ subscriptions: [] });
      return;
    }
    try {
      draw(await gateway.request("GET", paths.subscriptions(set)));
    } catch (error) {
      if (error.status === 404 && !isAbsent(error)) {
        exists = false;
        knownSets.delete(set);
        draw({ subscriptions: [] });
      }
      else if (isAbsent(error)) list.replaceChildren(absent("subscriptions", error));
      else list.replaceChildren(faultPanel(error, load));
    }
    if (!isClosed && exists) timer = setTimeout(load, pollPause);
  }

  let drawn = "";
  function draw({ subscriptions }) {
    const text = JSON.stringify(subscriptions, (_, one) => (typeof one === "bigint" ? String(one) : one));
    if (text === drawn) return;
    drawn = text;
    follow.hidden = subscriptions.length === 0 && log === null;
    if (subscriptions.length === 0) {
      list.replaceChildren(empty(`The set ‘${set}’ has no subscriptions yet. The first one creates it.`));
      return;
    }
    list.replaceChildren(table("Subscriptions", ["Name", "Class", "Query", "State", ""], subscriptions.map((one) => [
      one.name ?? make("span.null", {}, one.id), one.class, make("code", {}, query(one)),
      make("span.badge", { "data-state": one.state, title: one.error?.detail }, one.state),
      button("Remove", () => remove(one), { label: `Remove ${one.name ?? one.id}` }),
    ])));
  }

  async function add(event) {
    event.preventDefault();
    for (const one of Object.values(fields)) one.blame(null);
    const body = { class: classes.value, waitForSync: "never" };
    if (filter.value.trim() !== "") body.filter = filter.value.trim();
    if (sort.value.trim() !== "") body.sort = sort.value.trim();
    if (limit.value !== "") body.limit = Number(limit.value);
    const isNamed = name.value.trim() !== "";
    const path = isNamed ? paths.subscription(set, name.value.trim()) : paths.subscriptions(set);
    try {
      await gateway.request(isNamed ? "PUT" : "POST", path, { body });
      name.value = "";
      filter.value = "";
      exists = true;
      knownSets.add(set);
      await load();
    } catch (error) {
      const at = fields[error.parameter] ?? (error.position !== null ? fields.filter : null);
      if (at) {
        at.blame(sentenceOf(error));
        at.control.focus();
      } else {
        toastFault(error);
      }
    }
  }

  async function remove(one) {
    try {
      if (one.name !== null) await gateway.request("DELETE", paths.subscription(set, one.name));
      else await gateway.request("DELETE", paths.subscription(set, one.id));
    } catch (error) {
      if (error.status !== 404) toastFault(error);
    }
    await load();
  }

  function toggle() {
    if (log !== null) {
      log.close();
      log.root.remove();
      log = null;
      follow.textContent = "Follow live";
      return;
    }
    log = new EventLog(gateway, paths.subscriptionStream(set));
    streams.replaceChildren(log.root);
    follow.textContent = "Stop following";
  }

  root.replaceChildren(
    heading("Subscriptions", "Queries that a client observes together, through one stream.",
      make("form.actions", {
        onsubmit: (event) => {
          event.preventDefault();
          if (setInput.value.trim() !== "") navigation.go(pageAddress("subscriptions", { set: setInput.value.trim() }));
        },
      }, make("label.choice", {}, "set ", setInput), button("Show", null, { type: "submit" }))),
    panel(`In ‘${set}’`, {
      actions: [follow], note: "A set belongs to one client. The server removes it after an hour without a stream or request.",
    }, list),
    panel("Subscribe", {}, make("form", { onsubmit: add },
      make("div.form-grid", {}, Object.values(fields)),
      make("div.buttons", {}, button("Subscribe", null, { type: "submit", kind: "primary" })))),
    streams);
  load();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      log?.close();
    },
  };
}

function query(one) {
  const parts = [];
  if (one.filter) parts.push(`where ${one.filter}`);
  if (one.sort) parts.push(`by ${[one.sort].flat().join(",")}`);
  if (one.distinct) parts.push(`distinct ${[one.distinct].flat().join(",")}`);
  if (one.limit !== undefined) parts.push(`at most ${one.limit}`);
  return parts.join(" ") || "all";
}
