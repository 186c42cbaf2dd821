// The hubs of one origin, and the pages that come and go.

import { Hub } from "./hub.js";
import { whenFree } from "./sharing.js";
import { Transport } from "./transport.js";

export class Reception {
  #entries = new Map();

  /** Connects a page; `left` is called when it has gone. Returns the function that takes its messages. */
  connect(post, left = () => {}, greeting = undefined) {
    const page = { post, tokens: new Map(), leave: () => {} };
    return (message) => {
      const [kind, first, second] = message;
      if (kind === "token") {
        page.tokens.get(first)?.(second);
        page.tokens.delete(first);
      } else if (kind === "hello") {
        page.leave();
        this.#enter(page, first);
        post(["welcome", greeting]);
        if (second && page.lock !== second) {
          page.lock = second;
          whenFree(second, () => {
            page.leave();
            left();
          });
        }
      } else if (kind === "bye") {
        page.leave();
      } else {
        page.connection?.receive(message);
      }
    };
  }

  #enter(page, config) {
    const key = JSON.stringify(config);
    if (!this.#entries.has(key)) this.#entries.set(key, this.#begin(config));
    const entry = this.#entries.get(key);
    entry.pages.add(page);
    page.connection = entry.hub.connect(page.post);
    page.leave = () => {
      page.leave = () => {};
      page.connection.end();
      page.connection = null;
      entry.pages.delete(page);
      if (entry.pages.size === 0) this.#entries.delete(key);
    };
  }

  #begin(config) {
    const pages = new Set();
    let count = 0;
    // Any of the pages knows the token of all.
    const ask = () => new Promise((done) => {
      count += 1;
      for (const page of pages) {
        page.tokens.set(count, done);
        page.post(["token", count]);
      }
    });
    const { url, asks, token, headers, timeout } = config;
    return { pages, hub: new Hub(new Transport(url, { token: asks ? ask : token ?? undefined, headers, timeout }), config) };
  }
}
