// Import and export: files of one object a line, or of comma-separated values, with progress.

import { Problem, Unreachable, paths, queryString } from "../core/api.js";
import { parse } from "../core/json.js";
import { tally } from "../core/values.js";
import { make } from "../parts/element.js";
import { toastFault } from "../parts/toast.js";
import { absent, button, field, heading, panel, select, sentenceOf, table } from "../parts/ui.js";

const shownErrors = 200;

export const title = "Import, export";

const types = { ndjson: "application/x-ndjson", csv: "text/csv" };

export function open(root, _, { gateway, database }) {
  const names = database.schema.classes.filter((one) => !one.isEmbedded).map((one) => one.name);
  const imports = importing(gateway, database, names);
  const exports = exporting(gateway, names);
  root.replaceChildren(
    heading("Import, export", "The objects of a class, from and to files."), imports.root, exports.root);
  return {
    close: () => {
      imports.close();
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
    // fetch does not report how much it has sent.
    upload = new XMLHttpRequest();
    upload.open("POST", paths.imports(classes.value) + queryString({ update: update.value, atomic: mode.value }));
    upload.setRequestHeader("Content-Type", types[isCSV ? "csv" : "ndjson"]);
    upload.setRequestHeader("Accept", "text/event-stream");
    for (const [name, value] of Object.entries(gateway.session.headers)) upload.setRequestHeader(name, value);
    upload.upload.onprogress = ({ loaded, total }) => {
      bar.value = loaded / Math.max(1, total);
      words.textContent = loaded < total
        ? `${chosen.name}: ${size(loaded)} of ${size(total)}` : `${chosen.name} was sent; the gateway imports it.`;
    };
    upload.onprogress = () => {
      const last = eventsOf(upload.responseText).findLast(({ type }) => type === "progress");
      if (last === undefined) return;
      bar.value = last.data.bytes / Math.max(1, last.data.total);
      words.textContent = `Stored ${tally(last.data.created + last.data.modified)} objects, `
        + `${size(last.data.bytes)} of ${size(last.data.total)} read`;
    };
    upload.onload = () => {
      if (upload.status >= 300) {
        refuse(gateway.problemOf(upload.status, upload.responseText));
        return;
      }
      const last = eventsOf(upload.responseText).at(-1);
      if (last?.type === "done") show(chosen, last.data);
      else refuse(new Problem(last?.data.status ?? 500, last?.data ?? { detail: "The connection ended before the result. Check the number of objects before you import the file again." }));
      database.count(classes.value).catch(() => {});
    };
    upload.onerror = () => result.replaceChildren(make("p.fault", { role: "alert" }, sentenceOf(new Unreachable())));
    upload.onabort = () => result.replaceChildren(make("p.note", {}, "Cancelled. The gateway keeps the objects that it has imported already."));
    upload.send(chosen);
  }

  function show(chosen, { created, modified, refused, errors }) {
    const lines = refused === 1 ? "line" : "lines";
    const sentence = `${chosen.name}: ${tally(created)} created, ${tally(modified)} modified`
      + (refused > 0 ? `, ${tally(refused)} ${lines} refused.` : ".");
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
      make("div.form-grid", {}, field("Into", classes), field("If the key exists", update), field("If a line does not fit", mode)),
      drop, result),
    close: () => upload?.abort(),
  };
}

/** The events that have come as a whole: `[{type, data}]`. */
function eventsOf(text) {
  return text.split("\n\n").slice(0, -1).flatMap((block) => {
    const type = /^event: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    return type && data ? [{ type, data: parse(data) }] : [];
  });
}

function faults(errors) {
  return table("Refused lines", [{ words: "Line" }, "What is wrong", "Code"], errors.slice(0, shownErrors).map((one) =>
    [String(one.line), one.detail ?? "", make("code", {}, one.code ?? "")]));
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
