// Backups: a consistent copy of the database to the reader's computer, the check of one, and how to restore it.

import { isAbsent, paths } from "../core/api.js";
import { readCommand } from "../core/curl.js";
import { sendFile } from "../core/upload.js";
import { byteSize, tally } from "../core/values.js";
import { dropZone } from "../parts/drop.js";
import { make } from "../parts/element.js";
import { toastFault } from "../parts/toast.js";
import { absent, button, empty, heading, panel, sentenceOf, table } from "../parts/ui.js";

/** A page holds a file in memory until it is saved. */
const most = 1024 ** 3;

export const title = "Backup";

export function open(root, _, { gateway, database, session }) {
  let control = null;
  let address = null;
  const result = make("div", { "aria-live": "polite" });
  const forget = () => {
    if (address !== null) URL.revokeObjectURL(address);
    address = null;
  };

  async function fetchAll() {
    control?.abort();
    forget();
    control = new AbortController();
    const { signal } = control;
    const name = `realmgate-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}Z.realmgate`;
    const said = make("p.note", { role: "status" }, "The server copies the database…");
    result.replaceChildren(make("div.progress", {}, make("progress", { "aria-label": "Received" }), button("Cancel", () => control.abort())), said);
    try {
      const response = await gateway.respond("GET", paths.backup, { signal });
      const reader = response.body.getReader();
      const parts = [];
      let bytes = 0;
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        parts.push(piece.value);
        bytes += piece.value.length;
        if (bytes > most) {
          control.abort();
          result.replaceChildren(make("p.fault", { role: "alert" }, "The database is larger than a page can hold. Use realmgate backup or curl, as below."));
          return;
        }
        said.textContent = byteSize(bytes);
      }
      address = URL.createObjectURL(new Blob(parts, { type: "application/octet-stream" }));
      const link = make("a.action", { download: name, href: address }, `Save ${name}`);
      result.replaceChildren(make("p.figure", {}, `${byteSize(bytes)}, complete`), link);
      link.click();
    } catch (error) {
      if (signal.aborted) result.replaceChildren(make("p.note", {}, "Cancelled."));
      else if (isAbsent(error)) result.replaceChildren(absent("backups", error));
      else result.replaceChildren(make("p.fault", { role: "alert" }, sentenceOf(error)));
    }
  }

  const checks = checking(gateway);
  const command = (text) => make("pre.command", { tabindex: "0" }, text);
  root.replaceChildren(
    heading("Backup", "A copy of the database, as of one version, made while the server runs."),
    ...(database.rights.isAdministrator ? [
      panel("Download a backup", {
        note: "The copy has all objects and the schema. It does not have the API keys and the subscription sets.",
      }, button("Download", () => fetchAll(), { kind: "primary" }), result),
      checks.root,
    ] : [empty("Only administrators download and check backups: your key or token does not permit it.")]),
    panel("On the server", { note: "No request can replace the database: restore it where the server runs." },
      make("h3", {}, "Check a backup"),
      make("p", {}, "Reads every value, and compares indexes and backlinks with the objects."),
      command("realmgate check backup.realmgate"),
      make("h3", {}, "Restore it"),
      make("p", {}, "Checks the backup first. No program may have the database open."),
      command("realmgate restore backup.realmgate data.realmgate --replace"),
      make("h3", {}, "Back up from a shell"),
      command(`${readCommand("-f", `${location.origin}/v1/backup`, {}, session.key !== null)} > backup.realmgate`)));
  return {
    close: () => {
      control?.abort();
      forget();
      checks.close();
    },
  };
}

/** The check of a backup that the reader has. */
function checking(gateway) {
  let upload = null;
  const result = make("div", { "aria-live": "polite" });
  const drop = dropZone((file) => send(file).catch(toastFault), { id: "check-file", accept: "", note: "A file that realmgate backup or this page has written." });

  async function send(file) {
    upload?.abort();
    const bar = make("progress", { max: 1, "aria-label": "Checked" });
    bar.value = 0;
    const words = make("p.note", { role: "status" }, `${file.name}: ${byteSize(0)} of ${byteSize(file.size)}`);
    result.replaceChildren(make("div.progress", {}, bar, button("Cancel", () => upload?.abort())), words);
    const mine = sendFile(gateway, paths.backupCheck, file, "bytes", {
      streams: true, cut: "The connection ended before the result. Check the file again.",
      sent: (loaded, total) => {
        bar.value = loaded / Math.max(1, total);
        words.textContent = loaded < total ? `${file.name}: ${byteSize(loaded)} of ${byteSize(total)}` : `${file.name} was sent; the gateway checks it.`;
      },
      event: (_, { bytes, objects }) => {
        // The number of objects is known only at the end.
        bar.removeAttribute("value");
        words.textContent = `${byteSize(Number(bytes))}, ${tally(Number(objects))} objects checked`;
      },
    });
    upload = mine;
    try {
      const report = await mine.done;
      result.replaceChildren(...reportOf(file, report));
    } catch (error) {
      if (upload !== mine) return;
      if (error.name === "AbortError") result.replaceChildren(make("p.note", {}, "Cancelled."));
      else if (isAbsent(error)) result.replaceChildren(absent("the check of backups", error));
      else result.replaceChildren(make("p.fault", { role: "alert" }, sentenceOf(error)));
    }
  }

  return {
    root: panel("Check a backup", {
      note: "Reads every value, and compares indexes and backlinks with the objects. Neither the database nor the file is changed.",
    }, drop, result),
    close: () => upload?.abort(),
  };
}

function reportOf(file, { sound, faults, version, schemaVersion, bytes, objects, classes, leakedPages }) {
  const about = version === null ? byteSize(Number(bytes))
    : `${byteSize(Number(bytes))}, version ${tally(Number(version))}, schema version ${schemaVersion}, ${tally(Number(objects))} objects`;
  const parts = [make("p.figure", { role: "status" }, sound ? `${file.name} is sound: ${about}.` : `${file.name} is not sound: do not restore it.`)];
  if (!sound) parts.push(make("p.note", {}, `${about}.`), make("ul.faults", {}, faults.map((one) => make("li.fault", {}, one))));
  if (sound && Number(leakedPages) > 0) parts.push(make("p.note", {}, `${tally(Number(leakedPages))} pages are unused until the file is compacted, which is harmless.`));
  if (classes.length > 0) {
    parts.push(table("Classes of the backup", ["Class", { words: "Objects", number: true }],
      classes.map(({ name, embedded, count }) => [embedded ? `${name} (embedded)` : name, tally(Number(count))])));
  }
  return parts;
}
