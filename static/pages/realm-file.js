// A Realm file with all its classes: the gateway says what an import would do, the reader changes names and leaves parts
// out, and only then is the file imported, as a whole.

import { paths, queryString } from "../core/api.js";
import { routeAddress } from "../core/route.js";
import { sendFile } from "../core/upload.js";
import { byteSize, tally } from "../core/values.js";
import { dropZone } from "../parts/drop.js";
import { make, released } from "../parts/element.js";
import { button, check, field, panel, select, sentenceOf, table } from "../parts/ui.js";

const keyHeader = "Realmgate-Encryption-Key";
const keyBytes = 64;
const cut = "The connection ended before the result. Look whether the classes are there before you import the file again.";

/** The panel. `isBusy` is true from the beginning of an import until its result is left; `close()` ends what runs. */
export class RealmFilePanel {
  isBusy = false;
  #isImporting = false;
  #upload = null;
  #file = null;
  #key = "";
  /** New names and what is left out, by the names in the file. */
  #renames = new Map();
  #leftOut = new Set();

  /** `imported()` is called when a file has come. */
  constructor({ gateway, database }, imported = () => {}) {
    Object.assign(this, { gateway, database, imported });
    this.body = make("div.proposal", { "aria-live": "polite" });
    this.update = select([["error", "refuse the file"], ["modified", "set the values that differ"], ["all", "set all values"]], {
      onchange: () => this.#ask(),
    });
    this.root = panel("A Realm file", { note: "All classes and objects of an app that used Realm. See what comes, then import. Nothing is written before." },
      dropZone((file) => this.#begin(file), { id: "realm-file", accept: ".realm,application/x-realm", note: "Formats 11 and 20 to 24, encrypted ones with their key." }),
      this.body);
  }

  close() {
    this.#upload?.abort();
  }

  #begin(file) {
    if (this.#isImporting) return;
    this.#file = file;
    this.#key = "";
    this.#renames.clear();
    this.#leftOut.clear();
    this.body.replaceChildren();
    this.#ask();
  }

  #send(isDryRun, options) {
    const address = paths.realmImport + queryString({
      dryRun: isDryRun ? "true" : "", update: this.update.value, leaveOut: [...this.#leftOut],
      rename: [...this.#renames].map(([old, name]) => `${old}=${name}`),
    });
    const headers = this.#key === "" ? {} : { [keyHeader]: this.#key };
    this.#upload = sendFile(this.gateway, address, this.#file, "realm", { headers, cut, ...options });
    return this.#upload;
  }

  // MARK: The preview

  async #ask() {
    this.#upload?.abort();
    if (this.#file === null) return;
    const { name } = this.#file;
    const words = make("p.note", { role: "status" }, `Reading ${name}…`);
    if (this.body.childElementCount === 0) this.body.replaceChildren(words);
    const upload = this.#send(true, {
      sent: (loaded, total) => { words.textContent = `Reading ${name}: ${byteSize(loaded)} of ${byteSize(total)}`; },
    });
    try {
      const preview = await upload.done;
      await released(this.body);
      if (this.#upload === upload) this.#draw(preview);
    } catch (error) {
      if (this.#upload !== upload || error.name === "AbortError") return;
      if (error.parameter === keyHeader) this.#askKey(error);
      else this.#refuse(error);
    }
  }

  #refuse(error, ...more) {
    this.body.replaceChildren(make("p.fault", { role: "alert" }, sentenceOf(error)), ...more,
      make("div.buttons", {}, button("Cancel", () => this.#cancel())));
  }

  /** The key is asked for when the gateway cannot read the file without. */
  #askKey(error) {
    const text = make("input.mono", { type: "password", spellcheck: "false", autocomplete: "off", name: "realm-key" });
    const keyField = field("Key", text, { note: `${2 * keyBytes} hexadecimal digits, or choose the file of ${keyBytes} bytes.`, wide: true });
    const file = make("input", {
      type: "file", "aria-label": "File of the key",
      onchange: async () => {
        const bytes = new Uint8Array(await file.files[0].slice(0, keyBytes + 1).arrayBuffer());
        if (bytes.length === keyBytes) text.value = hexadecimal(bytes);
        else keyField.blame(`This file has ${byteSize(file.files[0].size)}, and a key has ${keyBytes} bytes.`);
      },
    });
    const go = (event) => {
      event.preventDefault();
      const key = text.value.replace(/\s/g, "");
      if (!/^[0-9a-f]*$/i.test(key) || key.length !== 2 * keyBytes) {
        keyField.blame(`A key has ${2 * keyBytes} hexadecimal digits; this has ${tally(key.length)} characters.`);
        text.focus();
        return;
      }
      this.#key = key;
      this.#ask();
    };
    this.body.replaceChildren(make("form.stack", { onsubmit: go },
      make("p", { role: "status" }, `${this.#file.name} is encrypted, or no Realm file.`),
      keyField, file,
      make("div.buttons", {}, button("Cancel", () => this.#cancel()), button("Open", () => {}, { type: "submit", kind: "primary" }))));
    if (this.#key !== "") keyField.blame(sentenceOf(error));
    text.focus();
  }

  #draw({ format, schemaVersion, objects, classes, lostLinks, notes, refusal }) {
    const focused = document.activeElement?.dataset.place;
    const rows = classes.map((one) => [this.#taken(one), this.#nameOf(one), tally(one.objects), standing(one)]);
    const hasPresent = classes.some((one) => one.present > 0);
    const said = [...notes, ...lost(lostLinks, "would be")];
    this.body.replaceChildren(
      make("p.figure", { role: "status" },
        `${this.#file.name}: ${tally(objects)} objects, Realm’s format ${format}, schema version ${schemaVersion}.`),
      ...(refusal === null ? [] : this.#obstacles(refusal)),
      table("Classes of the file", ["Class in the file", "Name here", { words: "Objects", number: true }, "In this database"], rows),
      ...(hasPresent ? [make("div.form-grid", {}, field("If the key exists", this.update))] : []),
      ...(said.length > 0 ? [make("ul.notes", {}, said.map((one) => make("li.note", {}, one)))] : []),
      make("div.buttons", {}, button("Cancel", () => this.#cancel()),
        refusal === null && button("Import", () => this.#import(), { kind: "primary" })));
    if (focused !== undefined) this.body.querySelector(`[data-place="${CSS.escape(focused)}"]`)?.focus();
  }

  #taken({ source, leftOut }) {
    return check(source, {
      checked: !leftOut, "data-place": `take ${source}`,
      onchange: (event) => {
        if (event.target.checked) this.#leftOut.delete(source);
        else this.#leftOut.add(source);
        this.#ask();
      },
    });
  }

  #nameOf({ source, name, leftOut }) {
    return make("input", {
      type: "text", value: name, spellcheck: "false", autocomplete: "off", disabled: leftOut, "aria-label": `Name of ${source}`,
      "data-place": `name ${source}`, onchange: (event) => this.#rename(source, event.target.value.trim()),
    });
  }

  #rename(old, name) {
    if (name === "" || name === old) this.#renames.delete(old);
    else this.#renames.set(old, name);
    this.#ask();
  }

  /** What prevents it, each with what the reader can do about it. */
  #obstacles({ detail, obstacles }) {
    if (obstacles.length === 0) return [make("p.fault", { role: "alert" }, detail)];
    const lines = obstacles.map(({ detail, name, way }) => {
      const line = make("li", {}, make("p.fault", {}, detail));
      if (way === "leaveOut") {
        line.append(button("Leave it out", () => {
          this.#leftOut.add(name);
          this.#ask();
        }, { label: `Leave ${name} out` }));
      } else if (way === "rename") {
        line.append(make("input", {
          type: "text", spellcheck: "false", autocomplete: "off", placeholder: "another name", "aria-label": `Another name for ${name}`,
          "data-place": `rename ${name}`, value: this.#renames.get(name) ?? "",
          onchange: (event) => this.#rename(name, event.target.value.trim()),
        }));
      }
      return line;
    });
    const ways = obstacles.filter((one) => one.way === "leaveOut");
    return [
      make("p", { role: "alert" }, "The file has what this database cannot take:"), make("ul.obstacles", {}, lines),
      ...(ways.length > 1 ? [make("div.buttons", {}, button(`Leave all ${tally(ways.length)} out`, () => {
        for (const { name } of ways) this.#leftOut.add(name);
        this.#ask();
      }))] : []),
    ];
  }

  #cancel() {
    this.#upload?.abort();
    this.#file = null;
    this.#key = "";
    this.isBusy = false;
    this.body.replaceChildren();
  }

  // MARK: The import

  async #import() {
    [this.isBusy, this.#isImporting] = [true, true];
    const { name } = this.#file;
    const bar = make("progress", { max: 1, "aria-label": "Imported" });
    bar.value = 0;
    const words = make("p.note", { role: "status" }, `Sending ${name}…`);
    this.body.replaceChildren(make("div.progress", {}, bar, button("Cancel", () => this.#upload?.abort())), words);
    const upload = this.#send(false, {
      streams: true,
      sent: (loaded, total) => { words.textContent = `Sending ${name}: ${byteSize(loaded)} of ${byteSize(total)}`; },
      event: (_, { class: className, objects, total }) => {
        bar.value = objects / Math.max(1, total);
        words.textContent = `${className}: ${tally(objects)} of ${tally(total)} objects read`;
      },
    });
    try {
      const report = await upload.done;
      this.#file = null;
      this.#key = "";
      await this.database.read();
      this.#show(name, report);
      this.imported();
      this.database.poll();
    } catch (error) {
      this.isBusy = false;
      const again = button("Try again", () => this.#ask());
      if (error.name === "AbortError") this.body.replaceChildren(make("p.note", { role: "status" }, "Cancelled. Nothing was imported."), make("div.buttons", {}, again));
      else this.#refuse(error, make("div.buttons", {}, again));
    } finally {
      this.#isImporting = false;
    }
  }

  #show(name, { objects, classes, lostLinks, notes }) {
    const numbers = classes.flatMap((one) => one.numbers.filter(({ count }) => count > 0).map((each) => [
      `${one.name}.${each.property}`, tally(each.count), each.sum, each.minimum ?? "", each.maximum ?? "",
    ]));
    const said = [...notes, ...lost(lostLinks, "are")];
    const hasPresent = classes.some(({ present }) => present > 0);
    const count = (words) => ({ words, number: true });
    this.body.replaceChildren(
      make("p.figure", { role: "status" }, `${name} was imported: ${tally(objects)} objects.`),
      make("p.note", {}, "Compare the counts and sums with what the app says."),
      table("Imported classes", ["Class", count("Objects"), ...(hasPresent ? [count("Were there"), count("Changed")] : [])],
        classes.map((one) => [
          one.embedded ? `${one.name} (embedded)` : make("a", { href: routeAddress({ className: one.name }) }, one.name),
          tally(one.objects), ...(hasPresent ? [tally(one.present), tally(one.modified)] : []),
        ])),
      ...(numbers.length > 0 ? [table("Numbers of the imported objects", ["Property",
        ...["Values", "Sum", "Minimum", "Maximum"].map(count)], numbers)] : []),
      ...(said.length > 0 ? [make("ul.notes", {}, said.map((one) => make("li.note", {}, one)))] : []));
  }
}

/** What the database has of a class. */
function standing({ embedded, leftOut, new: isNew, present }) {
  if (leftOut) return "left out";
  const kind = embedded ? "embedded, " : "";
  if (isNew) return `${kind}new`;
  return present > 0 ? `${kind}has ${tally(present)} of them` : `${kind}gets more objects`;
}

/** What becomes of links in mixed values whose targets are left out; `verb` says whether they have become that. */
function lost(count, verb) {
  if (count === 0) return [];
  return [`${tally(count)} ${count === 1 ? "link" : "links"} in mixed values to objects that are left out ${verb} null, or missing in a set.`];
}

const hexadecimal = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
