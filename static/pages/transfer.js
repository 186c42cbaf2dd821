// Import and export: files of one object a line, or of comma-separated values, with progress.

import { isAbsent, paths, queryString } from "../core/api.js";
import { formatOf, mediaType, sendFile } from "../core/upload.js";
import { byteSize, tally } from "../core/values.js";
import { dropZone } from "../parts/drop.js";
import { make } from "../parts/element.js";
import { toastFault } from "../parts/toast.js";
import { absent, button, empty, field, heading, panel, select, sentenceOf } from "../parts/ui.js";
import { NewClassPanel, faults } from "./new-class.js";
import { RealmFilePanel } from "./realm-file.js";

export const title = "Import, export";

export function open(root, _, app) {
  const { gateway, database } = app;
  const names = database.schema.classes.filter((one) => !one.isEmbedded).map((one) => one.name);
  const { rights } = database;
  const imports = importing(gateway, database, names.filter((one) => rights.may("create", one)));
  const made = new NewClassPanel(app, "A new class from a file");
  const realm = new RealmFilePanel(app);
  const exports = exporting(gateway, names);
  root.replaceChildren(
    heading("Import, export", "The objects of a class, from and to files."), imports.root,
    ...(rights.isAdministrator ? [made.root, realm.root] : []), exports.root);
  return {
    close: () => {
      imports.close();
      made.close();
      realm.close();
      exports.close();
    },
  };
}

// MARK: Import

function importing(gateway, database, names) {
  let upload = null;
  const classes = select(names);
  const update = select([["error", "refuse the line"], ["modified", "set the values that differ"], ["all", "set all values"]]);
  const mode = select([["", "skip the line"], ["true", "refuse the whole file"]]);
  const drop = dropZone((file) => send(file).catch(toastFault), { id: "import-file" });
  const result = make("div", { "aria-live": "polite" });

  async function send(chosen) {
    upload?.abort();
    const bar = make("progress", { max: 1, "aria-label": "Sent" });
    bar.value = 0;
    const words = make("p.note", { role: "status" }, `${chosen.name}: ${byteSize(0)} of ${byteSize(chosen.size)}`);
    result.replaceChildren(make("div.progress", {}, bar, button("Cancel", () => upload?.abort())), words);
    const className = classes.value;
    const mine = sendFile(
      gateway, paths.imports(className) + queryString({ update: update.value, atomic: mode.value }), chosen,
      formatOf(chosen), {
        streams: true,
        sent: (loaded, total) => {
          bar.value = loaded / Math.max(1, total);
          words.textContent = loaded < total
            ? `${chosen.name}: ${byteSize(loaded)} of ${byteSize(total)}` : `${chosen.name} was sent; the gateway imports it.`;
        },
        event: (_, { created, modified, bytes, total }) => {
          bar.value = bytes / Math.max(1, total);
          words.textContent = `Stored ${tally(created + modified)} objects, ${byteSize(bytes)} of ${byteSize(total)} read`;
        },
      });
    upload = mine;
    try {
      show(chosen, await mine.done);
      database.count(className).catch(() => {});
    } catch (error) {
      if (upload !== mine) return;
      if (error.name === "AbortError") {
        result.replaceChildren(make("p.note", {}, "Cancelled. The gateway keeps the objects that it has imported already."));
      } else {
        refuse(error);
      }
    }
  }

  function show(chosen, { created, modified, refused, errors }) {
    const lines = refused === 1 ? "line" : "lines";
    const sentence = `${chosen.name}: ${tally(created)} created, ${tally(modified)} modified`
      + (refused > 0 ? `, ${tally(refused)} ${lines} refused.` : ".");
    result.replaceChildren(make("p.figure", { role: "status" }, sentence));
    if (errors.length > 0) result.append(faults(errors));
  }

  function refuse(problem) {
    if (isAbsent(problem)) {
      result.replaceChildren(absent("import", problem));
      return;
    }
    const errors = problem.errors ?? [];
    result.replaceChildren(make("p.fault", { role: "alert" }, sentenceOf(problem)));
    if (errors.length > 0) result.append(faults(errors));
  }

  if (names.length === 0) {
    const sentence = database.schema.classes.length === 0 ? "There are no classes to import into yet." : "Your role may not create objects of any class.";
    return { root: panel("Import", {}, empty(sentence)), close: () => {} };
  }
  return {
    root: panel("Import", {},
      make("div.form-grid", {}, field("Into", classes), field("If the key exists", update), field("If a line does not fit", mode)),
      drop, result),
    close: () => upload?.abort(),
  };
}

// MARK: Export

function exporting(gateway, names) {
  let control = null;
  const classes = select(names);
  const format = select([["ndjson", "NDJSON"], ["csv", "CSV"]]);
  const filter = make("input.mono", { type: "text", spellcheck: "false", placeholder: "all objects" });
  const filterField = field("Where", filter, { wide: true });
  const result = make("div", { "aria-live": "polite" });
  const go = button("Export", () => {}, { type: "submit", kind: "primary" });

  async function fetchAll(event) {
    event.preventDefault();
    control?.abort();
    control = new AbortController();
    filterField.blame(null);
    const name = `${classes.value}.${format.value}`;
    const words = make("p.note", { role: "status" }, "Waiting…");
    result.replaceChildren(make("div.progress", {}, make("progress", { "aria-label": "Received" }),
      button("Cancel", () => control.abort())), words);
    try {
      const response = await gateway.respond("GET", paths.exports(classes.value), {
        query: { format: format.value, filter: filter.value.trim() }, headers: { Accept: mediaType(format.value) },
        signal: control.signal,
      });
      const parts = [];
      let bytes = 0;
      let lines = 0;
      for await (const part of chunks(response.body)) {
        parts.push(part);
        bytes += part.length;
        for (const byte of part) if (byte === 10) lines += 1;
        words.textContent = `${tally(lines)} lines, ${byteSize(bytes)}`;
      }
      const link = make("a.action", { download: name, href: URL.createObjectURL(new Blob(parts, { type: mediaType(format.value) })) },
        `Save ${name}`);
      result.replaceChildren(make("p.figure", {}, `${tally(lines)} lines, ${byteSize(bytes)}`), link);
      link.click();
    } catch (error) {
      if (error.name === "AbortError") result.replaceChildren(make("p.note", {}, "Cancelled."));
      else if (isAbsent(error)) result.replaceChildren(absent("export", error));
      else if (error.position !== null && error.position !== undefined) {
        result.replaceChildren();
        filterField.blame(sentenceOf(error));
        filter.focus();
      } else {
        result.replaceChildren(make("p.fault", { role: "alert" }, sentenceOf(error)));
      }
    }
  }

  return {
    root: panel("Export", {}, make("form", { onsubmit: (event) => fetchAll(event).catch(toastFault) },
      make("div.form-grid", {}, field("Class", classes), field("As", format), filterField),
      make("div.buttons", {}, go)), result),
    close: () => control?.abort(),
  };
}

async function* chunks(body) {
  const reader = body.getReader();
  while (true) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}
