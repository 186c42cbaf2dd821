// A calendar with a clock for the text of a date, in UTC or in the zone of this computer. The text stays what is stored.

import { make } from "../parts/element.js";
import { select } from "../parts/ui.js";

const name = "realmgate.zone";
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const two = (number) => String(number).padStart(2, "0");

/** The zone that was chosen last, of "UTC" and this computer's. */
function zone() {
  try {
    return localStorage.getItem(name) === "here" ? here : "UTC";
  } catch {
    // Storage may be forbidden.
    return "UTC";
  }
}

/** The time that a text names; null for one that names none. A text without a zone is in UTC, as in the cells. */
export function instantOf(text) {
  const parts = /^\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:\d\d)?\s*$/.exec(text);
  if (parts === null) return null;
  const [, day, minute = "00:00", second = ":00", offset = "Z"] = parts;
  const date = new Date(`${day}T${minute}${second.slice(0, 7)}${offset}`);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** A time as the control of the browser has it, in a zone. */
export function wallClock(date, where) {
  if (where === "UTC") return date.toISOString().slice(0, 19);
  const [day, clock] = [[date.getFullYear(), date.getMonth() + 1, date.getDate()], [date.getHours(), date.getMinutes(), date.getSeconds()]];
  return `${String(day[0]).padStart(4, "0")}-${two(day[1])}-${two(day[2])}T${clock.map(two).join(":")}`;
}

/** The time of the control's value in a zone, as it is stored. */
export function storedText(value, where) {
  const date = new Date(where === "UTC" ? `${value}Z` : value);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().replace(/\.000Z$/, "Z");
}

/** Returns the calendar for an input, which it fills as if somebody typed. */
export function datePicker(input, label) {
  const picker = make("input", { type: "datetime-local", step: "1", "aria-label": `${label}, calendar` });
  const zones = here === "UTC" ? ["UTC"] : ["UTC", here];
  const choice = select(zones);
  choice.setAttribute("aria-label", `${label}, time zone of the calendar`);
  choice.value = zones.includes(zone()) ? zone() : "UTC";
  const show = () => {
    const date = instantOf(input.value);
    picker.value = date === null ? "" : wallClock(date, choice.value);
  };
  picker.addEventListener("input", () => {
    const text = storedText(picker.value, choice.value);
    if (text === null) return;
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  choice.addEventListener("change", () => {
    try {
      localStorage.setItem(name, choice.value === "UTC" ? "UTC" : "here");
    } catch {
      // As above.
    }
    show();
  });
  input.addEventListener("input", (event) => {
    if (event.isTrusted) show();
  });
  show();
  return make("span.date-picker", {}, picker, choice);
}
