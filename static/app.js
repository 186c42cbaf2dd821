// The console's frame: the list of classes and pages, one page at a time, and the keys that work everywhere.

import { unreachable } from "./client/transport.js";
import { isUnloaded, load, paths } from "./core/api.js";
import { Database } from "./core/database.js";
import { Gateway } from "./core/gateway.js";
import { Navigation } from "./core/navigation.js";
import { readRoute, routeAddress } from "./core/route.js";
import { Session } from "./core/session.js";
import { ClassPage } from "./objects/class-page.js";
import { listClasses } from "./objects/lists.js";
import { Announcer } from "./parts/announcer.js";
import { prepareDialogs, showKeys } from "./parts/dialog.js";
import { toastFault } from "./parts/toast.js";
import { faultPanel, heading } from "./parts/ui.js";

const byId = (id) => document.getElementById(id);

/** Modules of pages, loaded when a page is opened first. The page of a class is there from the start. */
const modules = {
  object: () => import("./objects/object-page.js"),
  schema: () => import("./pages/schema.js"),
  diagram: () => import("./pages/diagram.js"),
  streams: () => import("./pages/streams.js"),
  snapshots: () => import("./pages/snapshots.js"),
  subscriptions: () => import("./pages/subscriptions.js"),
  transfer: () => import("./pages/transfer.js"),
  access: () => import("./pages/access.js"),
  metrics: () => import("./pages/metrics.js"),
  logs: () => import("./pages/logs.js"),
  backup: () => import("./pages/backup.js"),
  "sign-in": () => import("./pages/sign-in.js"),
  "first-steps": () => import("./pages/first-steps.js"),
  "not-found": () => import("./pages/not-found.js"),
};

/**
 * The console. It has all state that pages share, and is given to each of them; a page's own state is in the object that
 * opening it makes.
 */
class Console {
  session = new Session();
  gateway = new Gateway(this.session);
  database = new Database(this.gateway);
  navigation = new Navigation();
  announcer = new Announcer(byId("announcer"));
  /** The refusal that led to the sign-in, while there is one. */
  refusal = null;

  #objects = new ClassPage(this);
  /** The page that is open, with its name. */
  #shown = null;
  #turns = 0;

  begin() {
    this.#listen();
    prepareDialogs();
    this.#showTheme();
    this.#showPreview();
    this.navigation.begin(() => this.#arrive());
    this.#showCaller();
    this.database.poll();
  }

  // MARK: Pages

  async #arrive() {
    const route = readRoute();
    const name = this.refusal !== null ? "sign-in" : this.#pageOf(route);
    // The sign-in alone needs no schema.
    if (this.database.schema === null && name !== "sign-in") return;
    for (const id of ["classes", "pages"]) byId(id).hidden = this.refusal !== null;
    this.#markRail(route);
    const turn = ++this.#turns;
    if (this.#shown?.name === name && this.#shown.page.arrive) {
      this.#shown.page.arrive(route);
      return;
    }
    let module;
    try {
      module = name === "objects" ? this.#objects : await load(modules[name]);
    } catch (error) {
      if (turn === this.#turns) this.#showUnloaded(error);
      return;
    }
    if (turn !== this.#turns) return;
    // The page before works until this one has been loaded.
    const isFirst = this.#shown === null;
    this.#closePage();
    const root = byId("page");
    byId("objects-page").hidden = name !== "objects";
    root.hidden = name === "objects";
    root.replaceChildren();
    root.parentElement.scrollTo(0, 0);
    root.parentElement.dataset.page = name;
    const page = module.open(root, route, this);
    this.#shown = { name, page };
    if (name !== "objects") document.title = `${page.title ?? module.title} · Realmgate`;
    // So that the keyboard and a screen reader begin where the page begins.
    if (!isFirst) root.querySelector("h1")?.focus({ preventScroll: true });
  }

  #closePage() {
    this.#shown?.page.close?.();
    this.#shown = null;
  }

  /** Says that the module of a page could not be loaded, and tries again when the reader wants it. */
  #showUnloaded(error) {
    if (!isUnloaded(error)) throw error;
    this.#closePage();
    const root = byId("page");
    byId("objects-page").hidden = true;
    root.hidden = false;
    root.replaceChildren(heading("Not reachable", "The console could not load this page."),
      faultPanel(unreachable(error), () => this.#arrive()));
    document.title = "Not reachable · Realmgate";
    root.querySelector("h1").focus({ preventScroll: true });
  }

  #pageOf({ page, className }) {
    const isBare = this.database.schema?.classes.length === 0 && this.database.rights.isAdministrator;
    if (isBare && page === "objects" && className === "") return "first-steps";
    if (page === "objects") return page;
    return Object.hasOwn(modules, page) && page !== "first-steps" ? page : "not-found";
  }

  #markRail(route) {
    listClasses(byId("classes"), this.database, route);
    const { isAdministrator } = this.database.rights;
    for (const link of document.querySelectorAll("#pages a")) {
      link.parentElement.hidden = !isAdministrator && link.dataset.administrators !== undefined;
      if (link.getAttribute("href") !== `#${route.page}`) {
        link.removeAttribute("aria-current");
      } else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "page");
        link.scrollIntoView({ block: "nearest", inline: "center" });
      }
    }
  }

  #schemaChanged() {
    if (this.refusal === null) this.#markRail(readRoute());
    const { page, name } = this.#shown ?? {};
    if (page?.schemaChanged) {
      page.schemaChanged();
    } else if (page === undefined || name === "object" || name === "sign-in") {
      page?.close?.();
      // Opened again below, because what it shows may be of another form.
      if (page !== undefined) page.arrive = null;
      this.#arrive();
    }
  }

  // MARK: Signing in

  #refused(problem) {
    if (this.refusal !== null) return;
    this.refusal = problem;
    this.database.rest();
    this.#arrive();
  }

  async signedIn() {
    this.refusal = null;
    this.database.schema = null;
    this.#showCaller();
    await this.database.poll();
  }

  /** Names the caller at the button that signs out. */
  async #showCaller() {
    const button = byId("sign-out");
    button.hidden = this.session.key === null;
    if (this.session.key === null) return;
    try {
      const caller = await this.gateway.request("GET", paths.whoami);
      button.title = `Signed in as ${caller.subject ?? caller.role}`;
    } catch {
      // The button works without the name.
    }
  }

  /** Says that the tab shows what a role sees, while it does. */
  async #showPreview() {
    if (this.session.key === null) return;
    const { showPreview } = await load(() => import("./parts/preview-banner.js"));
    showPreview(this);
  }

  // MARK: Theme and keys

  #showTheme() {
    byId("theme").textContent = `Theme: ${window.realmgateTheme.current}`;
  }

  #turnTheme() {
    window.realmgateTheme.turn();
    this.#showTheme();
    dispatchEvent(new Event("themechange"));
  }

  #turnClass(step) {
    const { classes } = this.database.schema;
    const at = classes.findIndex((one) => one.name === readRoute().className);
    const next = classes[(Math.max(0, at) + step + classes.length) % classes.length];
    if (next) this.navigation.go(routeAddress({ className: next.name }), { trail: [] });
  }

  #pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, dialog") || document.querySelector("dialog[open]")) return;
    const actions = {
      "?": showKeys, u: () => document.querySelector("#toasts .toast:last-child .action")?.click(), t: () => this.#turnTheme(), "[": () => this.#turnClass(-1), "]": () => this.#turnClass(1),
    };
    const action = actions[event.key] ?? this.#shown?.page.keys?.[event.key];
    if (!action || this.database.schema === null) return;
    event.preventDefault();
    action();
  }

  #listen() {
    const { session, database, gateway } = this;
    session.whenRefused((problem) => this.#refused(problem));
    database.addEventListener("schema", () => this.#schemaChanged());
    database.addEventListener("counts", () => {
      if (this.refusal === null) this.#markRail(readRoute());
    });
    database.addEventListener("fault", ({ detail }) => {
      if (database.schema === null && this.refusal === null) this.#objects.showWaiting(detail);
    });
    window.addEventListener("pagehide", () => gateway.rest());
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
    document.addEventListener("keydown", (event) => this.#pressed(event));
    // Dialogs are loaded when they are opened first: the reader must see that one cannot be.
    window.addEventListener("unhandledrejection", (event) => {
      if (!isUnloaded(event.reason)) return;
      event.preventDefault();
      toastFault(unreachable(event.reason));
    });
    byId("sign-out").addEventListener("click", () => {
      session.key = null;
      location.reload();
    });
    byId("skip").addEventListener("click", () => {
      if (this.#shown?.page.focus) this.#shown.page.focus();
      else byId("page").querySelector("h1")?.focus();
    });
    byId("show-keys").addEventListener("click", showKeys);
    byId("theme").addEventListener("click", () => this.#turnTheme());
  }
}

new Console().begin();
