// Snapshots: versions of the database that the server keeps. Created, browsed, compared and deleted.

import { isAbsent, paths } from "../core/api.js";
import { routeAddress } from "../core/route.js";
import { make } from "../parts/element.js";
import { toast, toastFault } from "../parts/toast.js";
import { absent, button, empty, faultPanel, field, heading, loading, panel, select, table } from "../parts/ui.js";
import { comparison } from "./comparison.js";

const tick = 1000;

export const title = "Snapshots";

export function open(root, _, app) {
  const { gateway, database } = app;
  let snapshots = [];
  let timer = null;
  let compared = null;
  const list = make("div", {}, loading());
  const compare = make("div", {});
  const time = select([["60", "1 minute"], ["300", "5 minutes"], ["1800", "30 minutes"], ["3600", "1 hour"]], { value: "300" });

  async function take() {
    try {
      const made = await gateway.request("POST", paths.snapshots, { query: { ttl: time.value } });
      toast(`The gateway keeps version ${made.version} now.`);
      await load();
    } catch (error) {
      toastFault(error);
    }
  }

  async function load() {
    try {
      ({ snapshots } = await gateway.request("GET", paths.snapshots));
      draw();
    } catch (error) {
      if (isAbsent(error)) list.replaceChildren(absent("snapshots", error));
      else list.replaceChildren(faultPanel(error, load));
    }
  }

  function draw() {
    snapshots = snapshots.filter((one) => left(one) > 0);
    compared?.snapshots(snapshots);
    if (snapshots.length === 0) {
      list.replaceChildren(empty("No snapshots yet. A snapshot keeps the current version for the time that you choose."));
      return;
    }
    const { classes } = database.schema;
    list.replaceChildren(table("Snapshots", [
      { words: "Version" }, "Browse", { words: "Time left", number: true }, "",
    ], snapshots.map((one) => [
      `${one.version}`,
      make("span.links", {}, classes.filter((each) => !each.isEmbedded).map((each) =>
        make("a.quiet-link", { href: routeAddress({ className: each.name, snapshot: one.snapshot }) }, each.name))),
      make("span", { "data-expires": one.expires }, timeLeft(one)),
      button("Delete", () => release(one), { label: `Delete the snapshot of version ${one.version}` }),
    ])));
  }

  async function release(one) {
    try {
      await gateway.request("DELETE", paths.snapshot(one.snapshot));
    } catch (error) {
      if (error.status !== 404) {
        toastFault(error);
        return;
      }
    }
    await load();
  }

  timer = setInterval(() => {
    if (snapshots.some((one) => left(one) <= 0)) draw();
    for (const span of list.querySelectorAll("[data-expires]")) span.textContent = timeLeft({ expires: span.dataset.expires });
  }, tick);

  root.replaceChildren(
    heading("Snapshots", "Versions of the database, kept for a time to read and compare."),
    panel("New snapshot", { note: "A snapshot keeps the current version of the database; writes go on." },
      make("div.line", {}, field("For", time), button("Create a snapshot", take, { kind: "primary" }))),
    panel("Current snapshots", { actions: [button("Refresh", load)] }, list),
    compare);
  compared = comparison(compare, app);
  load();
  return { close: () => clearInterval(timer) };
}

function left({ expires }) {
  return Date.parse(expires) - Date.now();
}

function timeLeft(one) {
  const seconds = Math.max(0, Math.round(left(one) / 1000));
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${String(seconds % 60).padStart(2, "0")} s` : `${seconds} s`;
}
