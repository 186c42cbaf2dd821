// Files sent as the body of a request, with the share that is sent. fetch does not report it.

import { EventParser } from "../client/events.js";
import { problemOf, unreachable } from "../client/transport.js";
import { RealmgateError } from "./api.js";
import { parse } from "./json.js";

const types = { ndjson: "application/x-ndjson", csv: "text/csv", bytes: "application/octet-stream", realm: "application/x-realm" };

const cutImport = "The connection ended before the result. Check the number of objects before you import the file again.";

/** The format of a file, by its name and type. */
export function formatOf(file) {
  return /\.csv$/i.test(file.name) || file.type === "text/csv" ? "csv" : "ndjson";
}

/** The media type of a format. */
export const mediaType = (format) => types[format];

/**
 * Sends a file. `sent(loaded, total)` is called with bytes, `event(type, data)` with each event when `streams` is set.
 * Returns `{done, abort}`; `done` has the JSON of the response, or the data of the last event, and throws a `RealmgateError`
 * or an `AbortError`. `headers` come with the request. `cut` is what a connection means that ends before the result.
 */
export function sendFile(gateway, address, body, format, { sent = () => {}, event = () => {}, streams = false, headers = {}, cut = cutImport } = {}) {
  const request = new XMLHttpRequest();
  const parser = new EventParser();
  let parsed = 0;
  let last;
  /** The last of the events that came since the last call. */
  const lastEvent = () => {
    const events = parser.add(request.responseText.slice(parsed));
    parsed = request.responseText.length;
    const newest = events.findLast(({ type }) => type);
    return newest && { type: newest.type, data: parse(newest.text) };
  };
  const done = new Promise((resolve, reject) => {
    request.open("POST", address);
    request.setRequestHeader("Content-Type", types[format]);
    if (streams) request.setRequestHeader("Accept", "text/event-stream");
    for (const [name, value] of Object.entries({ ...headers, ...gateway.session.headers })) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => sent(loaded, total);
    request.onprogress = () => {
      if (!streams) return;
      last = lastEvent() ?? last;
      if (last?.type === "progress") event(last.type, last.data);
    };
    request.onload = () => {
      if (request.status >= 300) {
        reject(gateway.noted(problemOf(request.status, request.responseText)));
      } else if (!streams) {
        resolve(parse(request.responseText));
      } else {
        last = lastEvent() ?? last;
        if (last?.type === "done") resolve(last.data);
        else if (last?.type === "error") reject(new RealmgateError(last.data.status, last.data));
        else reject(new RealmgateError(500, { detail: cut }));
      }
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException("The upload was cancelled.", "AbortError"));
    request.send(body);
  });
  return { done, abort: () => request.abort() };
}
