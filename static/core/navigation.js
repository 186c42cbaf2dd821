// Moving between pages. The history holds, beside the address, the trail of links that led here.

export class Navigation {
  #arrive = () => {};
  #words = () => document.title;

  /** Calls `arrive()` after every move, and follows links that have the mark `data-follow`. */
  begin(arrive) {
    this.#arrive = arrive;
    window.addEventListener("popstate", arrive);
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[data-follow]");
      if (!link || event.defaultPrevented || event.button !== 0) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.follow(link.getAttribute("href"));
    });
  }

  /** Moves to another route; typing replaces the entry in the history, everything else adds one. */
  go(address, { replace = false, trail = this.trail } = {}) {
    if (address !== location.hash) history[replace ? "replaceState" : "pushState"]({ trail }, "", address);
    this.#arrive();
  }

  /** Moves along a link, and adds the current route to the trail. */
  follow(address) {
    this.go(address, { trail: [...this.trail, { address: location.hash, words: this.#words() }] });
  }

  /** The routes from which links led to this one, in order: `[{address, words}]`. */
  get trail() {
    return history.state?.trail ?? [];
  }

  /** `words()` names the current route in trails. */
  nameHere(words) {
    this.#words = words;
  }
}
