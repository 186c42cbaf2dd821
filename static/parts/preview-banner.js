// The line above all pages while the console shows what a role sees.

import { currentPreview, endPreview } from "../core/preview.js";
import { make } from "./element.js";
import { button } from "./ui.js";

export function showPreview(app) {
  const preview = currentPreview();
  if (preview === null) return;
  const end = async () => {
    try {
      await endPreview(app);
    } catch {
      // The key that was for this cannot be revoked now; it expires by itself.
    }
    location.reload();
  };
  const until = new Date(preview.expires);
  const time = Number.isNaN(until.getTime()) ? "" : ` until ${until.toLocaleTimeString("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit" })} UTC`;
  document.querySelector("main").prepend(make("section.preview-banner", { "aria-label": "Preview of a role" },
    make("p", {}, "You see what the role ", make("b", {}, preview.role), ` sees, read-only${time === "" ? "" : `,${time}`}.`),
    button("Back to your own key", end)));
}
