// Starts the console once the frame of the page has been painted, so that the reader sees it at once.
(() => {
  "use strict";
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    import("./app.js");
  };
  requestAnimationFrame(() => setTimeout(begin));
  // A page in the background paints no frames.
  setTimeout(begin, 100);
})();
