// The objects of a class: a query as a sentence, and its result as a table, in sections or as a summary, kept live.

import { RealmgateError, load, paths } from "../core/api.js";
import { nextSort, objectAddress, routeAddress } from "../core/route.js";
import { tally } from "../core/values.js";
import { CommandBar } from "../parts/command-bar.js";
import { Completion, candidates } from "../parts/completion.js";
import { clearFault, showFault } from "../parts/fault.js";
import { toast } from "../parts/toast.js";
import { longName } from "../parts/ui.js";
import { showTrail } from "../parts/trail.js";
import { narrowed } from "../charts/distribution.js";
import { ColumnCharts } from "./column-charts.js";
import { Grid } from "./grid.js";
import { Layout } from "./layout.js";
import { LinkCounts } from "./link-counts.js";
import { linkAddress } from "./links.js";
import { MapView } from "./map-view.js";
import { placesOf } from "./places.js";
import { listSorting } from "./lists.js";
import { Pulse } from "./pulse.js";
import { Queries, showQueries } from "./queries.js";
import { Query, followed, parametersOf } from "./query.js";
import { SectionsView } from "./sections.js";
import { SummaryView } from "./summary.js";
import { Writing } from "./writing.js";

const typingPause = 220;
const patience = 800;
/** How long a query is looked at before it is one of the recent ones, in milliseconds. */
const visitTime = 2500;
const words = { connecting: "Connecting", live: "Live", waiting: "Reconnecting…", frozen: "Snapshot" };

const byId = (id) => document.getElementById(id);

/** The page's elements are in the document from the start, so there is one object of this class, opened and closed. */
export class ClassPage {
  title = "Objects";
  keys = {
    "/": () => {
      this.#predicate.focus();
      this.#predicate.select();
    },
    n: () => this.#create(),
    f: () => this.#build(),
    e: () => this.#explain(),
    g: () => this.#turn({ view: this.#route.view === "summary" ? "" : "summary" }),
  };

  #app;
  #isOpen = false;
  #route = null;
  #objectClass = null;
  #query = null;
  /** The changes that the stream has brought since the last frame. */
  #waiting = null;
  #shownOrder = "";
  /** When the predicate was last edited, the timer that asks after a pause, and the one that shows a fault after one. */
  #lastInput = -Infinity;
  #typing = null;
  #refusal = null;

  #predicate = byId("predicate");
  #fault = byId("fault");
  #tabs = [...document.querySelectorAll("[data-view]")];
  #commands;
  #pulse = new Pulse(byId("pulse"));
  #grid;
  #charts;
  #counts;
  #layout = null;
  #queries = null;
  #visit = null;
  #bulk = null;
  #drawer = null;
  #writing;
  #views;

  constructor(app) {
    this.#app = app;
    const { gateway, database, announcer, navigation } = app;
    this.#commands = new CommandBar(app.session);
    this.#counts = new LinkCounts(gateway, () => this.#grid.recount());
    this.#grid = new Grid(byId("grid"), {
      sort: (property, additive) => {
        const path = database.schema.sortPath(property);
        if (path !== null) this.#turn({ sort: nextSort(this.#route.sort, path, additive) });
      },
      edit: (key, property, cell) => {
        if (this.#isFrozen) announcer.say("A snapshot cannot be edited.");
        else if (property.isEditable && !database.rights.mayWrite(this.#objectClass.name, property.name)) {
          announcer.say(`Your role may not change ${property.name}.`);
        }
        else this.#writing.edit(this.#edited, key, property, cell);
      },
      remove: (key) => {
        if (this.#isFrozen || !this.#may("delete")) return;
        // The key deletes what is selected, where the row is one of these.
        if (this.#grid.selection.size > 1 && this.#grid.selection.has(key)) this.#bulk?.remove();
        else this.#writing.remove(this.#edited, key);
      },
      open: (key) => navigation.follow(objectAddress(this.#objectClass.name, key, this.#route.snapshot)),
      look: (key) => this.#look(key),
      address: (object, property, value) =>
        linkAddress(database.schema, this.#objectClass, object, property, value, this.#route.snapshot),
      selected: () => this.#showBulk(),
    }, this.#counts);
    this.#charts = new ColumnCharts(gateway, byId("grid"), byId("charts"), {
      filter: (predicate) => this.#turn({ filter: narrowed(this.#route.filter, predicate) }),
    });
    this.#writing = new Writing(app, this.#grid, this.#commands, (object) => this.#created(object));
    const on = {
      turn: (change) => this.#turn(change, { replace: true }),
      fail: (problem) => this.#refuse(problem),
      chosen: () => this.#showCommands(),
    };
    this.#views = {
      sections: new SectionsView(gateway, byId("other-view"), on),
      summary: new SummaryView(gateway, byId("other-view"), on),
      map: new MapView(gateway, byId("other-view"), { ...on, open: (address) => navigation.follow(address) }),
    };
    this.#listen();
  }

  /** Shows an object beside the table. Its module is loaded when the first one is looked at. */
  async #look(key) {
    const root = byId("drawer");
    if (this.#drawer === null) {
      const { Drawer } = await load(() => import("./drawer.js"));
      this.#drawer ??= new Drawer(root, this.#app, () => this.#grid.focus());
      byId("grid").addEventListener("focusin", ({ target }) => {
        const row = target.closest(".row[data-key]");
        if (row && this.#drawer.isOpen && this.#objectClass !== null) this.#drawer.follow(this.#placeOf(row.dataset.key));
      });
    }
    if (this.#objectClass === null) return;
    this.#drawer.show(this.#placeOf(key));
    this.#app.announcer.say(`${this.#objectClass.name} ${key} is shown beside the table.`);
  }

  #placeOf(key) {
    return { className: this.#objectClass.name, key, snapshot: this.#route.snapshot };
  }

  get #isFrozen() {
    return this.#route.snapshot !== "";
  }

  /** Whether the caller may create, update or delete objects of the class. */
  #may(operation) {
    return this.#app.database.rights.may(operation, this.#objectClass.name);
  }

  /** What the writing of objects needs to know. */
  get #edited() {
    return { objectClass: this.#objectClass, schema: this.#app.database.schema, rows: this.#query.rows };
  }

  // MARK: The page

  open(_, route) {
    this.#isOpen = true;
    this.#objectClass = null;
    this.arrive(route);
    return this;
  }

  close() {
    this.#isOpen = false;
    this.#leave();
  }

  focus() {
    this.#grid.focus();
  }

  schemaChanged() {
    this.#leave();
    this.arrive(this.#route);
  }

  /** Says that the gateway cannot be reached, before there is anything to show. */
  showWaiting(error) {
    this.#setState("waiting", error instanceof RealmgateError ? error.message : "Not reachable");
  }

  #turn(change, options) {
    this.#app.navigation.go(routeAddress({ ...this.#route, ...change }), options);
  }

  /** Shows the view that `place` names. */
  arrive(route) {
    this.#route = route;
    const { database, navigation } = this.#app;
    const { schema } = database;
    const found = route.className === "" ? schema.classes[0] ?? null : schema.class(route.className);
    byId("query").hidden = found === null;
    byId("objects-foot").hidden = found === null;
    if (found === null) {
      this.#leave();
      this.#showAbsence(schema.classes.length === 0);
      return;
    }
    route.className = found.name;
    const source = `${found.name} ${route.snapshot}`;
    if (this.#objectClass !== found || this.#query?.source !== source) this.#begin(found, source);
    if (this.#predicate.value !== route.filter) this.#predicate.value = route.filter;
    byId("clear-predicate").hidden = this.#predicate.value === "";
    this.#grid.columns.sorted(route.sort);
    listSorting(byId("sorting"), route.sort, (path) =>
      this.#turn({ sort: this.#route.sort.filter((one) => one.path !== path) }));
    this.#showDistinct();
    this.#showTabs();
    showTrail(navigation, byId("trail"), found.name);
    this.#showCommands();
    clearTimeout(this.#refusal);
    this.#query.ask(route);
    // The selection of all that match ends with the query.
    this.#bulk?.show(true);
  }

  #showAbsence(isBare) {
    const { className } = this.#route;
    this.#showName(isBare ? "No classes yet" : className);
    this.#setState("waiting", isBare ? "Empty" : "No such class");
    const first = this.#app.database.schema.classes[0];
    this.#showNotice(
      isBare && !this.#app.database.rights.isAdministrator ? "Your role sees no classes. An administrator can grant it some."
        : isBare ? "Add the first class in the schema editor, or PUT a schema to /v1/schema."
        : `The schema has no class ‘${className}’. It may have been renamed or deleted.`,
      isBare ? { href: "#schema", words: "Open the schema" }
        : { href: routeAddress({ className: first.name }), words: `Show ${first.name}` });
  }

  #showName(name) {
    byId("class-name").textContent = name;
    byId("class-name").classList.toggle("long", name.length > longName);
  }

  /** Starts with a class, or with another version of it. */
  #begin(next, source) {
    this.#leave();
    const { gateway, database, navigation } = this.#app;
    this.#objectClass = next;
    this.#query = new Query(gateway, next, {
      state: (...state) => this.#setState(...state),
      sound: () => this.#sound(),
      unsound: (problem, isFollowing) => this.#unsound(problem, isFollowing),
      measured: (answer, count) => this.#measured(answer, count),
      rows: (changes) => this.#showSoon(changes),
      tail: (differences) => this.#grid.refreshTail(differences),
      elsewhere: () => {
        this.#views[this.#route.view]?.changed();
        this.#counts.refresh();
        this.#showVersion();
      },
      recount: async () => {
        await database.recount(next.name);
        if (this.#objectClass === next) this.#showTally();
      },
    });
    this.#query.source = source;
    this.#query.route = this.#route;
    byId("grid").hidden = false;
    this.#setState("connecting");
    this.#layout = new Layout(next);
    this.#queries = new Queries(next.name);
    this.#counts.begin(next, database.schema, this.#route.snapshot);
    this.#grid.permit({
      isFrozen: this.#isFrozen, deletes: this.#may("delete"),
      writes: (property) => property.isEditable && database.rights.mayWrite(next.name, property.name),
    });
    this.#grid.show(next, database.schema, this.#query.rows, this.#layout);
    this.#charts.show(next, database.schema, this.#grid.columns);
    this.#showName(next.name);
    byId("create").hidden = next.isEmbedded || this.#isFrozen || !this.#may("create");
    document.title = `${next.name} · Realmgate`;
    navigation.nameHere(() => {
      const name = this.#objectClass?.name ?? "";
      return this.#route.filter.trim() === "" ? name : `${name} where …`;
    });
    this.#predicate.placeholder = `All objects. Type a condition, such as ${example(next)}`;
    this.#showTally();
  }

  /** Ends everything that belongs to the class on the page. */
  #leave() {
    this.#query?.close();
    this.#query = null;
    clearTimeout(this.#refusal);
    this.#charts.close();
    clearTimeout(this.#visit);
    this.#writing.close();
    this.#counts.close();
    this.#drawer?.close();
    this.#grid.selection.clear();
    for (const one of Object.values(this.#views)) one.close();
    this.#waiting = null;
    this.#objectClass = null;
    this.#shownOrder = "";
    this.#pulse.clear();
    clearFault(this.#fault);
    byId("grid").parentElement.classList.remove("stale");
    this.#commands.clear();
    byId("grid").hidden = true;
    byId("tally").textContent = "\u00a0";
    byId("version").textContent = "";
    this.#showNotice(null);
  }

  // MARK: Reports of the query

  #sound() {
    clearFault(this.#fault);
    this.#predicate.removeAttribute("aria-invalid");
    this.#showStale(false);
    const { className, filter, sort, distinct, view } = this.#route;
    const order = JSON.stringify([className, filter, sort, distinct]);
    if (order !== this.#shownOrder) {
      this.#grid.toTop();
      this.#grid.selection.clear();
    }
    this.#remember();
    this.#shownOrder = order;
    for (const [name, one] of Object.entries(this.#views)) {
      if (name === view) one.show(this.#objectClass, this.#app.database.schema, this.#route);
      else one.close();
    }
  }

  /** Remembers a query that the reader stays with. */
  #remember() {
    clearTimeout(this.#visit);
    const route = this.#route;
    if (!this.#isFrozen) this.#visit = setTimeout(() => this.#queries?.visited(route), visitTime);
  }

  /** A predicate is incomplete while the reader types it: the fault is shown after a pause. */
  #unsound(problem, isFollowing) {
    this.#refusal = setTimeout(() => {
      this.#refuse(problem);
      if (!isFollowing) this.#setState("waiting", "Not observing");
    }, Math.max(0, this.#lastInput + patience - performance.now()));
  }

  #refuse(problem) {
    showFault(this.#fault, this.#predicate.value, problem, {
      fix: (better) => {
        this.#predicate.value = better;
        this.#predicate.focus();
        this.#submitPredicate();
      },
    });
    if (problem.parameter === null || problem.parameter === "filter") this.#predicate.setAttribute("aria-invalid", "true");
    this.#showStale(true);
  }

  /** Marks rows of another condition than the one in the field. */
  #showStale(isStale) {
    byId("grid").classList.toggle("stale", isStale);
    byId("grid").parentElement.classList.toggle("stale", isStale && !byId("grid").hidden && (this.#query?.rows.length ?? 0) > 0);
  }

  #measured(answer, count) {
    if (this.#selectsAll && !this.#isFrozen) this.#app.database.counted(this.#objectClass.name, count);
    this.#grid.columns.aggregates(answer);
    this.#charts.changed(this.#query.parameters, this.#query.version, count);
    this.#grid.refresh(null, count);
    this.#bulk?.show(true);
    this.#showTally();
    this.#showVersion();
  }

  /** Shows changes with the next frame, together with those that come before it. */
  #showSoon(changes) {
    if (changes === null) {
      this.#waiting = null;
      this.#show(null);
      return;
    }
    if (this.#waiting !== null) {
      this.#waiting.merge(changes);
      return;
    }
    this.#waiting = changes;
    requestAnimationFrame(() => {
      const all = this.#waiting;
      this.#waiting = null;
      if (all !== null && this.#query !== null) this.#show(all);
    });
  }

  #show(changes) {
    if (changes !== null && changes.count > 0) {
      this.#pulse.add(changes);
      this.#app.announcer.changed(changes);
      this.#writing.close(changes.removed);
      this.#grid.selection.drop(changes.removed);
      this.#counts.refresh();
      this.#views[this.#route.view]?.changed();
    }
    this.#grid.refresh(changes, this.#query.selected);
    this.#showVersion();
    this.#showTally();
    if (changes !== null) this.#query.measureSoon();
  }

  // MARK: Around the table

  get #selectsAll() {
    return this.#route.filter.trim() === "" && this.#route.distinct === "";
  }

  #showVersion() {
    const { rows, version } = this.#query;
    const versions = [rows.version, version].filter((one) => one !== null);
    const last = versions.reduce((one, other) => (Number(other) > Number(one) ? other : one), versions[0] ?? null);
    byId("version").textContent = rows.version === null ? "" : `version ${this.#isFrozen ? rows.version : last}`;
  }

  #setState(state, sentence = words[state]) {
    byId("state").dataset.state = state;
    if (byId("state-text").textContent !== sentence) byId("state-text").textContent = sentence;
  }

  #showTally() {
    const { name } = this.#objectClass;
    const all = this.#app.database.counts.get(name);
    const { selected, rows } = this.#query;
    const noun = (count) => (count === 1 ? "object" : "objects");
    let sentence = "\u00a0";
    if (selected !== null) {
      sentence = this.#selectsAll || all === undefined || this.#isFrozen
        ? `${tally(selected)} ${noun(selected)}`
        : `${tally(selected)} of ${tally(all)} ${noun(all)}`;
    }
    byId("tally").textContent = sentence;
    if (rows.version === null || rows.rows.length > 0 || this.#route.view !== "") this.#showNotice(null);
    else if (this.#route.filter.trim() === "") this.#showNotice(`${name} has no objects yet.`);
    else this.#showNotice(`No ${name} satisfies this condition.`);
  }

  #showNotice(sentence, link = null) {
    const notice = byId("notice");
    notice.hidden = sentence === null;
    notice.textContent = sentence ?? "";
    if (link === null) return;
    const made = document.createElement("a");
    made.href = link.href;
    made.textContent = link.words;
    notice.append(document.createElement("br"), made);
  }

  #showTabs() {
    const view = Object.hasOwn(this.#views, this.#route.view) ? this.#route.view : "";
    const hasPlaces = placesOf(this.#objectClass, this.#app.database.schema) !== null;
    for (const tab of this.#tabs) if (tab.dataset.view === "map") tab.hidden = !hasPlaces && view !== "map";
    for (const tab of this.#tabs) tab.setAttribute("aria-pressed", String(tab.dataset.view === view));
    byId("grid").hidden = view !== "";
    byId("other-view").hidden = view === "";
    byId("charts").hidden = view !== "";
  }

  /** The commands for what is on the page: the rows, the sections or the sums. */
  #showCommands() {
    const view = this.#views[this.#route.view];
    const parameters = parametersOf(this.#route);
    const { name } = this.#objectClass;
    if (view !== undefined) this.#commands.show(view.commands(this.#objectClass, this.#app.database.schema, this.#route));
    else this.#commands.show({
      query: [paths.collection(name), { ...parameters, limit: followed }],
      stream: parameters.snapshot === "" ? [paths.observe(name), { ...parameters, limit: followed, include: "objects" }] : null,
    });
  }

  #showDistinct() {
    const select = byId("distinct");
    const { schema } = this.#app.database;
    const { distinct } = this.#route;
    const choices = this.#objectClass.properties.map((one) => schema.sortPath(one)).filter((path) => path !== null);
    if (distinct !== "" && !choices.includes(distinct)) choices.push(distinct);
    select.replaceChildren(...["", ...choices].map((path) => {
      const option = document.createElement("option");
      option.value = path;
      option.textContent = path === "" ? "all" : path;
      return option;
    }));
    select.value = distinct;
  }

  // MARK: Input

  #listen() {
    const predicate = this.#predicate;
    // First, so that its keys come before those that leave the input.
    new Completion(predicate, byId("completions"), {
      source: (text, caret) => (this.#objectClass === null ? { start: 0, names: [] }
        : candidates(text, caret, this.#objectClass, this.#app.database.schema)),
      later: async (text, caret, signal) => {
        const { comparedAt, valueCandidates } = await load(() => import("./value-completion.js"));
        const found = this.#objectClass && comparedAt(text, caret, this.#objectClass, this.#app.database.schema);
        return found ? valueCandidates(this.#app.gateway, this.#objectClass, found, this.#route.snapshot, signal) : null;
      },
      changed: () => {
        byId("clear-predicate").hidden = false;
        this.#submitPredicate();
      },
    });
    predicate.addEventListener("input", () => {
      this.#lastInput = performance.now();
      clearTimeout(this.#refusal);
      byId("clear-predicate").hidden = predicate.value === "";
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#submitPredicate(), typingPause);
    });
    predicate.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "Escape") {
        event.preventDefault();
        this.#grid.focus();
      }
    });
    byId("query").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#lastInput = -Infinity;
      this.#submitPredicate();
    });
    byId("clear-predicate").addEventListener("click", () => {
      predicate.value = "";
      predicate.focus();
      this.#submitPredicate();
    });
    for (const tab of this.#tabs) tab.addEventListener("click", () => this.#turn({ view: tab.dataset.view }));
    byId("distinct").addEventListener("change", (event) => this.#turn({ distinct: event.target.value }));
    byId("build").addEventListener("click", () => this.#build());
    byId("create").addEventListener("click", () => this.#create());
    byId("explain").addEventListener("click", () => this.#explain());
    byId("columns").addEventListener("click", async () => {
      const { arrangeColumns } = await load(() => import("./arrangement.js"));
      if (this.#objectClass !== null) arrangeColumns(this.#layout, () => this.#grid.rearrange());
    });
    byId("queries").addEventListener("click", () => {
      if (this.#objectClass !== null) showQueries(this.#queries, this.#route, (address) => this.#app.navigation.go(address));
    });
    this.#app.database.addEventListener("counts", () => {
      if (!this.#isOpen || this.#query === null || this.#objectClass === null) return;
      this.#showTally();
      // The list of classes and the headline show one number.
      const all = this.#app.database.counts.get(this.#objectClass.name);
      if (this.#selectsAll && !this.#isFrozen && this.#query.selected !== null && all !== this.#query.selected) this.#query.measureSoon();
    });
    window.addEventListener("themechange", () => this.#pulse.draw());
  }

  #submitPredicate() {
    clearTimeout(this.#typing);
    if (this.#isOpen && this.#route !== null) this.#turn({ filter: this.#predicate.value }, { replace: true });
  }

  /** Choices in place of text. Their module is loaded for those who want them. */
  async #build() {
    const objectClass = this.#objectClass;
    if (objectClass === null) return;
    const { buildFilter } = await load(() => import("./filter-builder.js"));
    if (this.#objectClass !== objectClass) return;
    buildFilter({
      gateway: this.#app.gateway, schema: this.#app.database.schema, objectClass, route: { ...this.#route, filter: this.#predicate.value },
      apply: (filter) => this.#turn({ filter }),
    });
  }

  #create() {
    if (this.#objectClass !== null && !byId("create").hidden) this.#writing.create(this.#edited);
  }

  /** Reports that an object was created, and shows it where it is. */
  async #created(object) {
    const { name } = this.#objectClass;
    const asked = this.#query;
    const key = this.#objectClass.keyOf(object);
    const open = { href: objectAddress(name, key), words: "Open it" };
    let index = null;
    try {
      index = await asked.indexOf(key);
      await asked.measure(undefined);
      // The stream brings rows that are followed.
      for (let turn = 0; turn < 20 && index !== null && index < followed && asked.rows.indexOf(key) < 0; turn += 1) {
        await new Promise((done) => { setTimeout(done, 100); });
      }
    } catch (error) {
      if (!(error instanceof RealmgateError)) throw error;
    }
    const isHidden = index === null && this.#route?.filter.trim() !== "";
    toast(`${name} ${key} was created.${isHidden ? " It does not satisfy the condition." : ""}`, { link: open });
    if (this.#query !== asked) return;
    this.#views[this.#route.view]?.changed();
    if (index !== null && this.#route.view === "") this.#grid.reveal(index, key);
  }

  /** The bar of the selection, which most visits do without. */
  async #showBulk() {
    if (this.#bulk === null) {
      const { Bulk } = await load(() => import("./bulk.js"));
      this.#bulk ??= new Bulk(byId("selection"), this.#grid.selection, () => ({
        ...this.#edited, gateway: this.#app.gateway, filter: this.#route.filter, rights: this.#app.database.rights,
        // Of equal rows a distinct result shows one, and a snapshot cannot be edited.
        matching: this.#route.distinct === "" && !this.#isFrozen ? this.#query.selected : null,
      }));
    }
    this.#bulk.show();
  }

  async #explain() {
    if (this.#objectClass === null) return;
    try {
      const { explain } = await load(() => import("./explain.js"));
      await explain(this.#app.gateway, this.#objectClass.name, { ...this.#query.parameters, limit: followed });
    } catch (error) {
      if (!(error instanceof RealmgateError)) throw error;
      if (error.status === 0) this.#setState("waiting", error.message);
      else this.#refuse(error);
    }
  }
}

/** A predicate over properties that the class has. */
function example(objectClass) {
  const string = objectClass.properties.find((one) => one.kind === "string" && !one.isKey);
  const number = objectClass.properties.find((one) => one.isNumeric && !one.isKey);
  const parts = [];
  if (number) parts.push(`${number.path} > 10`);
  if (string) parts.push(`${string.path} BEGINSWITH[c] 'a'`);
  return parts.length > 0 ? parts.join(" AND ") : "TRUEPREDICATE";
}
