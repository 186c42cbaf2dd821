// Streams: any address that can be observed, with its events as they come.

import { EventLog } from "../parts/event-log.js";
import { make } from "../parts/element.js";
import { button, empty, field, heading, panel } from "../parts/ui.js";

/** A browser keeps at most six connections to one host, and the console needs some for itself. */
const most = 3;

export const title = "Streams";

export function open(root, route, { gateway, database }) {
  const logs = new Set();
  const list = make("div.stack", {});
  const none = empty("No stream is open. Enter an address, or choose an example.");
  const names = database.schema.classes.map((one) => one.name);
  const input = make("input.mono", {
    type: "text", spellcheck: "false", autocomplete: "off", list: "stream-addresses",
    value: route.parameters?.url ?? `/v1/observe/objects/${names[0] ?? "Class"}?limit=20`,
  });
  const address = field("Address", input, {
    note: "A path of this gateway: /v1/observe/… or /v1/subscriptions/{set}/stream, with its parameters.",
  });

  const begin = () => {
    const url = input.value.trim();
    const isHere = /^\/v1\/(observe|subscriptions)\//.test(url);
    address.blame(isHere ? logs.size < most ? null : `${most} streams are open. Close one first.`
      : "This is not the address of a stream. Enter one that begins with /v1/observe/ or /v1/subscriptions/.");
    if (!isHere || logs.size >= most) return;
    none.remove();
    const log = new EventLog(gateway, encodeURI(decodeAll(url)), {
      closed: () => {
        logs.delete(log);
        if (logs.size === 0) list.append(none);
      },
    });
    logs.add(log);
    list.prepend(log.root);
  };

  const examples = [...names.slice(0, 4).map((name) => [`All of ${name}`, `/v1/observe/objects/${name}?limit=20`]),
    ...sectionExample(database.schema)];
  root.replaceChildren(
    heading("Streams", "The events of live queries as they arrive."),
    panel("Observe", {},
      make("form.line", {
        onsubmit: (event) => {
          event.preventDefault();
          begin();
        },
      }, address, button("Open", null, { type: "submit", kind: "primary" })),
      make("div.chips", { role: "group", "aria-label": "Examples" }, examples.map(([words, url]) => {
        const chip = make("button.chip", {
          type: "button",
          onclick: () => {
            input.value = url;
            begin();
          },
        }, words);
        return chip;
      })),
      make("datalist", { id: "stream-addresses" },
        names.flatMap((name) => [`/v1/observe/objects/${name}`, `/v1/observe/sections/${name}?by=`, `/v1/observe/aggregates/objects/${name}?by=`,
          `/v1/observe/values/objects/${name}?keyPath=`, `/v1/observe/index/objects/${name}?of=`]
          .map((value) => make("option", { value }))))),
    list);
  list.append(none);
  if (route.parameters?.url) begin();

  return {
    close: () => {
      for (const log of logs) log.close();
    },
  };
}

/** The address without escapes, so that what was typed and what was copied are written alike. */
function decodeAll(url) {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

/** Sections and groups by a text that has an index, and so probably few values. */
function sectionExample(schema) {
  for (const one of schema.classes) {
    const property = one.properties.find((each) => each.kind === "string" && !each.isKey && each.indexed);
    if (property === undefined) continue;
    const by = `by=${encodeURIComponent(property.path)}`;
    return [
      [`${one.name} by ${property.name}`, `/v1/observe/sections/${one.name}?${by}&fields=${encodeURIComponent(property.name)}`],
      [`${one.name}, counted by ${property.name}`, `/v1/observe/aggregates/objects/${one.name}?${by}`],
    ];
  }
  return [];
}
