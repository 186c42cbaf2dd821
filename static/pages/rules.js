// What a caller's role allows, class by class.

import { make } from "../parts/element.js";
import { panel, table } from "../parts/ui.js";

const actions = ["read", "create", "update", "delete"];

/** A panel with the rules of `whoami`; nothing where it has none. */
export function rulesOf({ classes = [] }) {
  if (classes.length === 0) return [];
  return [panel("What you may do", { note: "‘some’ are the objects that satisfy a rule of the role." },
    table("Rules by class", ["Class", ...actions, "Properties"], classes.map((one) => [
      one.name, ...actions.map((action) => allowed(one[action])), properties(one),
    ])))];
}

function allowed(right) {
  return make(`span.right`, { "data-right": right }, right);
}

function properties({ readable, writable }) {
  const parts = [];
  if (readable) parts.push(`reads ${readable.join(", ") || "none"}`);
  if (writable) parts.push(`writes ${writable.join(", ") || "none"}`);
  return parts.join("; ") || "all";
}
