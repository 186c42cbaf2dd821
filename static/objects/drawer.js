// One object beside the table, to look at and edit while the rows stay in view. It follows the row that has the focus.

import { objectAddress } from "../core/route.js";
import { make } from "../parts/element.js";
import { button } from "../parts/ui.js";
import { openBeside } from "./object-page.js";

/** The keys pass over rows faster than objects are read. */
const pause = 120;

export class Drawer {
  #page = null;
  #place = null;
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
  get #address() { return objectAddress(this.#place.className, this.#place.key, this.#place.snapshot); }

  show(place) {
    clearTimeout(this.#timer);
    if (this.isOpen && this.#place.key === place.key && this.#place.className === place.className) return;
    this.#page?.close();
    this.#place = place;
    this.root.hidden = false;
    this.root.setAttribute("aria-label", `${place.className} ${place.key}`);
    this.#page = openBeside(this.root, place, this.app, {
      buttons: make("div.drawer-ways", {}, make("a.action", { href: this.#address }, "Open"), button("Close", () => this.#leave())),
      gone: () => this.#leave(),
    });
    this.root.scrollTo(0, 0);
  }

  /** Shows another object soon, if it is open. */
  follow(place) {
    clearTimeout(this.#timer);
    if (this.isOpen) this.#timer = setTimeout(() => this.show(place), pause);
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
