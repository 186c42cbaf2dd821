// Seeing the database as a role: this tab uses a read-only key of that role for a while, and its own key again afterwards.

import { paths } from "./api.js";

const name = "realmgate.preview";
/** Seconds. A key that is forgotten is worth nothing soon. */
const lifetime = 900;

/** The preview of this tab: `{role, id, back, expires}`; null where there is none. */
export function currentPreview() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(name) ?? "null");
    return kept !== null && typeof kept.role === "string" && typeof kept.back === "string" ? kept : null;
  } catch {
    return null;
  }
}

/** Makes a read-only key of the role and turns this tab over to it. Throws the gateway's refusal. */
export async function beginPreview({ gateway, session }, role, claims) {
  const made = await gateway.request("POST", paths.keys, {
    body: { name: `See as ${role}`.slice(0, 200), role, claims, readOnly: true, expiresIn: lifetime },
  });
  const back = session.key;
  try {
    sessionStorage.setItem(name, JSON.stringify({ role, id: made.id, back, expires: made.expires }));
  } catch {
    // Without storage the tab could not come back.
    await gateway.request("DELETE", paths.key(made.id));
    throw new Error("This browser keeps nothing for the tab, so the console could not come back to your key.");
  }
  session.key = made.secret;
}

/** Turns the tab over to its own key again, and revokes the other one. */
export async function endPreview({ gateway, session }) {
  const preview = currentPreview();
  if (preview === null) return;
  sessionStorage.removeItem(name);
  session.key = preview.back;
  await gateway.request("DELETE", paths.key(preview.id));
}
