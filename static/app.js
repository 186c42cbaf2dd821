// The console's frame: the classes and pages beside, one page at a time, and the keys that hold everywhere.

import { paths, request } from "./core/api.js";
import { database } from "./core/database.js";
import { go, whenArriving } from "./core/navigation.js";
import { placeAddress, readPlace } from "./core/route.js";
import { session } from "./core/session.js";
import { listClasses } from "./objects/lists.js";
import * as objects from "./objects/class-page.js";
import { prepareDialogs, showKeys } from "./parts/dialog.js";
import { Announcer } from "./parts/announcer.js";

const byId = (id) => document.getElementById(id);

/** Pages other than the first are fetched when they are wanted. */
const pages = {
  objects: () => objects,
  object: () => import("./objects/object-page.js"),
  schema: () => import("./pages/schema.js"),
  streams: () => import("./pages/streams.js"),
  snapshots: () => import("./pages/snapshots.js"),
  subscriptions: () => import("./pages/subscriptions.js"),
  transfer: () => import("./pages/transfer.js"),
  access: () => import("./pages/access.js"),
  metrics: () => import("./pages/metrics.js"),
  "sign-in": () => import("./pages/sign-in.js"),
};
/** Pages that need no schema. */
const free = new Set(["sign-in"]);

let shown = null;
let turns = 0;
/** The refusal that led to the sign-in, while there is one. */
let locked = null;

async function arrive() {
  const place = readPlace();
  const name = locked !== null ? "sign-in" : Object.hasOwn(pages, place.page) ? place.page : "objects";
  if (database.schema === null && !free.has(name)) return;
  for (const id of ["classes", "pages"]) byId(id).hidden = locked !== null;
  markRail(place);
  if (shown?.name === name && shown.page.arrive) {
    shown.page.arrive(place);
    return;
  }
  const isFirst = shown === null;
  shown?.page.close?.();
  shown = null;
  const turn = ++turns;
  const module = await pages[name]();
  if (turn !== turns) return;
  const root = byId("page");
  byId("objects-page").hidden = name !== "objects";
  root.hidden = name === "objects";
  root.replaceChildren();
  root.parentElement.scrollTo(0, 0);
  const page = module.open(root, place, { problem: locked, signedIn });
  shown = { name, page };
  if (name !== "objects") document.title = `${page.title ?? module.title} · Realmgate`;
  // So that the keyboard and a screen reader begin where the page begins.
  if (!isFirst) root.querySelector("h1")?.focus({ preventScroll: true });
}

function markRail(place) {
  listClasses(byId("classes"), database, place);
  for (const link of document.querySelectorAll("#pages a")) {
    if (link.getAttribute("href") !== `#${place.page}`) {
      link.removeAttribute("aria-current");
    } else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
}

// MARK: Signing in

session.whenRefused((problem) => {
  if (locked !== null) return;
  locked = problem;
  database.rest();
  arrive();
});

async function signedIn() {
  locked = null;
  database.schema = null;
  showCaller();
  await database.poll();
}

/** Who is signed in, beside the pages. */
async function showCaller() {
  const button = byId("sign-out");
  button.hidden = session.key === null;
  if (session.key === null) return;
  try {
    const who = await request("GET", paths.whoami);
    button.title = `Signed in as ${who.subject ?? who.role}`;
  } catch {
    // The button says all that is needed.
  }
}

byId("sign-out").addEventListener("click", () => {
  session.key = null;
  location.reload();
});

// MARK: The database

database.addEventListener("schema", () => {
  if (locked === null) markRail(readPlace());
  if (shown?.page.schemaChanged) {
    shown.page.schemaChanged();
  } else if (shown === null || shown.name === "objects" || shown.name === "object" || shown.name === "sign-in") {
    shown?.page.close?.();
    if (shown !== null) shown.page.arrive = null;
    arrive();
  }
});
database.addEventListener("counts", () => {
  if (locked === null) markRail(readPlace());
});
database.addEventListener("fault", ({ detail }) => {
  if (database.schema === null && locked === null) objects.showWaiting(detail);
});

// MARK: Theme and keys

function showTheme() {
  byId("theme").textContent = { auto: "Theme: auto", light: "Theme: light", dark: "Theme: dark" }[
    window.realmgateTheme.current];
}

function turnTheme() {
  window.realmgateTheme.turn();
  showTheme();
  dispatchEvent(new Event("themechange"));
}

function turnClass(step) {
  const { classes } = database.schema;
  const at = classes.findIndex((one) => one.name === readPlace().className);
  const next = classes[(Math.max(0, at) + step + classes.length) % classes.length];
  if (next) go(placeAddress({ className: next.name }), { trail: [] });
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, dialog") || document.querySelector("dialog[open]")) return;
  const actions = { "?": showKeys, t: turnTheme, "[": () => turnClass(-1), "]": () => turnClass(1) };
  const action = actions[event.key] ?? shown?.page.keys?.[event.key];
  if (!action || database.schema === null) return;
  event.preventDefault();
  action();
});

byId("skip").addEventListener("click", () => {
  if (shown?.page.focus) shown.page.focus();
  else byId("page").querySelector("h1")?.focus();
});
byId("show-keys").addEventListener("click", showKeys);
byId("theme").addEventListener("click", turnTheme);

prepareDialogs();
showTheme();
Announcer.shared = new Announcer(byId("announcer"));
whenArriving(arrive);
showCaller();
database.poll();
