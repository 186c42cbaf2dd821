// Changing, deleting and making objects, from the table and the dialogs.

import { Problem, paths } from "../core/api.js";
import { confirmRemoval } from "../parts/dialog.js";
import { showCreation } from "./creation.js";
import { Editor, nextBool } from "./editor.js";
import { element } from "../parts/element.js";
import { text } from "../core/values.js";

const faultTime = 5000;

export class Writing {
  /** The key of the object under edit, and its editor. */
  #open = null;

  /** `created(object)` is called with each new object. */
  constructor({ gateway, announcer }, grid, commands, created) {
    this.gateway = gateway;
    this.announcer = announcer;
    this.grid = grid;
    this.commands = commands;
    this.created = created;
  }

  /** Leaves the editor, if there is one; with `keys` only when it is on one of these objects. */
  close(keys = null) {
    if (this.#open && (keys === null || keys.has(this.#open.key))) this.#open.editor.close(false);
  }

  /** Opens an editor in a cell, or switches a bool. `view` is `{objectClass, schema, rows}`. */
  edit({ objectClass, schema, rows }, key, property, cell) {
    const object = rows.get(key);
    if (!object) return;
    if (!property.isEditable) {
      cell.animate([{ opacity: 1 }, { opacity: 0.35 }, { opacity: 1 }], { duration: 260 });
      this.announcer.say(property.isKey ? "A primary key cannot be edited." : `${property.name} is computed and cannot be edited.`);
      return;
    }
    const save = async (value) => {
      const answer = await this.#send("PATCH", paths.object(objectClass.name, key), { [property.name]: value });
      if (answer && property.name in answer && rows.get(key)) {
        rows.replace(key, { ...rows.get(key), [property.name]: answer[property.name] });
      }
    };
    if (property.kind === "bool") {
      save(nextBool(object[property.name], property))
        .then(() => this.grid.refresh())
        .catch((error) => showFault(cell, error));
      return;
    }
    this.close();
    const editor = new Editor(cell, property, object[property.name], schema.class(property.target), {
      save,
      done: (refocus) => {
        if (this.#open?.editor === editor) this.#open = null;
        this.grid.restore(key, property);
        this.grid.refresh();
        if (refocus) this.grid.cell(key, property)?.focus({ preventScroll: true });
      },
    });
    this.#open = { key, editor };
  }

  /** Asks, then deletes. */
  remove({ objectClass, rows }, key) {
    const object = rows.get(key);
    if (!object) return;
    const named = objectClass.properties.find((one) => one.kind === "string" && !one.isKey && object[one.name]);
    const name = named ? ` (${text(object[named.name], named)})` : "";
    confirmRemoval(
      `Delete ${objectClass.name} ${key}?`,
      `This deletes ${objectClass.name} ${key}${name}. Links to it become null. This cannot be undone.`,
      async () => {
        try {
          await this.#send("DELETE", paths.object(objectClass.name, key));
        } catch (error) {
          // Somebody else has deleted it already.
          if (!(error instanceof Problem) || error.status !== 404) throw error;
        }
      });
  }

  /** Shows the form for a new object. */
  create({ objectClass, schema }) {
    showCreation(objectClass, schema, async (value) => {
      const object = await this.#send("POST", paths.collection(objectClass.name), value);
      // The dialog is closed meanwhile.
      this.created(object);
    });
  }

  #send(method, path, body) {
    this.commands.wrote(method, path, body);
    return this.gateway.request(method, path, { body });
  }
}

/** A refusal of a value that was changed without an editor: shown at the cell for a while. */
function showFault(cell, error) {
  const sentence = element("p", "cell-fault", { role: "alert" });
  sentence.textContent = error.message;
  cell.classList.add("faulty");
  cell.append(sentence);
  setTimeout(() => {
    sentence.remove();
    cell.classList.remove("faulty");
  }, faultTime);
}
