// JSON Schemas as trees whose branches open.

import { make } from "../parts/element.js";
import { words } from "./elements.js";

/** The component that a reference names; anything else as it is. */
export function resolve(description, json) {
  let found = json;
  // Components may refer to one another.
  for (let steps = 0; found?.$ref && steps < 16; steps += 1) {
    found = found.$ref
      .slice(2)
      .split("/")
      .reduce((at, part) => at?.[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")], description);
  }
  return found ?? {};
}

const named = (schema) => schema?.$ref?.split("/").at(-1);

/** The type in a few words: `integer`, `string or null`, `array of Dog`. */
export function kindOf(description, schema, depth = 0) {
  if (schema === true || schema === undefined || Object.keys(schema).length === 0) return "any";
  if (schema.$ref) return named(schema);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && !schema.type) {
    const kinds = [...new Set(choices.map((one) => kindOf(description, one, depth + 1)))];
    return depth > 2 && kinds.length > 3 ? "…" : kinds.join(" or ");
  }
  if (schema.enum) {
    return schema.enum.length > 6 ? `${schema.type ?? "one of"} (${schema.enum.length} names)` : schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  }
  const types = [schema.type ?? "any"].flat();
  return types
    .map((type) => {
      if (type === "array") return schema.items ? `array of ${kindOf(description, schema.items, depth + 1)}` : "array";
      if (type === "object" && typeof schema.additionalProperties === "object" && !schema.properties) {
        return `map of ${kindOf(description, schema.additionalProperties, depth + 1)}`;
      }
      return schema.format && type !== "null" ? `${type} (${schema.format})` : type;
    })
    .join(" or ");
}

const limits = [
  ["minimum", "at least"], ["maximum", "at most"], ["minLength", "length at least"], ["maxLength", "length at most"],
  ["minItems", "at least"], ["maxItems", "at most"], ["default", "default"],
];

function facts(schema) {
  return limits
    .filter(([name]) => schema[name] !== undefined && schema.format !== "int64")
    .map(([name, word]) => `${word} ${JSON.stringify(schema[name])}`)
    .join(", ");
}

/** The parts of a schema that have parts themselves, as `[name, schema, isRequired]`. */
function partsOf(description, schema) {
  const whole = resolve(description, schema);
  const required = new Set(whole.required ?? []);
  const parts = Object.entries(whole.properties ?? {}).map(([name, part]) => [name, part, required.has(name)]);
  if (typeof whole.additionalProperties === "object") parts.push(["(any name)", whole.additionalProperties, false]);
  if (whole.items && !isPlain(description, whole.items)) parts.push(["(each)", whole.items, false]);
  for (const choice of whole.anyOf ?? whole.oneOf ?? []) {
    if (!isPlain(description, choice)) parts.push([`(${kindOf(description, choice)})`, choice, false]);
  }
  for (const part of whole.allOf ?? []) parts.push(...partsOf(description, part));
  return parts;
}

function isPlain(description, schema) {
  const whole = resolve(description, schema);
  return !whole.properties && !whole.items && !whole.anyOf && !whole.oneOf && !whole.allOf &&
    typeof whole.additionalProperties !== "object";
}

/** A schema with its members; a branch is filled when it is opened, so that schemas may contain themselves. */
export function schemaTree(description, schema) {
  const parts = partsOf(description, schema);
  if (parts.length === 0) {
    return make("div", { class: "row-head" }, [make("span", { class: "kind" }, kindOf(description, schema))]);
  }
  return make("div", { class: "tree" }, parts.map(([name, part, isRequired]) => branch(description, name, part, isRequired)));
}

function branch(description, name, part, isRequired) {
  const whole = resolve(description, part);
  const isChoice = name.startsWith("(") && !["(any name)", "(each)"].includes(name);
  const head = make("span", { class: "row-head" }, [
    make("span", { class: "name" }, isChoice ? name.slice(1, -1) : name),
    isChoice ? null : make("span", { class: "kind" }, kindOf(description, part)),
    isRequired ? make("span", { class: "must" }, "required") : null,
    whole.readOnly ?? part.readOnly ? make("span", { class: "fact" }, "read only") : null,
    make("span", { class: "fact" }, facts(whole)),
  ]);
  const text = part.description ?? (part.$ref ? whole.description : null);
  const about = text ? words(text) : null;
  if (isPlain(description, part) || partsOf(description, part).length === 0) return make("div", {}, [head, about]);
  const made = make("details", {}, [make("summary", {}, [head]), about]);
  made.addEventListener("toggle", () => made.append(schemaTree(description, part)), { once: true });
  return make("div", {}, [made]);
}
