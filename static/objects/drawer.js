// One object beside the table, to look at and edit while the rows stay in view. It follows the row that has the focus.

import { objectAddress } from "../core/route.js";
import { make } from "../parts/element.js";
import { button } from "../parts/ui.js";
import { openBeside } from "./object-page.js";

/** The keys pass over rows faster than objects are read. */
const pause = 120;

export class Drawer {
  #page = null;
  #route = null;
  #timer = null;

  /** `left()` is called when the reader closes it. */
  constructor(root, app, left) {
    Object.assign(this, { root, app, left });
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      this.#leave();
    });
  }

  get isOpen() { return !this.root.hidden; }

  /** The address of the object that is shown. */
  get #address() { return objectAddress(this.#route.className, this.#route.key, this.#route.snapshot); }

  show(route) {
    clearTimeout(this.#timer);
    if (this.isOpen && this.#route.key === route.key && this.#route.className === route.className) return;
    this.#page?.close();
    this.#route = route;
    this.root.hidden = false;
    this.root.setAttribute("aria-label", `${route.className} ${route.key}`);
    this.#page = openBeside(this.root, route, this.app, {
      buttons: make("div.drawer-ways", {}, make("a.action", { href: this.#address }, "Open"), button("Close", () => this.#leave())),
      gone: () => this.#leave(),
    });
    this.root.scrollTo(0, 0);
  }

  /** Shows another object soon, if it is open. */
  follow(route) {
    clearTimeout(this.#timer);
    if (this.isOpen) this.#timer = setTimeout(() => this.show(route), pause);
  }

  close() {
    clearTimeout(this.#timer);
    this.#page?.close();
    this.#page = null;
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  #leave() {
    this.close();
    this.left();
  }
}
