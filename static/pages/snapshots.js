// Snapshots: frozen versions of the database. Taken, browsed, compared, and let go.

import { paths, request } from "../core/api.js";
import { database } from "../core/database.js";
import { placeAddress } from "../core/route.js";
import { make } from "../parts/element.js";
import { toast, toastFault } from "../parts/toast.js";
import { absent, button, empty, faultPanel, field, heading, loading, panel, select, table } from "../parts/ui.js";
import { comparison } from "./comparison.js";

const tick = 1000;
const remembered = "realmgate.snapshots";

export const title = "Snapshots";

export function open(root) {
  let snapshots = [];
  let timer = null;
  let compared = null;
  const list = make("div", {}, loading());
  const compare = make("div", {});
  const time = select([["60", "1 minute"], ["300", "5 minutes"], ["1800", "30 minutes"], ["3600", "1 hour"]], { value: "300" });

  async function take() {
    try {
      const made = await request("POST", paths.snapshots, { body: { timeToLive: Number(time.value) } });
      remember([made, ...remembering()]);
      toast(`Snapshot of version ${made.version} is taken.`);
      await load();
    } catch (error) {
      if (error.isAbsent) root.replaceChildren(heading("Snapshots", ""), absent("snapshots", error));
      else toastFault(error);
    }
  }

  async function load() {
    try {
      snapshots = await all();
      draw();
    } catch (error) {
      if (error.isAbsent) list.replaceChildren(absent("a list of its snapshots", error));
      else list.replaceChildren(faultPanel(error, load));
    }
  }

  function draw() {
    snapshots = snapshots.filter((one) => left(one) > 0);
    compared?.snapshots(snapshots);
    if (snapshots.length === 0) {
      list.replaceChildren(empty("No snapshots. One holds the database as it is now, for as long as you say."));
      return;
    }
    const { classes } = database.schema;
    list.replaceChildren(table("Snapshots", [
      { words: "Version" }, "Browse", { words: "Time left", number: true }, "",
    ], snapshots.map((one) => [
      `${one.version}`,
      make("span.links", {}, classes.filter((each) => !each.isEmbedded).map((each) =>
        make("a.quiet-link", { href: placeAddress({ className: each.name, snapshot: one.snapshot }) }, each.name))),
      make("span", { "data-expires": one.expires }, timeLeft(one)),
      button("Let go", () => release(one), { label: `Let snapshot ${one.version} go` }),
    ])));
  }

  async function release(one) {
    try {
      await request("DELETE", paths.snapshot(one.snapshot));
    } catch (error) {
      if (error.status !== 404) {
        toastFault(error);
        return;
      }
    }
    remember(remembering().filter((each) => each.snapshot !== one.snapshot));
    await load();
  }

  timer = setInterval(() => {
    if (snapshots.some((one) => left(one) <= 0)) draw();
    for (const span of list.querySelectorAll("[data-expires]")) span.textContent = timeLeft({ expires: span.dataset.expires });
  }, tick);

  root.replaceChildren(
    heading("Snapshots", "Frozen versions, to read in peace and to compare."),
    panel("Take one", { note: "It keeps the whole database as it is now, whatever is written meanwhile." },
      make("div.line", {}, field("For", time), button("Take a snapshot", take, { kind: "primary" }))),
    panel("Held", { actions: [button("Refresh", load)] }, list),
    compare);
  compared = comparison(compare);
  load();
  return { close: () => clearInterval(timer) };
}

/** All that the gateway holds; those taken in this tab, where it does not list them. */
async function all() {
  try {
    const answer = await request("GET", paths.snapshots);
    return (Array.isArray(answer) ? answer : answer.snapshots ?? []).map((one) => ({ ...one, snapshot: one.snapshot ?? one.id }));
  } catch (error) {
    if (!error.isAbsent || remembering().length === 0) throw error;
    return remembering();
  }
}

function remembering() {
  try {
    return JSON.parse(sessionStorage.getItem(remembered) ?? "[]");
  } catch {
    return [];
  }
}

function remember(snapshots) {
  try {
    sessionStorage.setItem(remembered, JSON.stringify(snapshots.filter((one) => left(one) > 0)));
  } catch {
    // Without storage only the gateway's own list counts.
  }
}

function left({ expires }) {
  return Date.parse(expires) - Date.now();
}

function timeLeft(one) {
  const seconds = Math.max(0, Math.round(left(one) / 1000));
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${String(seconds % 60).padStart(2, "0")} s` : `${seconds} s`;
}
