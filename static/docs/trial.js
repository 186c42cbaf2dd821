// A form that sends a request of an operation, and the same request as a curl command.

import { quoted } from "../core/curl.js";
import { make } from "../parts/element.js";
import { copyButton } from "./elements.js";
import { resolve } from "./schemas.js";

function firstExample(one) {
  if (one.example !== undefined) return one.example;
  return Object.values(one.examples ?? {})[0]?.value;
}

const asText = (value) => (value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));

/** A form for the operation, with the response below it. `keyChanged()` is called after the reader has changed the key. */
export function trial(description, one, parameters, body, { session, keyChanged }) {
  const form = make("form", { class: "sheet try", autocomplete: "off" });
  const fields = make("div", { class: "fields" });
  /** The inputs with their parameters. */
  const inputs = [];
  for (const parameter of parameters) {
    const id = `try-${parameter.in}-${parameter.name}`;
    const input = inputFor(description, parameter, id);
    inputs.push({ parameter, input });
    fields.append(make("label", { for: id }, parameter.name), input);
  }
  let text = null;
  const type = body ? Object.keys(body.content)[0] : null;
  if (body) {
    const media = body.content[type];
    const schema = resolve(description, media.schema ?? {});
    const sample = firstExample(media) ?? schema.examples?.[0] ?? sampleOf(description, schema);
    text = make("textarea", { id: "try-body", class: "wide", rows: "8", spellcheck: "false" });
    const isForm = type === "application/x-www-form-urlencoded";
    text.value =
      typeof sample === "string" ? sample : isForm ? String(new URLSearchParams(sample)) : JSON.stringify(sample ?? {}, null, 2);
    fields.append(make("label", { class: "wide", for: "try-body" }, `Body (${type})`), text);
  }
  let key = null;
  if (description.components?.securitySchemes) {
    key = make("input", { id: "try-key", type: "password", autocomplete: "off", placeholder: "none" });
    key.value = session.key ?? "";
    key.addEventListener("change", () => {
      session.key = key.value.trim();
      keyChanged();
    });
    fields.append(make("label", { for: "try-key" }, "API key or token"), key);
  }

  const command = make("pre", { tabindex: "0", "aria-label": "The request as a curl command" });
  const send = make("button", { type: "submit", class: "action primary" }, "Send");
  const stop = make("button", { type: "button", class: "action", hidden: true }, "Stop");
  const report = make("span", { class: "fact", role: "status" });
  const answer = make("div", { class: "answer-now" });
  if (fields.childElementCount > 0) form.append(fields);
  form.append(
    make("div", { class: "command" }, [command, copyButton(() => command.textContent)]),
    make("div", { class: "buttons" }, [send, stop, report]),
    answer,
  );

  /** The request that the form describes. */
  function request() {
    let path = one.path;
    const query = new URLSearchParams();
    const headers = {};
    for (const { parameter, input } of inputs) {
      const value = input.value;
      if (parameter.in === "path") {
        const isRest = parameter.name === "resource";
        const encoded = isRest ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
        path = path.replace(`{${parameter.name}}`, encoded);
      } else if (value === "") {
        continue;
      } else if (parameter.in === "query") {
        const isList = parameter.schema?.type === "array";
        for (const part of isList ? value.split(",") : [value]) query.append(parameter.name, part.trim());
      } else if (parameter.in === "header") {
        headers[parameter.name] = value;
      }
    }
    if (text) headers["Content-Type"] = type;
    if (key?.value.trim()) headers.Authorization = `Bearer ${key.value.trim()}`;
    const target = path + (query.size > 0 ? `?${query}` : "");
    return { target, headers, body: text ? text.value : undefined };
  }

  function showCommand() {
    const { target, headers, body } = request();
    const parts = ["curl"];
    if (isStream(one)) parts.push("-N");
    if (one.method !== "get") parts.push("-X", one.method.toUpperCase());
    parts.push(quoted(new URL(target, location.origin).href));
    for (const [name, value] of Object.entries(headers)) {
      // Others may read a key on a screen or in the history of a shell.
      parts.push("-H", name === "Authorization" ? `"Authorization: Bearer $KEY"` : quoted(`${name}: ${value}`));
    }
    if (body !== undefined) parts.push("-d", quoted(compact(body)));
    command.textContent = parts.join(" ");
  }

  form.addEventListener("input", showCommand);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { target, headers, body } = request();
    const controller = new AbortController();
    stop.onclick = () => controller.abort();
    answer.replaceChildren();
    send.disabled = true;
    stop.hidden = false;
    report.textContent = "Waiting";
    const began = performance.now();
    try {
      const response = await fetch(target, {
        method: one.method.toUpperCase(), headers, body, signal: controller.signal,
      });
      const took = Math.max(1, Math.round(performance.now() - began));
      report.textContent = `${response.status} ${response.statusText} in ${took} ms`;
      await showResponse(answer, response);
    } catch (error) {
      if (error.name === "AbortError") report.textContent = "Stopped";
      else report.textContent = `The gateway sent no response: ${error.message}. Check that it runs.`;
    } finally {
      send.disabled = false;
      stop.hidden = true;
    }
  });
  showCommand();
  return form;
}

function isStream(one) {
  return Object.values(one.operation.responses ?? {}).some((answer) => answer.content?.["text/event-stream"]);
}

/** JSON on one line; other text as it is. */
function compact(text) {
  try {
    JSON.parse(text);
    // As text: JavaScript would lose digits of large numbers.
    return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, string) => string ?? "");
  } catch {
    return text;
  }
}

function inputFor(description, parameter, id) {
  const schema = resolve(description, parameter.schema ?? {});
  const choices = schema.enum ?? (schema.type === "boolean" ? [true, false] : null);
  const sample = firstExample(parameter);
  if (choices) {
    const select = make("select", { id }, [
      parameter.required ? null : make("option", { value: "" }, ""),
      ...choices.map((choice) => make("option", { value: String(choice) }, String(choice))),
    ]);
    if (parameter.required && sample !== undefined && choices.includes(sample)) select.value = String(sample);
    return select;
  }
  const input = make("input", {
    id, type: "text", spellcheck: "false", autocapitalize: "off",
    placeholder: sample === undefined ? null : `for example ${asText([sample].flat()[0])}`,
  });
  if (parameter.required) {
    input.required = true;
    input.value = asText(sample);
  }
  return input;
}

/** A value that fits the schema, for a body without an example. */
function sampleOf(description, schema, depth = 0) {
  const whole = resolve(description, schema);
  if (whole.examples?.length > 0) return whole.examples[0];
  if (whole.default !== undefined) return whole.default;
  if (whole.const !== undefined) return whole.const;
  if (whole.enum) return whole.enum[0];
  const choice = (whole.anyOf ?? whole.oneOf)?.[0];
  if (choice && depth < 4) return sampleOf(description, choice, depth + 1);
  switch ([whole.type].flat()[0]) {
    case "object": {
      const members = {};
      for (const name of whole.required ?? []) members[name] = sampleOf(description, whole.properties?.[name] ?? {}, depth + 1);
      return members;
    }
    case "array": return depth < 4 && whole.items ? [sampleOf(description, whole.items, depth + 1)] : [];
    case "string": return "";
    case "integer": case "number": return 0;
    case "boolean": return true;
    default: return null;
  }
}

async function showResponse(place, response) {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  place.append(make("h3", {}, "Headers"), make("pre", { tabindex: "0" }, headers));
  const body = make("pre", { tabindex: "0" });
  place.append(make("h3", {}, "Body"), body);
  const type = response.headers.get("Content-Type") ?? "";
  if (type.startsWith("text/event-stream")) {
    // Only the end is kept, so that the page does not grow without bound.
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      body.textContent = (body.textContent + part.value).slice(-100_000);
      body.scrollTop = body.scrollHeight;
    }
    return;
  }
  if (!/^(text|application)\/([\w.-]+\+)?(json|x-ndjson|ndjson|csv|plain|html|yaml|css|javascript)/.test(type)) {
    const bytes = await response.arrayBuffer();
    body.textContent = bytes.byteLength === 0 ? "(empty)" : `${bytes.byteLength} bytes of ${type || "unknown type"}`;
    return;
  }
  const text = await response.text();
  body.textContent = text === "" ? "(empty)" : pretty(text.length > 500_000 ? `${text.slice(0, 500_000)}\n…` : text, type);
}

/** JSON with line breaks, without touching its numbers. */
function pretty(text, type) {
  if (!/json$|json;/.test(type) || type.includes("ndjson")) return text;
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (part) => {
    if (part.startsWith('"') || part.length > 1 && /^[{[]/.test(part)) return part;
    switch (part) {
      case "{": case "[":
        depth += 1;
        return part + line();
      case "}": case "]":
        depth -= 1;
        return line() + part;
      case ",": return part + line();
      case ":": return ": ";
      default: return "";
    }
  });
}
