// Making elements of drawings.

const space = "http://www.w3.org/2000/svg";

/** A new SVG element: `svg("rect.bar", { x: 1 }, child)`. Attributes that are null, undefined or false are left out. */
export function svg(kind, attributes = {}, ...children) {
  const [name, ...classes] = kind.split(".");
  const made = document.createElementNS(space, name);
  if (classes.length > 0) made.setAttribute("class", classes.join(" "));
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (attribute.startsWith("on")) made.addEventListener(attribute.slice(2), value);
    else made.setAttribute(attribute, String(value));
  }
  made.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return made;
}

/** A number for an attribute: tenths are finer than any screen. */
export const rounded = (number) => Number(number.toFixed(1));
