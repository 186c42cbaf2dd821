// Runs before the first paint, so that a chosen theme does not flash. Without a choice the system's preference holds.
(() => {
  "use strict";
  const themes = ["auto", "light", "dark"];
  const read = () => {
    try {
      return localStorage.getItem("realmgate.theme") ?? "auto";
    } catch {
      return "auto"; // Storage may be forbidden; the console works without.
    }
  };
  const apply = (theme) => {
    document.documentElement.dataset.theme = themes.includes(theme) ? theme : "auto";
  };
  apply(read());
  window.realmgateTheme = {
    /** The next of auto, light and dark. */
    turn() {
      const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
      apply(next);
      try {
        localStorage.setItem("realmgate.theme", next);
      } catch {
        // As above.
      }
      return next;
    },
    get current() {
      return document.documentElement.dataset.theme;
    },
  };
})();
