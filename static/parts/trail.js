// The trail of links that led to a route, as crumbs to go back by.

import { element } from "./element.js";

const shown = 5;

/** Fills `list` with the trail; it is hidden when there is none. */
export function showTrail(navigation, list, present) {
  const { trail } = navigation;
  list.hidden = trail.length === 0;
  const first = Math.max(0, trail.length - shown);
  const items = trail.slice(first).map((step, index) => {
    const link = element("a", "", { href: step.address });
    link.textContent = step.words;
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      navigation.go(step.address, { trail: trail.slice(0, first + index) });
    });
    const item = element("li", "");
    item.append(link);
    return item;
  });
  if (first > 0) {
    const more = element("li", "");
    more.textContent = "…";
    items.unshift(more);
  }
  const last = element("li", "", { "aria-current": "page" });
  last.textContent = present;
  list.replaceChildren(...items, last);
}
