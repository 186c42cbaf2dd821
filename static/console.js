// The console: one view of one class, kept live.

import { Announcer } from "./announcer.js";
import { Problem, Unreachable, paths, queryString, request } from "./api.js";
import { CommandBar } from "./command-bar.js";
import { Completion, candidates } from "./completion.js";
import { prepareDialogs, showKeys } from "./dialogs.js";
import { explain } from "./explain.js";
import { clearFault, showFault } from "./fault.js";
import { showGroups } from "./groups.js";
import { Grid } from "./grid.js";
import { stringify } from "./json.js";
import { linkAddress } from "./links.js";
import { listClasses, listSorting } from "./lists.js";
import { LiveRows } from "./live-rows.js";
import { nextSort, placeAddress, readPlace, sortText } from "./place.js";
import { Pulse } from "./pulse.js";
import { Schema } from "./schema.js";
import { Stream } from "./stream.js";
import { tally } from "./values.js";
import { Writing } from "./writing.js";

const firstLimit = 200;
/** The gateway gives no more objects at once. */
const lastLimit = 10_000;
const typingPause = 220;
const patience = 800;
const pollPause = 5000;

const byId = (id) => document.getElementById(id);
const predicate = byId("predicate");
const fault = byId("fault");
const notice = byId("notice");

let schema = null;
let objectClass = null;
let place = { className: "", filter: "", sort: [] };
let limit = firstLimit;
let rows = null;
let stream = null;
/** The number of objects that the predicate selects, and of all objects by class. */
let selected = null;
const counts = new Map();
let question = null;
/** What the stream brought since the last frame. */
let waiting = null;
let shownOrder = "";
/** When the predicate was last typed in, and the fault that waits for the writer to pause. */
let lastInput = -Infinity;
let refusal = null;

const commands = new CommandBar();
const announcer = new Announcer(byId("announcer"));
const pulse = new Pulse(byId("pulse"));
const grid = new Grid(byId("grid"), {
  sort: (property, additive) => {
    const path = schema.sortPath(property);
    if (path !== null) go({ sort: nextSort(place.sort, path, additive) });
  },
  edit: (key, property, cell) => writing.edit(view(), key, property, cell),
  remove: (key) => writing.remove(view(), key),
  more: () => {
    limit = Math.min(limit * 2, lastLimit);
    load();
  },
  address: (object, property, value) => linkAddress(schema, objectClass, object, property, value),
});

const writing = new Writing(grid, commands, announcer);

const view = () => ({ objectClass, schema, rows });

// MARK: Where we are

/** Moves to another view; typing replaces the entry in the history, everything else adds one. */
function go(change, { replace = false } = {}) {
  place = { ...place, ...change };
  const address = placeAddress(place);
  if (address === location.hash) {
    arrive();
    return;
  }
  history[replace ? "replaceState" : "pushState"](null, "", address);
  arrive();
}

/** Shows the view that `place` names. */
function arrive() {
  if (schema.classes.length === 0) {
    showNotice("There are no classes yet. PUT a schema to /v1/schema to begin.");
    return;
  }
  const found = schema.class(place.className);
  byId("grid").hidden = found === null && place.className !== "";
  if (byId("grid").hidden) {
    leave();
    return;
  }
  const next = found ?? schema.classes[0];
  place.className = next.name;
  if (objectClass !== next) {
    objectClass = next;
    limit = firstLimit;
    selected = null;
    stream?.close();
    stream = null;
    waiting = null;
    rows = new LiveRows((object) => next.keyOf(object));
    writing.close();
    setState("connecting");
    grid.show(next, schema, rows);
    pulse.clear();
    byId("version").textContent = "";
    byId("class-name").textContent = next.name;
    byId("create").hidden = next.isEmbedded;
    document.title = `${next.name} · Realmgate`;
    predicate.placeholder = example(next);
    showTally();
  }
  if (predicate.value !== place.filter) predicate.value = place.filter;
  byId("clear-predicate").hidden = predicate.value === "";
  grid.columns.sorted(place.sort);
  showSorting();
  showClasses();
  load();
}

/** Shows that there is no such class. */
function leave() {
  question?.abort();
  clearTimeout(refusal);
  stream?.close();
  stream = null;
  writing.close();
  objectClass = null;
  pulse.clear();
  clearFault(fault);
  byId("class-name").textContent = place.className;
  byId("tally").textContent = "\u00a0";
  byId("version").textContent = "";
  commands.clear();
  setState("waiting", "No such class");
  showClasses();
  showNotice(`There is no class ‘${place.className}’.`);
}

function example(ofClass) {
  const string = ofClass.properties.find((one) => one.kind === "string" && !one.isKey);
  const number = ofClass.properties.find((one) => one.isNumeric && !one.isKey);
  const parts = [];
  if (number) parts.push(`${number.name} > 10`);
  if (string) parts.push(`${string.name} BEGINSWITH[c] 'a'`);
  return parts.length > 0 ? parts.join(" AND ") : "a predicate";
}

function parameters() {
  return { filter: place.filter.trim(), sort: sortText(place.sort), limit };
}

// MARK: Loading

/** Asks whether the query is sound and how much it selects, then opens its stream. */
async function load() {
  question?.abort();
  clearTimeout(refusal);
  question = new AbortController();
  const { signal } = question;
  const asked = objectClass;
  showCommand();
  try {
    await ask(signal);
    // The sort is checked by the collection; the aggregates do not know it.
    if (place.sort.length > 0) {
      await request("GET", paths.collection(asked.name), { query: { ...parameters(), limit: 0 }, signal });
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof Problem && error.status < 500) {
      // Who is still writing need not be told that the predicate is not complete.
      refusal = setTimeout(() => refuse(error), Math.max(0, lastInput + patience - performance.now()));
      return;
    }
    setState("waiting", error instanceof Unreachable ? "Gateway not reachable" : error.message);
    setTimeout(() => {
      if (!signal.aborted) load();
    }, 2000);
    if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
    return;
  }
  clearFault(fault);
  predicate.removeAttribute("aria-invalid");
  byId("grid").classList.remove("stale");
  open();
}

/** The tally and the aggregates of the query. Without a signal the answer is dropped when the view has changed. */
async function ask(signal) {
  const asked = placeAddress(place);
  if (objectClass === null) return;
  const measured = objectClass.properties.filter((one) => !one.isKey && (one.isNumeric || one.kind === "date"));
  const answer = await request("GET", paths.aggregates(objectClass.name), {
    query: {
      filter: place.filter.trim(),
      min: measured.map((one) => one.name),
      max: measured.map((one) => one.name),
      average: measured.filter((one) => one.isNumeric).map((one) => one.name),
    },
    signal,
  });
  if (placeAddress(place) !== asked) return;
  selected = answer.count;
  if (place.filter.trim() === "" && counts.get(objectClass.name) !== answer.count) {
    counts.set(objectClass.name, answer.count);
    showClasses();
  }
  grid.columns.aggregates(measured.length > 0 ? answer : null);
  showTally();
}

function refuse(problem) {
  showFault(fault, predicate.value, problem, {
    fix: (better) => {
      predicate.value = better;
      predicate.focus();
      submitPredicate();
    },
  });
  predicate.setAttribute("aria-invalid", "true");
  byId("grid").classList.add("stale");
  if (stream === null) setState("waiting", "Not observing");
}

function open() {
  const url = paths.observe(objectClass.name) + queryString({ ...parameters(), include: "objects" });
  if (stream?.url === url) return;
  stream?.close();
  const owner = rows;
  const order = JSON.stringify([objectClass.name, place.filter, place.sort]);
  if (order !== shownOrder) grid.toTop();
  shownOrder = order;
  let fresh = true;
  stream = new Stream(url, {
    initial: (event) => {
      // The first answer to a new question is simply shown; after a reconnect, what changed meanwhile is marked.
      const changes = owner.initial(event);
      if (fresh) shown(null);
      else showSoon(changes);
      fresh = false;
    },
    update: (event) => showSoon(owner.update(event)),
    state: (state) => setState(state),
    refused: () => load(),
  });
}

/** Shows changes with the next frame, together with those that come before it. */
function showSoon(changes) {
  if (waiting !== null) {
    waiting.merge(changes);
    return;
  }
  waiting = changes;
  requestAnimationFrame(() => {
    const all = waiting;
    waiting = null;
    if (all !== null && objectClass !== null) shown(all);
  });
}

function shown(changes) {
  if (changes === null) waiting = null;
  if (changes !== null && changes.count > 0) {
    pulse.add(changes);
    announcer.changed(changes);
    writing.close(changes.removed);
  }
  grid.refresh(changes, selected);
  byId("version").textContent = `version ${rows.version}`;
  showTally();
  if (changes !== null) askSoon();
}

// MARK: Around the table

const words = { connecting: "Connecting", live: "Live", waiting: "Reconnecting…" };

function setState(state, sentence = words[state]) {
  byId("state").dataset.state = state;
  if (byId("state-text").textContent !== sentence) byId("state-text").textContent = sentence;
}

function showTally() {
  const all = counts.get(objectClass.name);
  const noun = (count) => (count === 1 ? "object" : "objects");
  let sentence = "\u00a0";
  if (selected !== null) {
    sentence =
      place.filter.trim() === "" || all === undefined
        ? `${tally(selected)} ${noun(selected)}`
        : `${tally(selected)} of ${tally(all)} ${noun(all)}`;
  }
  byId("tally").textContent = sentence;
  const rest = (selected ?? 0) - rows.rows.length;
  const part = `${tally(rows.rows.length)} of ${tally(selected ?? 0)}`;
  if (rest <= 0 || rows.rows.length < limit) grid.showMore(null);
  else if (limit < lastLimit) grid.showMore(`Showing ${part} – load more`);
  else grid.showMore(`Showing ${part}; a predicate narrows it down`, { atEnd: true });
  if (rows.version === null || rows.rows.length > 0) showNotice(null);
  else if (place.filter.trim() === "") showNotice(`No ${objectClass.name} is stored yet.`);
  else showNotice(`No ${objectClass.name} satisfies this predicate.`);
}

function showNotice(sentence) {
  notice.hidden = sentence === null;
  notice.textContent = sentence ?? "";
}

function showSorting() {
  listSorting(byId("sorting"), place.sort, (path) => go({ sort: place.sort.filter((one) => one.path !== path) }));
}

function showClasses() {
  listClasses(byId("classes"), schema, objectClass, counts);
}

// MARK: Numbers that follow the data

let askTimer = null;

/** The tally and the aggregates again, soon, but not for every one of many changes. */
function askSoon() {
  askTimer ??= setTimeout(async () => {
    askTimer = null;
    try {
      await ask(undefined);
      if (place.filter.trim() !== "") await countAll(objectClass);
    } catch {
      // The stream notices when the gateway is gone; the numbers stay as they were.
    }
  }, 400);
}

async function poll() {
  try {
    if (document.visibilityState === "visible") {
      const source = await request("GET", paths.schema);
      if (schema === null || stringify(source) !== schema.text) adoptSchema(source);
      for (const one of schema.classes) await countAll(one);
    }
  } catch (error) {
    if (schema === null) setState("waiting", error.message);
  }
  setTimeout(poll, schema === null ? 1000 : Math.max(pollPause, 50 * counts.size));
}

/** The number of all objects of a class, for the list and the tally. */
async function countAll(ofClass) {
  if (ofClass === null) return;
  const { count } = await request("GET", paths.aggregates(ofClass.name));
  if (counts.get(ofClass.name) === count) return;
  counts.set(ofClass.name, count);
  showClasses();
  if (ofClass === objectClass) showTally();
}

function adoptSchema(source) {
  schema = new Schema(source);
  objectClass = null;
  stream?.close();
  stream = null;
  arrive();
}

// MARK: Commands

function showCommand() {
  if (objectClass !== null) commands.show(objectClass.name, parameters());
}

// MARK: Input

let typing = null;

function submitPredicate() {
  clearTimeout(typing);
  go({ filter: predicate.value }, { replace: true });
}

// First, so that its keys come before those that leave the input.
new Completion(predicate, byId("completions"), {
  source: (text, caret) =>
    objectClass === null ? { start: 0, names: [] } : candidates(text, caret, objectClass, schema),
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
byId("create").addEventListener("click", create);
byId("explain").addEventListener("click", explainQuery);
byId("group").addEventListener("click", group);
byId("skip").addEventListener("click", () => grid.focus());
byId("show-keys").addEventListener("click", showKeys);
byId("theme").addEventListener("click", turnTheme);

function create() {
  if (objectClass !== null && !objectClass.isEmbedded) writing.create(view());
}

async function explainQuery() {
  if (objectClass === null) return;
  try {
    await explain(objectClass.name, parameters());
  } catch (error) {
    if (error instanceof Problem) refuse(error);
    else if (error instanceof Unreachable) setState("waiting", error.message);
    else throw error;
  }
}

async function group() {
  if (objectClass === null) return;
  await showGroups(objectClass, schema, place.filter.trim());
}

function turnTheme() {
  window.realmgateTheme.turn();
  showTheme();
  pulse.draw();
}

function showTheme() {
  byId("theme").textContent = { auto: "Theme: auto", light: "Theme: light", dark: "Theme: dark" }[
    window.realmgateTheme.current];
}

function turnClass(step) {
  const at = schema.classes.indexOf(objectClass);
  const next = schema.classes[(at + step + schema.classes.length) % schema.classes.length];
  if (next) go({ className: next.name, filter: "", sort: [] });
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, dialog") || document.querySelector("dialog[open]")) return;
  const actions = {
    "/": () => {
      predicate.focus();
      predicate.select();
    },
    "?": showKeys,
    n: create,
    e: explainQuery,
    g: group,
    t: turnTheme,
    "[": () => turnClass(-1),
    "]": () => turnClass(1),
  };
  const action = actions[event.key];
  if (!action || schema === null) return;
  event.preventDefault();
  action();
});

window.addEventListener("hashchange", () => {
  place = readPlace();
  if (schema !== null) arrive();
});

prepareDialogs();
showTheme();
place = readPlace();
poll();
