// Open connections: the event streams and waiting reads of all callers, and what they cost. For administrators.

import { paths } from "../core/api.js";
import { ago, bytes, time } from "../core/quantities.js";
import { tally } from "../core/values.js";
import { confirmRemoval } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { toast } from "../parts/toast.js";
import { button, empty, field, loading, panel, redraw, select, table } from "../parts/ui.js";

const orders = [["-since", "the newest"], ["since", "the oldest"], ["-seconds", "the dearest"], ["-bytes", "those that were sent most"],
  ["-waitingBytes", "those that lag"], ["-lastEvent", "the latest event"]];
const most = 100;

/** The panel; `read()` brings it up to date, and hides it from who may not see it. */
export function connectionsPanel({ gateway, optional }) {
  const content = make("div", {}, loading());
  const order = select(orders, { onchange: () => read() });
  const root = panel("Open connections", {
    note: "Who observes what at this server: event streams, and reads that wait for a change. Streams with equal queries share their cost.",
  }, make("div.form-grid.connection-order", {}, field("First", order)), content);

  async function read() {
    // Once refused, it is not asked for again.
    if (root.hidden) return;
    const answer = await optional(() => gateway.request("GET", paths.connections, { query: { sort: order.value, limit: most } }));
    root.hidden = answer === null;
    if (answer === null) return;
    const focused = content.contains(document.activeElement) ? document.activeElement.dataset.connection : undefined;
    redraw(content, connectionTable(answer, end));
    if (focused !== undefined) [...content.querySelectorAll("button")].find((one) => one.dataset.connection === focused)?.focus();
  }

  function end({ id, target }) {
    confirmRemoval("End this connection?", `The client that asks for ${target} is told to connect again, and does so unless its program is gone. To keep it away, revoke its key.`,
      async () => {
        try {
          await gateway.request("DELETE", paths.connection(id));
          toast("The connection has ended.");
        } catch (error) {
          // Its client was faster.
          if (error.code !== "connection.not_found") throw error;
          toast("The connection had ended already.");
        }
        await read();
      }, "End", () => order.focus());
  }

  return { root, read };
}

function connectionTable({ connections, count }, end) {
  if (connections.length === 0) return empty("No stream is open at this server, and no read waits.");
  const number = (words) => ({ words, number: true });
  const made = table("Open connections",
    ["What it observes", "Who", "Open for", number("Events"), number("Sent"), number("Waiting"), "Last event", number("Cost"), ""],
    connections.map((one) => [
      make("div.connection", {}, make("code", {}, one.target), one.kind === "read" && make("span.badge", {}, "waits")),
      make("div.connection-caller", {}, make("span", {}, one.caller ?? "anybody"), make("span.badge", {}, one.role), make("span.soft", {}, one.address)),
      ago(one.since), tally(Number(one.events)), bytes(Number(one.bytes)),
      Number(one.waitingBytes) === 0 ? "" : bytes(Number(one.waitingBytes)),
      one.lastEvent === null ? "none yet" : `${ago(one.lastEvent)} ago`,
      cost(one.cost), endButton(one, end),
    ]));
  if (connections.length === Number(count)) return made;
  return make("div", {}, made, make("p.note", {}, `${tally(connections.length)} of ${tally(Number(count))} connections.`));
}

function endButton(one, end) {
  const made = button("End", () => end(one), { label: `End ${one.target} of ${one.caller ?? one.address}` });
  made.dataset.connection = one.id;
  return made;
}

function cost(one) {
  if (one === null) return "";
  const shared = Number(one.sharedBy);
  return make("div", {}, time(Number(one.seconds)), shared > 1 && make("span.soft.shared-by", {}, `shared by ${tally(shared)}`));
}
