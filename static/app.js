// The console's frame: the list of classes and pages, one page at a time, and the keys that work everywhere.

import { paths } from "./core/api.js";
import { Database } from "./core/database.js";
import { Gateway } from "./core/gateway.js";
import { Navigation } from "./core/navigation.js";
import { placeAddress, readPlace } from "./core/route.js";
import { Session } from "./core/session.js";
import { ClassPage } from "./objects/class-page.js";
import { listClasses } from "./objects/lists.js";
import { Announcer } from "./parts/announcer.js";
import { prepareDialogs, showKeys } from "./parts/dialog.js";

const byId = (id) => document.getElementById(id);

/** Modules of pages, loaded when a page is opened first. The page of a class is there from the start. */
const modules = {
  object: () => import("./objects/object-page.js"),
  schema: () => import("./pages/schema.js"),
  streams: () => import("./pages/streams.js"),
  snapshots: () => import("./pages/snapshots.js"),
  subscriptions: () => import("./pages/subscriptions.js"),
  transfer: () => import("./pages/transfer.js"),
  access: () => import("./pages/access.js"),
  metrics: () => import("./pages/metrics.js"),
  "sign-in": () => import("./pages/sign-in.js"),
  "first-steps": () => import("./pages/first-steps.js"),
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
    this.navigation.begin(() => this.#arrive());
    this.#showCaller();
    this.database.poll();
  }

  // MARK: Pages

  async #arrive() {
    const place = readPlace();
    const name = this.refusal !== null ? "sign-in" : this.#pageOf(place);
    // The sign-in alone needs no schema.
    if (this.database.schema === null && name !== "sign-in") return;
    for (const id of ["classes", "pages"]) byId(id).hidden = this.refusal !== null;
    this.#markRail(place);
    if (this.#shown?.name === name && this.#shown.page.arrive) {
      this.#shown.page.arrive(place);
      return;
    }
    const isFirst = this.#shown === null;
    this.#shown?.page.close?.();
    this.#shown = null;
    const turn = ++this.#turns;
    const module = name === "objects" ? this.#objects : await modules[name]();
    if (turn !== this.#turns) return;
    const root = byId("page");
    byId("objects-page").hidden = name !== "objects";
    root.hidden = name === "objects";
    root.replaceChildren();
    root.parentElement.scrollTo(0, 0);
    const page = module.open(root, place, this);
    this.#shown = { name, page };
    if (name !== "objects") document.title = `${page.title ?? module.title} · Realmgate`;
    // So that the keyboard and a screen reader begin where the page begins.
    if (!isFirst) root.querySelector("h1")?.focus({ preventScroll: true });
  }

  #pageOf({ page, className }) {
    const isBare = this.database.schema?.classes.length === 0;
    if (isBare && page === "objects" && className === "") return "first-steps";
    return Object.hasOwn(modules, page) && page !== "first-steps" ? page : "objects";
  }

  #markRail(place) {
    listClasses(byId("classes"), this.database, place);
    for (const link of document.querySelectorAll("#pages a")) {
      if (link.getAttribute("href") !== `#${place.page}`) {
        link.removeAttribute("aria-current");
      } else if (!link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "page");
        link.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    }
  }

  #schemaChanged() {
    if (this.refusal === null) this.#markRail(readPlace());
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
    const at = classes.findIndex((one) => one.name === readPlace().className);
    const next = classes[(Math.max(0, at) + step + classes.length) % classes.length];
    if (next) this.navigation.go(placeAddress({ className: next.name }), { trail: [] });
  }

  #pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, dialog") || document.querySelector("dialog[open]")) return;
    const actions = {
      "?": showKeys, t: () => this.#turnTheme(), "[": () => this.#turnClass(-1), "]": () => this.#turnClass(1),
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
      if (this.refusal === null) this.#markRail(readPlace());
    });
    database.addEventListener("fault", ({ detail }) => {
      if (database.schema === null && this.refusal === null) this.#objects.showWaiting(detail);
    });
    window.addEventListener("pagehide", () => gateway.rest());
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) gateway.reconnect();
    });
    document.addEventListener("keydown", (event) => this.#pressed(event));
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
