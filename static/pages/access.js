// Keys and rules: who is calling, what the roles allow, and the keys that open the gateway.

import { paths, request } from "../core/api.js";
import { session } from "../core/session.js";
import { confirmRemoval, showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { toast } from "../parts/toast.js";
import { absent, button, empty, faultPanel, field, heading, loading, panel, plainError, table } from "../parts/ui.js";
import { rulesOf } from "./rules.js";

export const title = "Keys and rules";

export function open(root) {
  const who = make("div", {}, loading());
  const keys = make("div", {}, loading());
  const create = button("New key", () => ask(), { kind: "primary" });
  create.hidden = true;
  root.replaceChildren(
    heading("Keys and rules", "Who may do what here."),
    panel("You", { actions: [button(session.key === null ? "Sign in" : "Use another key", () => signIn())] }, who),
    panel("Keys", { actions: [create] }, keys));
  const rules = make("div", {});
  root.append(rules);

  async function load() {
    await Promise.all([showCaller(), showKeys()]);
  }

  async function showCaller() {
    try {
      const caller = await request("GET", paths.whoami);
      who.replaceChildren(...describe(caller));
      rules.replaceChildren(...rulesOf(caller));
    } catch (error) {
      who.replaceChildren(error.isAbsent ? openGate() : faultPanel(error, showCaller));
    }
  }

  async function showKeys() {
    try {
      const answer = await request("GET", paths.keys);
      const list = Array.isArray(answer) ? answer : answer.keys ?? [];
      create.hidden = false;
      if (list.length === 0) {
        keys.replaceChildren(empty("No keys yet. A key is shown once, when it is made; the gateway keeps only its hash."));
        return;
      }
      keys.replaceChildren(table("Keys", ["Name", "Key", "Roles", "Made", "Until", ""], list.map((one) => [
        one.name ?? one.label ?? one.id, make("code", {}, one.prefix ?? one.id ?? ""),
        make("span.badges", {}, rolesOf(one).map((role) => make("span.badge", {}, role))),
        day(one.createdAt ?? one.created), one.revoked || one.revokedAt ? "revoked" : day(one.expires ?? one.expiresAt) || "for ever",
        !(one.revoked || one.revokedAt) && button("Revoke", () => revoke(one), { label: `Revoke ${one.name ?? one.id}` }),
      ])));
    } catch (error) {
      create.hidden = true;
      keys.replaceChildren(error.isAbsent ? absent("keys", error) : faultPanel(error, showKeys));
    }
  }

  function revoke(one) {
    confirmRemoval(`Revoke ${one.name ?? one.id}?`, "Whoever uses this key is refused from now on. This cannot be undone.",
      async () => {
        await request("DELETE", paths.key(one.id));
        toast("The key is revoked.");
        await showKeys();
      }, "Revoke");
  }

  function ask() {
    const name = make("input", { type: "text", autocomplete: "off", required: true });
    const roles = make("input.mono", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "administrator" });
    const until = make("input", { type: "date" });
    showDialog({
      title: "New key", verb: "Make the key",
      body: make("div.fields", {},
        field("Name", name, { note: "For people: who or what will use it." }),
        field("Roles", roles, { note: "Roles of the configuration, with commas between." }),
        field("Until", until, { note: "The day it expires; empty for never." })),
      submit: async () => {
        if (name.value.trim() === "") throw plainError("Give the key a name, so that it can be told from others.");
        const body = { name: name.value.trim() };
        const wanted = roles.value.split(",").map((one) => one.trim()).filter(Boolean);
        if (wanted.length > 0) body.roles = wanted;
        if (until.value !== "") body.expires = `${until.value}T00:00:00Z`;
        const made = await request("POST", paths.keys, { body });
        showSecret(made);
        await showKeys();
      },
    });
  }

  load();
  return {};
}

/** The only time that anybody sees the key. */
function showSecret(made) {
  const secret = made.secret ?? made.key ?? made.token ?? "";
  const text = make("input.mono", { type: "text", readonly: true, value: secret, "aria-label": "The new key" });
  const copy = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(secret);
      copy.textContent = "Copied";
    } catch {
      // Without the clipboard (plain http on another host) the reader copies the marked text.
      text.focus();
      text.select();
      copy.textContent = "Press Ctrl C";
    }
  }, { kind: "primary" });
  showDialog({
    title: "Your new key", cancel: "I have stored it",
    body: make("div", {}, make("p", {}, "It is shown this once. Store it now; it cannot be read again."),
      make("div.line.secret", {}, text, copy)),
  });
}

function signIn() {
  const input = make("input.mono", { type: "password", autocomplete: "off", spellcheck: "false" });
  showDialog({
    title: "Use a key", verb: "Sign in",
    body: field("Key", input, { note: "It is kept for this tab alone and sent in a header." }),
    submit: async () => {
      const before = session.key;
      session.key = input.value.trim();
      try {
        await request("GET", paths.schema);
      } catch (error) {
        session.key = before;
        throw error;
      }
      location.reload();
    },
  });
}

function openGate() {
  return empty("This gateway has no access control: everybody who reaches it may do everything.");
}

function describe(caller) {
  const name = caller.name ?? caller.subject ?? caller.id ?? caller.principal?.name ?? "anonymous";
  const claims = caller.claims ?? caller.principal?.claims ?? {};
  const roles = rolesOf(caller);
  return [
    make("p.figure", {}, make("b", {}, String(name))),
    make("p", {}, roles.length > 0 ? ["Roles: ", make("span.badges", {}, roles.map((one) => make("span.badge", {}, one)))]
      : caller.administrator ? "You may do everything." : "You have no roles."),
    Object.keys(claims).length > 0 && table("Claims", ["Claim", "Value"],
      Object.entries(claims).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)])),
  ].filter(Boolean);
}

function rolesOf(one) {
  return one.roles ?? one.principal?.roles ?? (one.role ? [one.role] : []);
}

function day(text) {
  return typeof text === "string" ? text.slice(0, 10) : "";
}
