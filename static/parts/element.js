// Making elements of the page.

/** A name that nothing else has. It is random, so that no counter has to be kept. */
export const freshID = (prefix) => `${prefix}-${Math.random().toString(36).slice(2, 12)}`;

/** A new element. */
export function element(name, className, attributes = {}) {
  const made = document.createElement(name);
  made.className = className;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

/**
 * A new element with what is in it: `make("button.action", { onclick }, "Save")`. Members that begin with `on` are
 * listeners, `value`, `checked` and `disabled` are properties, the others attributes; those that are null, undefined or
 * false are left out, as are such children.
 */
export function make(kind, members = {}, ...children) {
  const [name, ...classes] = kind.split(".");
  const made = document.createElement(name);
  if (classes.length > 0) made.className = classes.join(" ");
  for (const [member, value] of Object.entries(members)) {
    if (value === null || value === undefined || value === false) continue;
    if (member.startsWith("on")) made.addEventListener(member.slice(2), value);
    else if (["checked", "disabled", "hidden"].includes(member)) made[member] = value;
    else if (member !== "value") made.setAttribute(member, value === true ? "" : value);
  }
  made.append(...children.flat().filter((one) => one !== null && one !== undefined && one !== false));
  // After the options of a select are there.
  if (members.value !== undefined && members.value !== null) made.value = members.value;
  return made;
}

/**
 * Waits until nothing in the element is pressed. Code that replaces buttons after a response waits for this: the browser drops a click
 * whose button is replaced between press and release.
 */
export async function released(element) {
  while (element.matches(":active")) await new Promise(requestAnimationFrame);
}
