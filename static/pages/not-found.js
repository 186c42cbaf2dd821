// An address that leads to no page, with links to other pages.

import { routeAddress } from "../core/route.js";
import { make } from "../parts/element.js";
import { empty, heading } from "../parts/ui.js";

export const title = "No such page";

export function open(root, route, { database }) {
  const first = database.schema.classes[0];
  root.replaceChildren(
    heading(title, `The console has no page ‘${route.page}’.`),
    empty("The address may be mistyped, or of another version of the console. Choose a class or a page of the list.",
      make("p.ways", {},
        first !== undefined && make("a.action", { href: routeAddress({ className: first.name }) }, `Show ${first.name}`),
        make("a.action", { href: "#schema" }, "Open the schema"))));
  return {};
}
