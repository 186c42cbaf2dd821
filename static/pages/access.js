// Keys and rules: who is calling, what the roles allow, and the keys that open the gateway.

import { isAbsent, paths } from "../core/api.js";
import { stringify } from "../core/json.js";
import { copyText } from "../parts/copy.js";
import { confirmRemoval, showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { toast } from "../parts/toast.js";
import { absent, button, check, empty, faultPanel, field, heading, loading, panel, plainError, table } from "../parts/ui.js";
import { rolesPanel } from "./roles.js";
import { rulesOf } from "./rules.js";

export const title = "Keys and rules";

export function open(root, _, app) {
  const { gateway, session } = app;
  const who = make("div", {}, loading());
  const keys = make("div", {}, loading());
  const create = button("New key", () => ask(), { kind: "primary" });
  create.hidden = true;
  root.replaceChildren(
    heading("Keys and rules", "Who may do what on this gateway."),
    panel("You", { actions: [button(session.key === null ? "Sign in" : "Use another key", () => signIn(gateway, session))] }, who),
    panel("Keys", { actions: [create] }, keys));
  const rules = make("div", {});
  root.append(rules, rolesPanel(app));

  async function load() {
    await Promise.all([showCaller(), showKeys()]);
  }

  async function showCaller() {
    try {
      const caller = await gateway.request("GET", paths.whoami);
      who.replaceChildren(...describe(caller));
      rules.replaceChildren(...rulesOf(caller));
    } catch (error) {
      who.replaceChildren(isAbsent(error) ? openGate() : faultPanel(error, showCaller));
    }
  }

  async function showKeys() {
    try {
      const answer = await gateway.request("GET", paths.keys);
      const list = answer.items;
      create.hidden = false;
      if (list.length === 0) {
        keys.replaceChildren(empty("No keys yet. The gateway shows a key once, when it is created, and keeps only its hash."));
        return;
      }
      keys.replaceChildren(table("Keys", ["Name", "Id", "Roles", "Created (UTC)", "Last used (UTC)", "Expires (UTC)", ""], list.map((one) => [
        one.name, make("code", {}, one.id),
        make("span.badges", {}, one.roles.map((role) => make("span.badge", {}, role)),
          one.readOnly && make("span.badge", {}, "read-only")),
        day(one.created), day(one.lastUsed) || "never", one.revoked ? "revoked" : day(one.expires) || "never",
        !one.revoked && button("Revoke", () => revoke(one), { label: `Revoke ${one.name}` }),
      ])));
    } catch (error) {
      create.hidden = true;
      keys.replaceChildren(isAbsent(error) ? absent("keys", error) : faultPanel(error, showKeys));
    }
  }

  function revoke(one) {
    confirmRemoval(`Revoke ${one.name}?`, "The gateway refuses this key from now on. This cannot be undone.",
      async () => {
        await gateway.request("DELETE", paths.key(one.id));
        toast("The key was revoked.");
        await showKeys();
      }, "Revoke");
  }

  function ask() {
    const name = make("input", { type: "text", autocomplete: "off", required: true });
    const roles = make("input.mono", { type: "text", autocomplete: "off", spellcheck: "false", value: "admin" });
    const readOnly = check("Read-only");
    const until = make("input", { type: "date" });
    showDialog({
      title: "New key", verb: "Create the key",
      body: make("div.fields", {},
        field("Name", name, { note: "Who or what uses the key." }),
        field("Roles", roles, { note: "Roles of the configuration, separated by commas." }),
        field("Expires", until, { note: "The key expires at the beginning of this day, in UTC. Leave this empty for a key that never expires." }), readOnly),
      submit: async () => {
        if (name.value.trim() === "") throw plainError("Enter a name for the key.");
        const body = { name: name.value.trim() };
        const wanted = roles.value.split(",").map((one) => one.trim()).filter(Boolean);
        if (wanted.length > 0) body.roles = wanted;
        if (readOnly.querySelector("input").checked) body.readOnly = true;
        if (until.value !== "") body.expires = `${until.value}T00:00:00Z`;
        const made = await gateway.request("POST", paths.keys, { body });
        // The first key closes a gateway that was open: who made it must not be locked out by it.
        const isFirst = session.key === null;
        if (isFirst) session.key = made.secret;
        showSecret(made, isFirst);
        if (!isFirst) await showKeys();
      },
    });
  }

  load();
  return {};
}

/** Shows a new key; nobody can read it later. */
function showSecret({ secret }, isUsed) {
  const text = make("input.mono", { type: "text", readonly: true, value: secret, "aria-label": "The new key" });
  const copy = button("Copy", () => copyText(secret, copy, () => {
    text.focus();
    text.select();
  }), { kind: "primary" });
  const dialog = showDialog({
    title: "Your new key", cancel: "I have stored it",
    body: make("div", {}, make("p", {}, "The gateway shows this key only now. Store it before you close this dialog."),
      isUsed && make("p", {}, "From now on the gateway needs a key from every caller. This tab uses the new one."),
      make("div.line.secret", {}, text, copy)),
  });
  if (isUsed) dialog.addEventListener("close", () => location.reload());
}

function signIn(gateway, session) {
  const input = make("input.mono", { type: "password", autocomplete: "off", spellcheck: "false" });
  showDialog({
    title: "Use a key", verb: "Sign in",
    body: field("Key", input, { note: "The console keeps it for this tab and sends it in a header." }),
    submit: async () => {
      const before = session.key;
      session.key = input.value.trim();
      try {
        await gateway.request("GET", paths.schema);
      } catch (error) {
        session.key = before;
        throw error;
      }
      location.reload();
    },
  });
}

function openGate() {
  return empty("This gateway has no access control: every caller may do everything.");
}

function describe(caller) {
  const claims = Object.entries(caller.claims ?? {});
  const how = { none: "without a key", key: `with key ${caller.key}`, token: "with a token" }[caller.credential];
  return [
    make("p.figure", {}, make("b", {}, caller.subject ?? (caller.administrator ? "Administrator" : caller.role)), ` ${how}`),
    caller.open && make("p.note", {}, "The gateway is open: it has no keys yet, and every caller may do everything."),
    make("p", {}, "Role ", make("span.badge", {}, caller.role),
      caller.expires && `, until ${caller.expires.slice(0, 16).replace("T", " ")} UTC`),
    claims.length > 0 && table("Claims", ["Claim", "Value"],
      claims.map(([name, value]) => [name, typeof value === "string" ? value : stringify(value)])),
  ].filter(Boolean);
}

function day(text) {
  return typeof text === "string" ? text.slice(0, 10) : "";
}
