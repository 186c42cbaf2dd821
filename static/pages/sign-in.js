// Signing in with a key, when the gateway asks for one.

import { paths } from "../core/api.js";
import { make } from "../parts/element.js";
import { button, field, heading, panel, sentenceOf } from "../parts/ui.js";

export const title = "Sign in";

export function open(root, _, app) {
  const { gateway, session, refusal } = app;
  const input = make("input.mono", {
    type: "password", autocomplete: "off", spellcheck: "false", required: true, name: "key",
  });
  const key = field("Key", input, {
    note: "An API key or a token. The console keeps it for this tab and sends it in a header.",
  });
  const held = session.key;
  const onsubmit = async (event) => {
    event.preventDefault();
    key.blame(null);
    session.key = input.value.trim();
    try {
      await gateway.request("GET", paths.schema);
      app.signedIn();
    } catch (error) {
      session.key = held;
      key.blame(error.status === 401 ? "The gateway does not know this key, or the key has expired. Check it, or ask an administrator for another one." : sentenceOf(error));
      input.select();
    }
  };
  root.replaceChildren(
    heading("Sign in", "This gateway needs a key or a token."),
    panel("Your key", { note: held !== null && refusal ? refusal.message : null },
      make("form.sign-in", { onsubmit }, key, button("Sign in", null, { type: "submit", kind: "primary" }))));
  input.focus();
  return {};
}
