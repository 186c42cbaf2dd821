// The objects of a class: a query as a sentence, and its result as a table, in sections or in sums, kept live.

import { Problem, Unreachable } from "../core/api.js";
import { database } from "../core/database.js";
import { follow, go, nameOfHere } from "../core/navigation.js";
import { nextSort, objectAddress, placeAddress } from "../core/route.js";
import { tally } from "../core/values.js";
import { Announcer } from "../parts/announcer.js";
import { CommandBar } from "../parts/command-bar.js";
import { Completion, candidates } from "../parts/completion.js";
import { clearFault, showFault } from "../parts/fault.js";
import { toast } from "../parts/toast.js";
import { showTrail } from "../parts/trail.js";
import { explain } from "./explain.js";
import { Grid } from "./grid.js";
import { linkAddress } from "./links.js";
import { listSorting } from "./lists.js";
import { Pulse } from "./pulse.js";
import { Query, followed, parametersOf } from "./query.js";
import { SectionsView } from "./sections.js";
import { SummaryView } from "./summary.js";
import { Writing } from "./writing.js";

const typingPause = 220;
const patience = 800;

const byId = (id) => document.getElementById(id);
const predicate = byId("predicate");
const fault = byId("fault");
const tabs = [...document.querySelectorAll("[data-view]")];

let isOpen = false;
let place = null;
let objectClass = null;
let query = null;
/** What the stream brought since the last frame. */
let waiting = null;
let shownOrder = "";
/** When the predicate was last typed in, and the fault that waits for the writer to pause. */
let lastInput = -Infinity;
let refusal = null;

const commands = new CommandBar();
const pulse = new Pulse(byId("pulse"));
const grid = new Grid(byId("grid"), {
  sort: (property, additive) => {
    const path = database.schema.sortPath(property);
    if (path !== null) turn({ sort: nextSort(place.sort, path, additive) });
  },
  edit: (key, property, cell) => {
    if (place.snapshot === "") writing.edit(view(), key, property, cell);
    else Announcer.shared.say("A snapshot does not change.");
  },
  remove: (key) => {
    if (place.snapshot === "") writing.remove(view(), key);
  },
  open: (key) => follow(objectAddress(objectClass.name, key, place.snapshot)),
  address: (object, property, value) =>
    linkAddress(database.schema, objectClass, object, property, value, place.snapshot),
});
const writing = new Writing(grid, commands, created);
const others = {
  sections: new SectionsView(byId("other-view"), { turn: (change) => turn(change, { replace: true }), fail: refuse }),
  summary: new SummaryView(byId("other-view"), { turn: (change) => turn(change, { replace: true }), fail: refuse }),
};

const view = () => ({ objectClass, schema: database.schema, rows: query.rows });

// MARK: The page

export const title = "Objects";

export function open(_, at) {
  isOpen = true;
  objectClass = null;
  arrive(at);
  return {
    arrive,
    close,
    focus: () => grid.focus(),
    schemaChanged: () => {
      leave();
      arrive(place);
    },
    keys: {
      "/": () => {
        predicate.focus();
        predicate.select();
      },
      n: create,
      e: explainQuery,
      g: () => turn({ view: place.view === "summary" ? "" : "summary" }),
    },
  };
}

function close() {
  isOpen = false;
  leave();
}

/** Says that the gateway is not there, before there is anything else to say. */
export function showWaiting(error) {
  setState("waiting", error instanceof Unreachable || error instanceof Problem ? error.message : "Not reachable");
}

function turn(change, options) {
  go(placeAddress({ ...place, ...change }), options);
}

/** Shows the view that `at` names. */
function arrive(at) {
  place = at;
  const { schema } = database;
  const found = place.className === "" ? schema.classes[0] ?? null : schema.class(place.className);
  byId("query").hidden = found === null;
  byId("objects-foot").hidden = found === null;
  if (found === null) {
    leave();
    const isBare = schema.classes.length === 0;
    byId("class-name").textContent = isBare ? "No classes yet" : place.className;
    setState("waiting", isBare ? "Empty" : "No such class");
    showNotice(isBare ? "Make the first class with the schema editor, or PUT a schema to /v1/schema."
      : `There is no class ‘${place.className}’.`, isBare ? { href: "#schema", words: "Open the schema editor" } : null);
    return;
  }
  place.className = found.name;
  const source = `${found.name} ${place.snapshot}`;
  if (objectClass !== found || query?.source !== source) begin(found, source);
  if (predicate.value !== place.filter) predicate.value = place.filter;
  byId("clear-predicate").hidden = predicate.value === "";
  grid.columns.sorted(place.sort);
  listSorting(byId("sorting"), place.sort, (path) => turn({ sort: place.sort.filter((one) => one.path !== path) }));
  showDistinct();
  showTabs();
  showTrail(byId("trail"), found.name);
  commands.show(found.name, { ...parametersOf(place), limit: followed });
  clearTimeout(refusal);
  query.ask(place);
}

/** Starts over for a class, or another version of it. */
function begin(next, source) {
  leave();
  objectClass = next;
  query = new Query(next, {
    state: setState, sound, unsound, measured,
    rows: showSoon,
    tail: (differences) => grid.refreshTail(differences),
    elsewhere: () => {
      others[place.view]?.changed();
      showVersion();
    },
    recount: async () => {
      await database.count(next.name);
      if (objectClass === next) showTally();
    },
  });
  query.source = source;
  query.place = place;
  byId("grid").hidden = false;
  setState("connecting");
  grid.show(next, database.schema, query.rows);
  grid.isFrozen = place.snapshot !== "";
  byId("class-name").textContent = next.name;
  byId("create").hidden = next.isEmbedded || place.snapshot !== "";
  document.title = `${next.name} · Realmgate`;
  nameOfHere(() => (place.filter.trim() === "" ? objectClass?.name ?? "" : `${objectClass?.name} where …`));
  predicate.placeholder = example(next);
  showTally();
}

/** Lets everything go that belongs to a class. */
function leave() {
  query?.close();
  query = null;
  clearTimeout(refusal);
  writing.close();
  for (const one of Object.values(others)) one.close();
  waiting = null;
  objectClass = null;
  shownOrder = "";
  pulse.clear();
  clearFault(fault);
  commands.clear();
  byId("grid").hidden = true;
  byId("tally").textContent = "\u00a0";
  byId("version").textContent = "";
  showNotice(null);
}

function example(ofClass) {
  const string = ofClass.properties.find((one) => one.kind === "string" && !one.isKey);
  const number = ofClass.properties.find((one) => one.isNumeric && !one.isKey);
  const parts = [];
  if (number) parts.push(`${number.name} > 10`);
  if (string) parts.push(`${string.name} BEGINSWITH[c] 'a'`);
  return parts.length > 0 ? parts.join(" AND ") : "a predicate";
}

// MARK: What the query says

function sound() {
  clearFault(fault);
  predicate.removeAttribute("aria-invalid");
  byId("grid").classList.remove("stale");
  const order = JSON.stringify([place.className, place.filter, place.sort, place.distinct]);
  if (order !== shownOrder) grid.toTop();
  shownOrder = order;
  for (const [name, one] of Object.entries(others)) {
    if (name === place.view) one.show(objectClass, database.schema, place);
    else one.close();
  }
}

/** Who is still writing need not be told that the predicate is not complete. */
function unsound(problem, isFollowing) {
  refusal = setTimeout(() => {
    refuse(problem);
    if (!isFollowing) setState("waiting", "Not observing");
  }, Math.max(0, lastInput + patience - performance.now()));
}

function refuse(problem) {
  showFault(fault, predicate.value, problem, {
    fix: (better) => {
      predicate.value = better;
      predicate.focus();
      submitPredicate();
    },
  });
  if (problem.parameter === null || problem.parameter === "filter") predicate.setAttribute("aria-invalid", "true");
  byId("grid").classList.add("stale");
}

function measured(answer, count) {
  if (place.filter.trim() === "" && place.distinct === "" && place.snapshot === "") {
    database.counted(objectClass.name, count);
  }
  grid.columns.aggregates(answer);
  grid.refresh(null, count);
  showTally();
}

/** Shows changes with the next frame, together with those that come before it. */
function showSoon(changes) {
  if (changes === null) {
    waiting = null;
    shown(null);
    return;
  }
  if (waiting !== null) {
    waiting.merge(changes);
    return;
  }
  waiting = changes;
  requestAnimationFrame(() => {
    const all = waiting;
    waiting = null;
    if (all !== null && query !== null) shown(all);
  });
}

function shown(changes) {
  if (changes !== null && changes.count > 0) {
    pulse.add(changes);
    Announcer.shared.changed(changes);
    writing.close(changes.removed);
    others[place.view]?.changed();
  }
  grid.refresh(changes, query.selected);
  showVersion();
  showTally();
  if (changes !== null) query.measureSoon();
}

// MARK: Around the table

function showVersion() {
  const versions = [query.rows.version, query.version].filter((one) => one !== null);
  const last = versions.reduce((one, other) => (Number(other) > Number(one) ? other : one), versions[0] ?? null);
  byId("version").textContent = query.rows.version === null ? "" : `version ${place.snapshot === "" ? last : query.rows.version}`;
}

const words = { connecting: "Connecting", live: "Live", waiting: "Reconnecting…", frozen: "Snapshot" };

function setState(state, sentence = words[state]) {
  byId("state").dataset.state = state;
  if (byId("state-text").textContent !== sentence) byId("state-text").textContent = sentence;
}

function showTally() {
  const all = database.counts.get(objectClass.name);
  const noun = (count) => (count === 1 ? "object" : "objects");
  let sentence = "\u00a0";
  if (query.selected !== null) {
    const isAll = place.filter.trim() === "" && place.distinct === "";
    sentence = isAll || all === undefined || place.snapshot !== ""
      ? `${tally(query.selected)} ${noun(query.selected)}`
      : `${tally(query.selected)} of ${tally(all)} ${noun(all)}`;
  }
  byId("tally").textContent = sentence;
  const { rows } = query;
  if (rows.version === null || rows.rows.length > 0 || place.view !== "") showNotice(null);
  else if (place.filter.trim() === "") showNotice(`No ${objectClass.name} is stored yet.`);
  else showNotice(`No ${objectClass.name} satisfies this predicate.`);
}

function showNotice(sentence, link = null) {
  const notice = byId("notice");
  notice.hidden = sentence === null;
  notice.textContent = sentence ?? "";
  if (link === null) return;
  const made = document.createElement("a");
  made.href = link.href;
  made.textContent = link.words;
  notice.append(document.createElement("br"), made);
}

function showTabs() {
  const present = Object.hasOwn(others, place.view) ? place.view : "";
  for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.view === present));
  byId("grid").hidden = present !== "";
  byId("other-view").hidden = present === "";
}

function showDistinct() {
  const select = byId("distinct");
  const choices = objectClass.properties.map((one) => database.schema.sortPath(one)).filter((path) => path !== null);
  if (place.distinct !== "" && !choices.includes(place.distinct)) choices.push(place.distinct);
  select.replaceChildren(...["", ...choices].map((path) => {
    const option = document.createElement("option");
    option.value = path;
    option.textContent = path === "" ? "all" : path;
    return option;
  }));
  select.value = place.distinct;
}

// MARK: Input

let typing = null;

function submitPredicate() {
  clearTimeout(typing);
  if (isOpen && place !== null) turn({ filter: predicate.value }, { replace: true });
}

function create() {
  if (objectClass !== null && !objectClass.isEmbedded && place.snapshot === "") writing.create(view());
}

/** Says that an object was made, and shows it where it is. */
async function created(object) {
  const { name } = objectClass;
  const asked = query;
  const key = objectClass.keyOf(object);
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
    if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
  }
  const isHidden = index === null && place?.filter.trim() !== "";
  toast(`${name} ${key} was created.${isHidden ? " It does not satisfy the predicate." : ""}`, { link: open });
  if (query !== asked) return;
  others[place.view]?.changed();
  if (index !== null && place.view === "") grid.reveal(index, key);
}

async function explainQuery() {
  if (objectClass === null) return;
  try {
    await explain(objectClass.name, { ...query.parameters, limit: followed });
  } catch (error) {
    if (error instanceof Problem) refuse(error);
    else if (error instanceof Unreachable) setState("waiting", error.message);
    else throw error;
  }
}

// First, so that its keys come before those that leave the input.
new Completion(predicate, byId("completions"), {
  source: (text, caret) =>
    objectClass === null ? { start: 0, names: [] } : candidates(text, caret, objectClass, database.schema),
  changed: () => {
    byId("clear-predicate").hidden = false;
    submitPredicate();
  },
});
predicate.addEventListener("input", () => {
  lastInput = performance.now();
  clearTimeout(refusal);
  byId("clear-predicate").hidden = predicate.value === "";
  clearTimeout(typing);
  typing = setTimeout(submitPredicate, typingPause);
});
predicate.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "Escape") {
    event.preventDefault();
    grid.focus();
  }
});
byId("query").addEventListener("submit", (event) => {
  event.preventDefault();
  lastInput = -Infinity;
  submitPredicate();
});
byId("clear-predicate").addEventListener("click", () => {
  predicate.value = "";
  predicate.focus();
  submitPredicate();
});
for (const tab of tabs) tab.addEventListener("click", () => turn({ view: tab.dataset.view }));
byId("distinct").addEventListener("change", (event) => turn({ distinct: event.target.value }));
byId("create").addEventListener("click", create);
byId("explain").addEventListener("click", explainQuery);
database.addEventListener("counts", () => {
  if (isOpen && query !== null && objectClass !== null) showTally();
});
window.addEventListener("themechange", () => pulse.draw());
