// The dialog that creates an object.

import { indented, parse } from "../core/json.js";
import { objectAddress } from "../core/route.js";
import { fromInput, linkFromInput, text } from "../core/values.js";
import { make } from "../parts/element.js";
import { typeWords } from "./columns.js";
import { datePicker } from "./date-picker.js";
import { LinkPicker } from "./link-picker.js";

const byId = (id) => document.getElementById(id);

/** A form for a new object; `create(value)` stores it. */
export function showCreation(gateway, objectClass, schema, create) {
  const dialog = byId("create-dialog");
  const form = dialog.querySelector("form");
  const fields = byId("create-fields");
  const json = byId("create-json");
  const area = byId("create-text");
  const fault = byId("create-fault");
  const tabs = [...dialog.querySelectorAll("[data-form]")];
  const properties = objectClass.properties.filter((one) => one.isEditable || one === objectClass.keyProperty);
  let mode = "fields";

  byId("create-title").textContent = `New ${objectClass.name}`;
  fault.hidden = true;
  fields.replaceChildren(...properties.map((property) => makeField(property, schema)));
  for (const property of properties) {
    const target = property.kind === "link" ? schema.class(property.target) : null;
    const input = fields.querySelector(`[name="${CSS.escape(property.name)}"]`);
    if (target) new LinkPicker(gateway, target, input);
    // Beside the label: a label has one control.
    if (property.kind === "date") {
      const label = input.parentElement;
      const host = make("div", {});
      label.replaceWith(host);
      host.append(label, datePicker(input, property.name));
    }
  }

  const inputs = () => properties.map((property) => ({ property, input: fields.querySelector(`[name="${CSS.escape(property.name)}"]`) }));
  const collected = () => {
    // A property may have any name, also that of a prototype.
    const members = [];
    for (const { property, input } of inputs()) {
      if (input.value === "") continue;
      try {
        members.push([property.name, property.kind === "link"
          ? linkFromInput(input.value, schema.class(property.target)) : fromInput(input.value, property)]);
      } catch (error) {
        error.property = property.name;
        throw error;
      }
    }
    return Object.fromEntries(members);
  };
  const turnTo = (next) => {
    if (next === "json" && mode === "fields") {
      try {
        area.value = indented(collected());
      } catch (error) {
        blame(error);
        return;
      }
    }
    mode = next;
    fields.hidden = mode !== "fields";
    json.hidden = mode !== "json";
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.form === mode));
  };
  const blame = (error) => {
    if (error.code === "object.duplicate_key") error = duplicate(objectClass, error);
    for (const { input } of inputs()) input.removeAttribute("aria-invalid");
    const faulty = mode === "fields" ? inputs().find(({ property }) => property.name === error.property) : undefined;
    fault.replaceChildren(error.hint ? `${error.message} Did you mean ‘${error.hint}’?` : error.message);
    if (error.key !== undefined) {
      fault.append(" ", make("a", {
        href: objectAddress(objectClass.name, error.key), onclick: () => dialog.close(),
      }, "Open it"));
    }
    fault.hidden = false;
    if (faulty) {
      faulty.input.setAttribute("aria-invalid", "true");
      faulty.input.setAttribute("aria-describedby", fault.id);
      faulty.input.after(fault);
      faulty.input.focus();
    } else {
      form.querySelector(".buttons").before(fault);
    }
  };

  form.querySelector(".buttons").before(fault);
  turnTo("fields");
  for (const tab of tabs) {
    tab.onclick = () => {
      turnTo(tab.dataset.form);
      if (mode !== "json") return;
      area.focus();
      area.select();
    };
  }
  form.onsubmit = async (event) => {
    event.preventDefault();
    let value;
    try {
      value = mode === "json" ? parse(area.value) : collected();
    } catch (error) {
      blame(mode === "json" ? new Error(`This is not JSON: ${error.message}.`) : error);
      return;
    }
    try {
      await create(value);
      dialog.close();
    } catch (error) {
      blame(error);
    }
  };
  dialog.showModal();
  fields.querySelector("input, select, textarea")?.focus();
}

/** The refusal of a key that another object has, as the form says it. */
function duplicate(objectClass, error) {
  const written = /with the primary key (.*) exists/s.exec(error.message)?.[1];
  const key = written?.startsWith('"') ? JSON.parse(written) : written;
  const sentence = key === undefined ? `Another ${objectClass.name} has this key.`
    : `There is already a ${objectClass.name} with the ${objectClass.primaryKey} ${key}.`;
  return Object.assign(new Error(`${sentence} Enter another ${objectClass.primaryKey}.`), { property: error.property, key });
}

function makeField(property, schema) {
  const label = document.createElement("label");
  label.className = "new-field";
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = property.name;
  const type = document.createElement("span");
  type.className = "type";
  type.textContent = property.isKey ? `${typeWords(property)} · key` : typeWords(property);
  name.append(" ", type);

  let input;
  if (property.kind === "bool") {
    input = document.createElement("select");
    for (const value of ["", "true", "false"]) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = value === "" ? standing(property, schema) : value;
      input.append(option);
    }
  } else {
    input = document.createElement("input");
    input.type = "text";
    input.spellcheck = false;
    input.placeholder = standing(property, schema);
    if (property.isNumeric) input.inputMode = "decimal";
  }
  input.name = property.name;
  label.append(name, input);
  return label;
}

/** The value of a field that is left empty. */
function standing(property, schema) {
  if (property.defaultValue !== undefined && property.defaultValue !== null) {
    return `default: ${text(property.defaultValue, property)}`;
  }
  if (property.kind === "link") {
    const key = schema.class(property.target)?.primaryKey;
    return key ? `Search ${property.target}, or null` : "null";
  }
  if (property.isKey) return "required";
  if (property.kind === "collection") return property.type.endsWith("{}") ? "{}" : "[]";
  if (property.optional) return "null";
  return { bool: "false", int: "0", float: "0", double: "0", decimal128: "0", date: "1970-01-01T00:00:00Z" }[property.kind] ?? "empty";
}
