// The lists beside the table: the classes, and the current sort.

import { routeAddress } from "../core/route.js";
import { tally } from "../core/values.js";
import { element } from "../parts/element.js";

/** The classes with their counts, the current one marked. */
export function listClasses(list, { schema, counts }, route) {
  if (schema === null) return;
  const isData = route.page === "objects" || route.page === "object";
  const present = isData ? route.className || schema.classes[0]?.name : null;
  const items = schema.classes.map((one) => {
    const link = element("a", "");
    link.href = routeAddress({ className: one.name });
    if (one.name === present) link.setAttribute("aria-current", "page");
    const name = element("span", "");
    name.textContent = one.name;
    link.title = one.name;
    if (one.isEmbedded) link.title = "Embedded: each object belongs to the object that links to it";
    link.classList.toggle("embedded", one.isEmbedded);
    const count = element("span", "count");
    count.textContent = counts.has(one.name) ? tally(counts.get(one.name)) : "";
    link.append(name, count);
    const item = element("li", "");
    item.append(link);
    return item;
  });
  const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
  list.replaceChildren(...items);
  if (focused >= 0) items[focused]?.firstChild.focus();
  else list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** The keys of the sort, each with a button that removes it. */
export function listSorting(list, sort, drop) {
  const items = sort.map(({ path, descending }) => {
    const button = element("button", "chip", {
      type: "button",
      title: "Remove this sort key",
      "aria-label": `Remove the sort by ${path}, ${descending ? "descending" : "ascending"}`,
    });
    button.textContent = `${path} ${descending ? "↓" : "↑"}`;
    button.addEventListener("click", () => drop(path));
    const item = element("li", "");
    item.append(button);
    return item;
  });
  if (items.length === 0) {
    const item = element("li", "word");
    item.textContent = "order of creation";
    items.push(item);
  }
  list.replaceChildren(...items);
}
