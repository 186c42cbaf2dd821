// An area where files are dropped, or chosen with a dialog.

import { freshID, make } from "./element.js";

const tables = ".ndjson,.jsonl,.json,.csv,text/csv,application/x-ndjson";

/** `chosen(file)` is called with the first file. */
export function dropZone(chosen, { id = freshID("file"), note = null, accept = tables } = {}) {
  const file = make("input", {
    type: "file", accept: accept || null, id,
    onchange: () => {
      if (file.files.length > 0) chosen(file.files[0]);
      file.value = "";
    },
  });
  const drop = make("div.drop", {
    ondragover: (event) => {
      event.preventDefault();
      drop.classList.add("over");
    },
    ondragleave: () => drop.classList.remove("over"),
    ondrop: (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      if (event.dataTransfer.files.length > 0) chosen(event.dataTransfer.files[0]);
    },
  },
  make("p", {}, "Drop a file here, or ", make("label.pick", { for: id }, "choose one"), "."),
  make("p.note", {}, note ?? "NDJSON: one object as JSON on each line. CSV: the property names in the first line."), file);
  return drop;
}
