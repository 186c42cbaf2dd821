// What a caller's roles allow, class by class.

import { make } from "../parts/element.js";
import { panel, table } from "../parts/ui.js";

const actions = ["read", "create", "update", "delete"];

/** A panel with the rules that `whoami` tells of; nothing where it tells of none. */
export function rulesOf(caller) {
  const classes = caller.classes ?? caller.permissions ?? caller.rules ?? null;
  if (classes === null || typeof classes !== "object") return [];
  const list = Array.isArray(classes) ? classes : Object.entries(classes).map(([name, rule]) => ({ class: name, ...rule }));
  if (list.length === 0) return [];
  return [panel("What you may do", { note: "A predicate says for which objects." },
    table("Rules by class", ["Class", ...actions, "Properties"], list.map((one) => [
      one.class ?? one.name, ...actions.map((action) => allowed(one[action])), properties(one),
    ])))];
}

function allowed(rule) {
  if (rule === true || rule === "TRUEPREDICATE") return make("span.yes", {}, "all");
  if (rule === false || rule === null || rule === undefined || rule === "FALSEPREDICATE") return make("span.null", {}, "none");
  return make("code", {}, typeof rule === "string" ? rule : JSON.stringify(rule));
}

function properties(one) {
  const readable = one.readable ?? one.fields?.read ?? null;
  const writable = one.writable ?? one.fields?.write ?? null;
  const parts = [];
  if (Array.isArray(readable)) parts.push(`reads ${readable.join(", ") || "none"}`);
  if (Array.isArray(writable)) parts.push(`writes ${writable.join(", ") || "none"}`);
  return parts.join("; ") || "all";
}
