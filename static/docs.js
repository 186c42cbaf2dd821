// The reader of the API description: all that it shows comes from openapi.json.

import { schemaTree, kindOf, resolve } from "./docs-schemas.js";
import { trial } from "./docs-trial.js";
import { make, words, example } from "./docs-elements.js";

const methods = ["get", "post", "put", "patch", "delete", "head", "options"];
const keyName = "realmgate.key";

const list = document.getElementById("list");
const content = document.getElementById("content");
const search = document.getElementById("search");
const found = document.getElementById("found");

/** The description, and its operations in order: `{ id, method, path, item, operation, tag }`. */
let description = null;
let operations = [];

// MARK: Reading

function storedKey() {
  try {
    return sessionStorage.getItem(keyName);
  } catch {
    return null; // Storage may be forbidden.
  }
}

async function load() {
  const key = storedKey();
  const answer = await fetch("openapi.json", { headers: key ? { Authorization: `Bearer ${key}` } : {} });
  const document = await answer.json();
  if (!answer.ok) throw new Error(document.detail ?? `The description cannot be read: ${answer.status}.`);
  description = document;
  operations = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (!operation) continue;
      operations.push({
        id: operation.operationId, method, path, item, operation, tag: operation.tags?.[0] ?? "Others",
      });
    }
  }
}

// MARK: The list

function matches(words, text) {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** Shows what has all words of the search, in its tags; all of it when there is no search. */
function fillList() {
  const wanted = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const open = new Set([...list.querySelectorAll("details[open]")].map((group) => group.dataset.tag));
  const isFirst = list.childElementCount === 0;
  list.replaceChildren();
  let count = 0;
  const tags = new Map((description.tags ?? []).map((tag) => [tag.name, tag]));
  for (const { tag } of operations) if (!tags.has(tag)) tags.set(tag, { name: tag });
  for (const [name, tag] of tags) {
    const shown = operations.filter(
      (one) =>
        one.tag === name &&
        matches(wanted, `${one.method} ${one.path} ${one.id} ${one.operation.summary ?? ""} ${name}`),
    );
    if (shown.length === 0) continue;
    count += shown.length;
    const links = shown.map((one) =>
      make("a", { href: `#${one.id}`, title: `${one.method.toUpperCase()} ${one.path}` }, [
        make("span", { class: "method", "data-method": one.method }, one.method === "delete" ? "del" : one.method),
        make("span", {}, one.operation.summary ?? one.path),
      ]),
    );
    list.append(group(name, links, wanted.length > 0 || (isFirst ? count <= 24 : open.has(name)), tag.description));
  }
  const schemas = Object.keys(description.components?.schemas ?? {}).filter((name) => matches(wanted, name));
  if (schemas.length > 0) {
    const links = schemas.map((name) =>
      make("a", { class: "plain", href: `#schema/${encodeURIComponent(name)}` }, [make("span", {}, name)]),
    );
    list.append(group("Schemas", links, wanted.length > 0 || open.has("Schemas"), "The forms of what is sent."));
  }
  found.textContent =
    wanted.length === 0 ? "" : `${count} operations and ${schemas.length} schemas have “${search.value.trim()}”.`;
  if (count + schemas.length === 0) list.append(make("p", { class: "fact" }, "Nothing has these words."));
  markCurrent();
}

function group(name, links, isOpen, title) {
  const made = make("details", { "data-tag": name }, [make("summary", { title }, name), ...links]);
  made.open = isOpen;
  return made;
}

function markCurrent() {
  for (const link of list.querySelectorAll("a")) {
    const isCurrent = link.getAttribute("href") === location.hash && location.hash !== "";
    if (isCurrent) {
      link.setAttribute("aria-current", "page");
      link.closest("details").open = true;
      link.scrollIntoView({ block: "nearest" });
    } else {
      link.removeAttribute("aria-current");
    }
  }
}

// MARK: The content

function show() {
  const place = decodeURIComponent(location.hash.slice(1));
  if (place === "content") return;
  const operation = operations.find((one) => one.id === place);
  const schema = place.startsWith("schema/") ? place.slice("schema/".length) : null;
  let page;
  if (operation) page = operationPage(operation);
  else if (schema !== null && description.components?.schemas?.[schema]) page = schemaPage(schema);
  else page = introduction();
  content.replaceChildren(page);
  content.scrollTop = 0;
  const heading = page.querySelector("h1")?.textContent ?? "";
  document.title = heading === "" ? "Realmgate API" : `${heading} · Realmgate API`;
  markCurrent();
}

function introduction() {
  const { info } = description;
  const page = make("div", { class: "page intro" }, [
    make("h1", {}, `${info.title} API`),
    make("p", { class: "address fact" }, [
      `Version ${info.version} · OpenAPI ${description.openapi} · ${operations.length} operations`,
    ]),
    words(info.summary ?? ""),
    words(info.description ?? ""),
  ]);
  const ways = Object.entries(description.components?.securitySchemes ?? {});
  if (ways.length > 0) {
    page.append(make("h2", {}, "Who calls"));
    page.append(
      make(
        "div",
        { class: "sheet rows" },
        ways.map(([name, way]) =>
          make("div", {}, [
            make("div", { class: "row-head" }, [
              make("span", { class: "name" }, name),
              make("span", { class: "kind" }, way.type === "http" ? `Authorization: ${way.scheme}` : `${way.in}: ${way.name}`),
            ]),
            words(way.description ?? ""),
          ]),
        ),
      ),
    );
  }
  return page;
}

function operationPage(one) {
  const { operation, method, path, item } = one;
  const page = make("div", { class: "page" }, [
    make("h1", {}, operation.summary ?? one.id),
    make("p", { class: "address" }, [
      make("span", { class: "method", "data-method": method }, method),
      make("code", {}, path),
      make("span", { class: "fact" }, one.id),
    ]),
    words(operation.description ?? ""),
  ]);
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
    resolve(description, parameter),
  );
  const body = operation.requestBody ? resolve(description, operation.requestBody) : null;

  page.append(make("h2", {}, "Try it"));
  page.append(trial(description, one, parameters, body, keyName));

  if (parameters.length > 0) {
    page.append(make("h2", {}, "Parameters"));
    page.append(make("div", { class: "sheet rows" }, parameters.map(parameterRow)));
  }
  if (body) {
    page.append(make("h2", {}, "Body"));
    page.append(make("div", { class: "sheet rows" }, contentRows(body.content, body.required)));
  }
  page.append(make("h2", {}, "Answers"));
  page.append(
    make(
      "div",
      { class: "sheet rows" },
      Object.entries(operation.responses ?? {}).map(([status, answer]) =>
        answerRow(status, resolve(description, answer)),
      ),
    ),
  );
  return page;
}

function schemaPage(name) {
  const schema = description.components.schemas[name];
  const page = make("div", { class: "page" }, [
    make("h1", {}, name),
    make("p", { class: "address" }, [make("span", { class: "kind" }, kindOf(description, schema))]),
  ]);
  if (schema.description) page.append(words(schema.description));
  page.append(make("div", { class: "sheet rows" }, [make("div", {}, [schemaTree(description, schema)])]));
  for (const value of schema.examples ?? []) {
    page.append(make("h2", {}, "Example"));
    page.append(example(value));
  }
  return page;
}

function parameterRow(parameter) {
  const facts = [
    make("span", { class: "name" }, parameter.name),
    make("span", { class: "kind" }, kindOf(description, parameter.schema ?? {})),
    make("span", { class: "fact" }, `in ${parameter.in}`),
  ];
  if (parameter.required) facts.push(make("span", { class: "must" }, "required"));
  const row = make("div", {}, [make("div", { class: "row-head" }, facts), words(parameter.description ?? "")]);
  const shown = Object.values(parameter.examples ?? {}).map((one) => one.value);
  if (parameter.example !== undefined) shown.push(parameter.example);
  if (shown.length > 0) {
    const texts = shown.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
    row.append(
      make("p", { class: "words" }, ["Such as ", ...texts.flatMap((text, at) => [at > 0 ? ", " : "", make("code", {}, text)])]),
    );
  }
  return row;
}

/** What a body or an answer holds, for each of its types. */
function contentRows(media, isRequired) {
  return Object.entries(media ?? {}).map(([type, one]) => {
    const row = make("div", {}, [
      make("div", { class: "row-head" }, [
        make("span", { class: "name" }, type),
        isRequired ? make("span", { class: "must" }, "required") : null,
      ]),
    ]);
    if (one.schema) row.append(schemaTree(description, one.schema));
    for (const [name, event] of Object.entries(one["x-events"] ?? {})) {
      row.append(make("h3", {}, ["Event ", make("code", {}, name)]));
      row.append(schemaTree(description, event));
    }
    const shown = Object.values(one.examples ?? {});
    if (one.example !== undefined) shown.push({ value: one.example });
    for (const { summary, value } of shown) {
      row.append(make("h3", {}, summary ?? "Example"));
      row.append(example(value));
    }
    return row;
  });
}

function answerRow(status, answer) {
  const row = make("details", { class: "answer" }, [
    make("summary", {}, [
      make("span", { class: "status", "data-kind": status[0] }, status),
      words(answer.description ?? ""),
    ]),
  ]);
  const inner = make("div", {});
  // Made when it is looked at: there are many.
  row.addEventListener(
    "toggle",
    () => {
      const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => [name, resolve(description, header)]);
      for (const [name, header] of headers) {
        inner.append(
          make("div", { class: "row-head" }, [
            make("span", { class: "name" }, name),
            make("span", { class: "kind" }, kindOf(description, header.schema ?? {})),
          ]),
          words(header.description ?? ""),
        );
      }
      inner.append(...contentRows(answer.content, false));
      if (inner.childElementCount === 0) inner.append(make("p", { class: "fact" }, "Without a body."));
    },
    { once: true },
  );
  row.append(inner);
  return row;
}

// MARK: The page

function nameTheme() {
  document.getElementById("theme").textContent = `Theme: ${window.realmgateTheme.current}`;
}

document.getElementById("theme").addEventListener("click", () => {
  window.realmgateTheme.turn();
  nameTheme();
});

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  content.focus();
});

search.addEventListener("input", fillList);
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    const first = list.querySelector("a");
    if (first) location.hash = first.getAttribute("href");
  } else if (event.key === "Escape") {
    search.value = "";
    fillList();
  } else if (event.key === "ArrowDown") {
    event.preventDefault();
    list.querySelector("details[open] a")?.focus();
  }
});

list.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const reachable = [...list.querySelectorAll("summary, details[open] a")];
  const next = reachable[reachable.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
  event.preventDefault();
  (next ?? (event.key === "ArrowUp" ? search : null))?.focus();
});

document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search.focus();
  search.select();
});

window.addEventListener("hashchange", () => {
  show();
  if (location.hash !== "") content.focus({ preventScroll: true });
});

/** The description may be another one for another caller. */
document.addEventListener("keychange", () => void start());

async function start() {
  nameTheme();
  try {
    await load();
    fillList();
    show();
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    content.replaceChildren(make("p", { role: "alert" }, String(error.message ?? error)));
  }
}

await start();
