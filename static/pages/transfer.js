// Import and export: files of one object a line, or of comma-separated values, with progress.

import { paths, problemOf, queryString, respond } from "../core/api.js";
import { database } from "../core/database.js";
import { parse } from "../core/json.js";
import { session } from "../core/session.js";
import { tally } from "../core/values.js";
import { make } from "../parts/element.js";
import { toastFault } from "../parts/toast.js";
import { absent, button, field, heading, panel, select, sentenceOf, table } from "../parts/ui.js";

const shownErrors = 200;

export const title = "Import, export";

const types = { ndjson: "application/x-ndjson", csv: "text/csv" };

export function open(root) {
  const names = database.schema.classes.filter((one) => !one.isEmbedded).map((one) => one.name);
  const imports = importing(names);
  const exports = exporting(names);
  root.replaceChildren(
    heading("Import, export", "Whole classes as files."), imports.root, exports.root);
  return {
    close: () => {
      imports.close();
      exports.close();
    },
  };
}

// MARK: Import

function importing(names) {
  let upload = null;
  const classes = select(names);
  const update = select([["error", "is refused"], ["modified", "sets what differs"], ["all", "replaces the object"]]);
  const mode = select([["", "in batches; faulty lines are left out"], ["atomic", "all of it or nothing"]]);
  const file = make("input", { type: "file", accept: ".ndjson,.jsonl,.json,.csv,text/csv,application/x-ndjson", id: "import-file" });
  const drop = make("div.drop", {
    ondragover: (event) => {
      event.preventDefault();
      drop.classList.add("over");
    },
    ondragleave: () => drop.classList.remove("over"),
    ondrop: (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      if (event.dataTransfer.files.length > 0) send(event.dataTransfer.files[0]);
    },
  },
  make("p", {}, "Drop a file here, or ", make("label.pick", { for: "import-file" }, "choose one"), "."),
  make("p.note", {}, "NDJSON: one object as JSON on each line. CSV: the property names in the first line."), file);
  const result = make("div", { "aria-live": "polite" });
  file.addEventListener("change", () => {
    if (file.files.length > 0) send(file.files[0]);
    file.value = "";
  });

  function send(chosen) {
    upload?.abort();
    const isCSV = /\.csv$/i.test(chosen.name) || chosen.type === "text/csv";
    const bar = make("progress", { max: 1, "aria-label": "Sent" });
    bar.value = 0;
    const words = make("p.note", { role: "status" }, `${chosen.name}: ${size(0)} of ${size(chosen.size)}`);
    const cancel = button("Cancel", () => upload?.abort());
    result.replaceChildren(make("div.progress", {}, bar, cancel), words);
    // fetch does not tell how much it has sent.
    upload = new XMLHttpRequest();
    upload.open("POST", paths.imports(classes.value) + queryString({ update: update.value, mode: mode.value }));
    upload.setRequestHeader("Content-Type", types[isCSV ? "csv" : "ndjson"]);
    for (const [name, value] of Object.entries(session.headers)) upload.setRequestHeader(name, value);
    upload.upload.onprogress = ({ loaded, total }) => {
      bar.value = loaded / Math.max(1, total);
      words.textContent = loaded < total
        ? `${chosen.name}: ${size(loaded)} of ${size(total)}` : `${chosen.name} is sent; the gateway stores it.`;
    };
    upload.onload = () => {
      if (upload.status < 300) {
        show(chosen, parse(upload.responseText));
        database.count(classes.value).catch(() => {});
      } else {
        refuse(problemOf(upload.status, upload.responseText));
      }
    };
    upload.onerror = () => result.replaceChildren(make("p.fault", { role: "alert" }, "The gateway cannot be reached."));
    upload.onabort = () => result.replaceChildren(make("p.note", {}, "Cancelled. Batches that were stored by then stay."));
    upload.send(chosen);
  }

  function show(chosen, { created = 0, modified = 0, errors = [] }) {
    const sentence = `${chosen.name}: ${tally(created)} created, ${tally(modified)} modified`
      + (errors.length > 0 ? `, ${tally(errors.length)} lines refused.` : ".");
    result.replaceChildren(make("p.figure", { role: "status" }, sentence));
    if (errors.length > 0) result.append(faults(errors));
  }

  function refuse(problem) {
    if (problem.isAbsent) {
      result.replaceChildren(absent("import", problem));
      return;
    }
    const { errors = [] } = problem.body;
    result.replaceChildren(make("p.fault", { role: "alert" }, problem.sentence));
    if (errors.length > 0) result.append(faults(errors));
  }

  return {
    root: panel("Import", {},
      make("div.form-grid", {}, field("Into", classes), field("A key that is there", update), field("Stored", mode)),
      drop, result),
    close: () => upload?.abort(),
  };
}

function faults(errors) {
  return table("Refused lines", [{ words: "Line" }, "What is wrong", "Code"], errors.slice(0, shownErrors).map((one) =>
    [String(one.line), one.detail ?? "", make("code", {}, one.code ?? "")]));
}

// MARK: Export

function exporting(names) {
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
    const words = make("p.note", { role: "status" }, "Asking…");
    result.replaceChildren(make("div.progress", {}, make("progress", { "aria-label": "Received" }),
      button("Cancel", () => control.abort())), words);
    try {
      const response = await respond("GET", paths.exports(classes.value), {
        query: { format: format.value, filter: filter.value.trim() }, headers: { Accept: types[format.value] },
        signal: control.signal,
      });
      const parts = [];
      let bytes = 0;
      let lines = 0;
      for await (const part of chunks(response.body)) {
        parts.push(part);
        bytes += part.length;
        for (const byte of part) if (byte === 10) lines += 1;
        words.textContent = `${tally(lines)} lines, ${size(bytes)}`;
      }
      const link = make("a.action", { download: name, href: URL.createObjectURL(new Blob(parts, { type: types[format.value] })) },
        `Save ${name}`);
      result.replaceChildren(make("p.figure", {}, `${tally(lines)} lines, ${size(bytes)}`), link);
      link.click();
    } catch (error) {
      if (error.name === "AbortError") result.replaceChildren(make("p.note", {}, "Cancelled."));
      else if (error.isAbsent) result.replaceChildren(absent("export", error));
      else if (error.position !== null && error.position !== undefined) {
        result.replaceChildren();
        filterField.blame(error.sentence);
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

function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}
