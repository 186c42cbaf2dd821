// The roles of the gateway as a matrix of classes and operations, with the rules behind it.

import { isAbsent, paths } from "../core/api.js";
import { parse } from "../core/json.js";
import { currentPreview, beginPreview } from "../core/preview.js";
import { showDialog } from "../parts/dialog.js";
import { make } from "../parts/element.js";
import { button, faultPanel, field, loading, panel, plainError, table } from "../parts/ui.js";

const operations = ["read", "create", "update", "delete"];
const letters = { read: "R", create: "C", update: "U", delete: "D" };
const words = { all: "all objects", some: "some objects", none: "no objects" };

/** A panel that fills itself; it is empty where there are no roles, or for callers that may not list them. */
export function rolesPanel(app) {
  const root = make("div.stack", {});
  const load = async () => {
    root.replaceChildren(panel("Roles", {}, loading()));
    try {
      const { items } = await app.gateway.request("GET", paths.roles);
      const caller = await app.gateway.request("GET", paths.whoami);
      root.replaceChildren(matrix(items, app, caller.open !== true && currentPreview() === null), ...rules(items));
    } catch (error) {
      root.replaceChildren(...(isAbsent(error) ? [] : [panel("Roles", {}, faultPanel(error, load))]));
    }
  };
  load();
  return root;
}

function matrix(roles, app, canPreview) {
  const classes = roles[0]?.classes.map((one) => one.name) ?? [];
  const heads = ["Class", ...roles.map((role) => role.name)];
  const rows = classes.map((name, index) => [name, ...roles.map((role) => rightsOf(role.classes[index], role.name))]);
  if (canPreview) {
    rows.push(["Preview", ...roles.map((role) => make("span", {}, button("See as", () => ask(app, role.name), { label: `See as ${role.name}` })))]);
  }
  return panel("Roles", {
    note: "R reads, C creates, U updates, D deletes: filled for all objects of the class, outlined for those that a rule selects, a dot for none.",
  }, make("div.role-matrix", {}, table("Rights of the roles by class", heads, rows)));
}

/** Four marks, and the same in words. */
function rightsOf(one, role) {
  const limits = [
    one.readable && `reads only ${one.readable.join(", ") || "the key"}`, one.writable && `writes only ${one.writable.join(", ") || "nothing"}`,
  ].filter(Boolean);
  const said = operations.map((operation) => `${operation}: ${words[one[operation]]}`).join("; ");
  return make("span.rights", { title: [said, ...limits].join("; ") },
    operations.map((operation) => make("span.right-mark", { "data-right": one[operation], "aria-hidden": "true" },
      one[operation] === "none" ? "·" : letters[operation])),
    make("span.hidden", {}, `${role}: ${said}`),
    limits.length > 0 && make("span.limits", {}, limits.join("; ")));
}

function rules(roles) {
  const rows = roles.flatMap((role) => role.classes.flatMap((one) => Object.entries(one.rules ?? {}).map(([operation, predicate]) =>
    [role.name, one.name, operation, make("code", {}, predicate)])));
  return rows.length === 0 ? [] : [panel("Rules", { note: "The objects on which a role may do an operation." },
    table("Rules of the roles", ["Role", "Class", "Operation", "Objects"], rows))];
}

function ask(app, role) {
  const claims = make("textarea", { rows: "4", spellcheck: "false", value: "{}" });
  showDialog({
    title: `See as ${role}`, verb: "See as this role",
    body: make("div", {},
      make("p", {}, "This tab then shows what the role sees, by a read-only key of the role that expires in 15 minutes. A line at the top leads back to your own key, and revokes the other one."),
      field("Claims", claims, { note: "A JSON object with the values that the rules name as $claims, such as {\"shop\": 7}." })),
    submit: async () => {
      const value = parse(claims.value.trim() || "{}");
      if (value === null || typeof value !== "object" || Array.isArray(value)) throw plainError("Claims are a JSON object.");
      if (app.session.key === null) throw plainError("Sign in with a key first: the console must be able to come back to it.");
      await beginPreview(app, role, value);
      location.hash = "";
      location.reload();
    },
  });
}
