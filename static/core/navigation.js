// Moving between pages. The history holds, beside the address, the trail of links that led here.

let arrive = () => {};

export function whenArriving(handler) {
  arrive = handler;
  window.addEventListener("popstate", handler);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-follow]");
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    follow(link.getAttribute("href"));
  });
}

/** Moves to another place; typing replaces the entry in the history, everything else adds one. */
export function go(address, { replace = false, trail = currentTrail() } = {}) {
  if (address !== location.hash) history[replace ? "replaceState" : "pushState"]({ trail }, "", address);
  arrive();
}

/** Moves along a link, and remembers where from. */
export function follow(address) {
  const trail = [...currentTrail(), { address: location.hash, words: here() }];
  go(address, { trail });
}

/** The places that links led through to this one, the first first: `[{address, words}]`. */
export function currentTrail() {
  return history.state?.trail ?? [];
}

let here = () => document.title;

/** `words()` names the present place in trails. */
export function nameOfHere(words) {
  here = words;
}
