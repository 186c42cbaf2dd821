// Changing, deleting and making objects, from the table and the dialogs.

import { load, paths } from "../core/api.js";
import { Editor, nextBool } from "./editor.js";
import { element } from "../parts/element.js";
import { own } from "../core/json.js";
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
      if (answer && Object.hasOwn(answer, property.name) && rows.get(key)) {
        rows.replace(key, { ...rows.get(key), [property.name]: answer[property.name] });
      }
    };
    if (property.kind === "bool") {
      save(nextBool(own(object, property.name), property))
        .then(() => this.grid.refresh())
        .catch((error) => showFault(cell, error));
      return;
    }
    this.close();
    const editor = new Editor(cell, property, own(object, property.name), schema.class(property.target), {
      gateway: this.gateway,
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
  async remove({ objectClass, schema, rows }, key) {
    const object = rows.get(key);
    if (!object) return;
    const named = objectClass.properties.find((one) => one.kind === "string" && !one.isKey && own(object, one.name));
    const name = named ? ` (${text(own(object, named.name), named)})` : "";
    const { deleteObjects } = await load(() => import("./deletion.js"));
    deleteObjects({ gateway: this.gateway, schema, objectClass }, [key], `${objectClass.name} ${key}${name}`, {
      wrote: (method, path) => this.commands.wrote(method, path),
      // The stream may have told of the deletion, and the row have faded away, before the response came.
      lost: () => this.grid.focus(),
    });
  }

  /** Shows the form for a new object. */
  async create({ objectClass, schema }) {
    const { showCreation } = await load(() => import("./creation.js"));
    showCreation(this.gateway, objectClass, schema, async (value) => {
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
