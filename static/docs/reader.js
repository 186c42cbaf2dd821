// The reader of the API's description: shows what openapi.json has.

import { Session } from "../core/session.js";
import { make } from "../parts/element.js";
import { example, words } from "./elements.js";
import { kindOf, resolve, schemaTree } from "./schemas.js";
import { trial } from "./trial.js";

const methods = ["get", "post", "put", "patch", "delete", "head", "options"];

const byId = (id) => document.getElementById(id);

class Reader {
  #session = new Session();
  #list = byId("list");
  #content = byId("content");
  #search = byId("search");
  /** The description, and its operations in order: `{ id, method, path, item, operation, tag }`. */
  #description = null;
  #operations = [];

  async begin() {
    this.#listen();
    this.#showTheme();
    await this.#start();
  }

  async #start() {
    try {
      await this.#load();
      this.#fillList();
      this.#show();
      document.documentElement.dataset.ready = "true";
    } catch (error) {
      this.#content.replaceChildren(make("p", { role: "alert" }, String(error.message ?? error)));
    }
  }

  // MARK: Reading

  async #load() {
    const response = await fetch("openapi.json", { headers: this.#session.headers });
    const description = await response.json();
    if (!response.ok) {
      throw new Error(description.detail ?? `The gateway refused the description with status ${response.status}.`);
    }
    this.#description = description;
    this.#operations = [];
    for (const [path, item] of Object.entries(description.paths)) {
      for (const method of methods) {
        const operation = item[method];
        if (!operation) continue;
        this.#operations.push({
          id: operation.operationId, method, path, item, operation, tag: operation.tags?.[0] ?? "Others",
        });
      }
    }
  }

  // MARK: The list

  /** Shows what has all words of the search, in its tags; all of it when there is no this.#search. */
  #fillList() {
    const wanted = this.#search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const open = new Set([...list.querySelectorAll("details[open]")].map((group) => group.dataset.tag));
    const isFirst = this.#list.childElementCount === 0;
    this.#list.replaceChildren();
    let count = 0;
    const tags = new Map((this.#description.tags ?? []).map((tag) => [tag.name, tag]));
    for (const { tag } of this.#operations) if (!tags.has(tag)) tags.set(tag, { name: tag });
    for (const [name, tag] of tags) {
      const shown = this.#operations.filter(
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
      this.#list.append(group(name, links, wanted.length > 0 || (isFirst ? count <= 24 : open.has(name)), tag.description));
    }
    const schemas = Object.keys(this.#description.components?.schemas ?? {}).filter((name) => matches(wanted, name));
    if (schemas.length > 0) {
      const links = schemas.map((name) =>
        make("a", { class: "plain", href: `#schema/${encodeURIComponent(name)}` }, [make("span", {}, name)]),
      );
      this.#list.append(group("Schemas", links, wanted.length > 0 || open.has("Schemas"), "The JSON of requests and responses."));
    }
    byId("found").textContent =
      wanted.length === 0 ? "" : `${count} operations and ${schemas.length} schemas match “${this.#search.value.trim()}”.`;
    if (count + schemas.length === 0) this.#list.append(make("p", { class: "fact" }, "No operation and no schema has these words."));
    this.#markCurrent();
  }

  #markCurrent() {
    for (const link of this.#list.querySelectorAll("a")) {
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

  #show() {
    const place = decodeURIComponent(location.hash.slice(1));
    if (place === "content") return;
    const operation = this.#operations.find((one) => one.id === place);
    const schema = place.startsWith("schema/") ? place.slice("schema/".length) : null;
    let page;
    if (operation) page = this.#operationPage(operation);
    else if (schema !== null && this.#description.components?.schemas?.[schema]) page = this.#schemaPage(schema);
    else page = this.#introduction();
    this.#content.replaceChildren(page);
    this.#content.scrollTop = 0;
    const heading = page.querySelector("h1")?.textContent ?? "";
    document.title = heading === "" ? "Realmgate API" : `${heading} · Realmgate API`;
    this.#markCurrent();
  }

  #introduction() {
    const { info } = this.#description;
    const page = make("div", { class: "page intro" }, [
      make("h1", {}, `${info.title} API`),
      make("p", { class: "address fact" }, [
        `Version ${info.version} · OpenAPI ${this.#description.openapi} · ${this.#operations.length} operations`,
      ]),
      words(info.summary ?? ""),
      words(info.description ?? ""),
    ]);
    const ways = Object.entries(this.#description.components?.securitySchemes ?? {});
    if (ways.length > 0) {
      page.append(make("h2", {}, "Credentials"));
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

  #operationPage(one) {
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
      resolve(this.#description, parameter),
    );
    const body = operation.requestBody ? resolve(this.#description, operation.requestBody) : null;

    page.append(make("h2", {}, "Try it"));
    page.append(trial(this.#description, one, parameters, body, {
      session: this.#session,
      // Another caller may get another description.
      keyChanged: () => this.#start(),
    }));

    if (parameters.length > 0) {
      page.append(make("h2", {}, "Parameters"));
      page.append(make("div", { class: "sheet rows" }, parameters.map((parameter) => this.#parameterRow(parameter))));
    }
    if (body) {
      page.append(make("h2", {}, "Body"));
      page.append(make("div", { class: "sheet rows" }, this.#contentRows(body.content, body.required)));
    }
    page.append(make("h2", {}, "Responses"));
    page.append(
      make(
        "div",
        { class: "sheet rows" },
        Object.entries(operation.responses ?? {}).map(([status, answer]) =>
          this.#answerRow(status, resolve(this.#description, answer)),
        ),
      ),
    );
    return page;
  }

  #schemaPage(name) {
    const schema = this.#description.components.schemas[name];
    const page = make("div", { class: "page" }, [
      make("h1", {}, name),
      make("p", { class: "address" }, [make("span", { class: "kind" }, kindOf(this.#description, schema))]),
    ]);
    if (schema.description) page.append(words(schema.description));
    page.append(make("div", { class: "sheet rows" }, [make("div", {}, [schemaTree(this.#description, schema)])]));
    for (const value of schema.examples ?? []) {
      page.append(make("h2", {}, "Example"));
      page.append(example(value));
    }
    return page;
  }

  #parameterRow(parameter) {
    const facts = [
      make("span", { class: "name" }, parameter.name),
      make("span", { class: "kind" }, kindOf(this.#description, parameter.schema ?? {})),
      make("span", { class: "fact" }, `in ${parameter.in}`),
    ];
    if (parameter.required) facts.push(make("span", { class: "must" }, "required"));
    const row = make("div", {}, [make("div", { class: "row-head" }, facts), words(parameter.description ?? "")]);
    const shown = Object.values(parameter.examples ?? {}).map((one) => one.value);
    if (parameter.example !== undefined) shown.push(parameter.example);
    if (shown.length > 0) {
      const texts = shown.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
      row.append(
        make("p", { class: "words" }, ["For example ", ...texts.flatMap((text, at) => [at > 0 ? ", " : "", make("code", {}, text)])]),
      );
    }
    return row;
  }

  /** The content of a request or response body, for each of its types. */
  #contentRows(media, isRequired) {
    return Object.entries(media ?? {}).map(([type, one]) => {
      const row = make("div", {}, [
        make("div", { class: "row-head" }, [
          make("span", { class: "name" }, type),
          isRequired ? make("span", { class: "must" }, "required") : null,
        ]),
      ]);
      if (one.schema) row.append(schemaTree(this.#description, one.schema));
      for (const [name, event] of Object.entries(one["x-events"] ?? {})) {
        row.append(make("h3", {}, ["Event ", make("code", {}, name)]));
        row.append(schemaTree(this.#description, event));
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

  #answerRow(status, answer) {
    const row = make("details", { class: "answer" }, [
      make("summary", {}, [
        make("span", { class: "status", "data-kind": status[0] }, status),
        words(answer.description ?? ""),
      ]),
    ]);
    const inner = make("div", {});
    // Filled when it is opened: there are many.
    row.addEventListener(
      "toggle",
      () => {
        const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => [name, resolve(this.#description, header)]);
        for (const [name, header] of headers) {
          inner.append(
            make("div", { class: "row-head" }, [
              make("span", { class: "name" }, name),
              make("span", { class: "kind" }, kindOf(this.#description, header.schema ?? {})),
            ]),
            words(header.description ?? ""),
          );
        }
        inner.append(...this.#contentRows(answer.content, false));
        if (inner.childElementCount === 0) inner.append(make("p", { class: "fact" }, "The response has no body."));
      },
      { once: true },
    );
    row.append(inner);
    return row;
  }

  // MARK: The page

  #showTheme() {
    byId("theme").textContent = `Theme: ${window.realmgateTheme.current}`;
  }

  #listen() {
    byId("theme").addEventListener("click", () => {
      window.realmgateTheme.turn();
      this.#showTheme();
    });
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.#content.focus();
    });
    this.#search.addEventListener("input", () => this.#fillList());
    this.#search.addEventListener("keydown", (event) => this.#pressedInSearch(event));
    this.#list.addEventListener("keydown", (event) => this.#pressedInList(event));
    document.addEventListener("keydown", (event) => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.#search.focus();
      this.#search.select();
    });
    window.addEventListener("hashchange", () => {
      this.#show();
      if (location.hash !== "") this.#content.focus({ preventScroll: true });
    });
  }

  #pressedInSearch(event) {
    if (event.key === "Enter") {
      const first = this.#list.querySelector("a");
      if (first) location.hash = first.getAttribute("href");
    } else if (event.key === "Escape") {
      this.#search.value = "";
      this.#fillList();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.#list.querySelector("details[open] a")?.focus();
    }
  }

  #pressedInList(event) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const reachable = [...this.#list.querySelectorAll("summary, details[open] a")];
    const next = reachable[reachable.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
    event.preventDefault();
    (next ?? (event.key === "ArrowUp" ? this.#search : null))?.focus();
  }
}

/** Whether a text has all words. */
function matches(words, text) {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** The links of one tag. */
function group(name, links, isOpen, title) {
  const made = make("details", { "data-tag": name }, [make("summary", { title }, name), ...links]);
  made.open = isOpen;
  return made;
}

await new Reader().begin();
