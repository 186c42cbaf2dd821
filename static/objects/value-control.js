// A control for one value, and what it holds as JSON.

import { fromInput, linkFromInput } from "../core/values.js";
import { make } from "../parts/element.js";
import { select } from "../parts/ui.js";
import { datePicker } from "./date-picker.js";
import { LinkPicker } from "./link-picker.js";

/** `{input, read}`; `read` throws for what cannot be read. */
export function valueControl(gateway, schema, property) {
  if (property.kind === "bool") {
    const input = select(["true", "false"]);
    return { input, read: () => input.value === "true" };
  }
  const input = make("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  if (property.isNumeric) input.inputMode = "decimal";
  if (property.kind === "date") {
    input.placeholder = "2026-01-31 12:00 in UTC";
    queueMicrotask(() => input.after(datePicker(input, property.name)));
  }
  const target = property.kind === "link" ? schema.class(property.target) : null;
  if (target !== null) {
    input.placeholder = `Type to search ${target.name}`;
    // The list is placed below the control once that is in the page.
    queueMicrotask(() => new LinkPicker(gateway, target, input));
  }
  return { input, read: () => (target !== null ? linkFromInput(input.value, target) : fromInput(input.value, property)) };
}
