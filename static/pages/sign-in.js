// Signing in with a key, when the gateway asks for one.

import { paths, request } from "../core/api.js";
import { session } from "../core/session.js";
import { make } from "../parts/element.js";
import { button, field, heading, panel, sentenceOf } from "../parts/ui.js";

export const title = "Sign in";

export function open(root, _, { problem, signedIn }) {
  const input = make("input.mono", {
    type: "password", autocomplete: "off", spellcheck: "false", required: true, name: "key",
  });
  const key = field("Key", input, {
    note: "An API key or a token. It is kept for this tab alone and sent in a header.",
  });
  const held = session.key;
  const onsubmit = async (event) => {
    event.preventDefault();
    key.blame(null);
    session.key = input.value.trim();
    try {
      await request("GET", paths.schema);
      signedIn();
    } catch (error) {
      session.key = held;
      key.blame(error.status === 401 ? "The gateway does not know this key, or it has expired." : sentenceOf(error));
      input.select();
    }
  };
  root.replaceChildren(
    heading("Sign in", "This gateway asks who is calling."),
    panel("Your key", { note: held !== null && problem ? problem.message : null },
      make("form.sign-in", { onsubmit }, key, button("Sign in", null, { type: "submit", kind: "primary" }))));
  input.focus();
  return {};
}
