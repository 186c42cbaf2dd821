// One hub for all pages of an origin: in a shared worker, or else in one of the pages. Locks say who is there, because
// browsers release them also when a page or worker crashes.

import { load, sleep } from "./transport.js";
import { randomUUID } from "./values.js";

/** Pages with another form of messages do not meet. */
export const sharedName = "realmgate 1";

/** How long a shared worker may take to begin, in milliseconds. */
const longestStart = 10_000;

const { locks } = globalThis.navigator ?? {};

/** Calls back when whoever holds a lock has gone. */
export function whenFree(lock, block) {
  locks?.request(lock, () => { block(); }).catch(() => {});
}

/**
 * Takes a lock for as long as this page or worker lives, and calls back when it is there: with the function that gives it
 * back before.
 */
export function hold(lock, block, signal) {
  locks?.request(lock, { signal }, () => new Promise((release) => { block(release); })).catch(() => {});
}

/**
 * Joins the pages that connect to the same. Messages of the hub go to `on.message`; `on.welcome` is called when another
 * hub takes over. Returns `{post, hello}`, or null where pages cannot share.
 */
export async function share(config, transport, on) {
  const page = { config, isWelcome: false, lock: locks ? `${sharedName} page ${randomUUID()}` : null, send: null };
  let welcomed;
  const isWelcome = new Promise((done) => { welcomed = done; });
  const receive = async (message) => {
    if (message[0] === "token") {
      page.send(["token", message[1], await transport.token?.()]);
    } else if (message[0] === "welcome") {
      if (page.isWelcome) on.welcome();
      page.isWelcome = true;
      welcomed(true);
    } else {
      on.message(message);
    }
  };
  page.hello = () => page.send?.(["hello", page.config, page.lock]);
  // Only now: a hub that asks for the lock before would take this page for gone.
  if (page.lock) await new Promise((done) => { hold(page.lock, done); });
  if (!(await joinWorker(page, receive))) {
    if (!page.lock || !globalThis.BroadcastChannel) return null;
    (await load(() => import("./sharing-pages.js"))).joinPages(page, receive);
  }
  await isWelcome;
  globalThis.addEventListener("pagehide", () => page.send(["bye"]));
  globalThis.addEventListener("pageshow", ({ persisted }) => { if (persisted) page.hello(); });
  const wake = () => { if (!document.hidden) page.send(["wake"]); };
  globalThis.addEventListener("online", wake);
  document.addEventListener("visibilitychange", wake);
  return {
    post: (message) => page.send(message),
    hello: (other) => {
      page.config = other;
      page.hello();
    },
  };
}

/** Returns whether a shared worker answers. */
function joinWorker(page, receive) {
  return new Promise((done) => {
    let worker;
    try {
      worker = new SharedWorker(new URL("./shared-worker.js", import.meta.url), { type: "module", name: sharedName });
    } catch {
      // There are none, or the module is another origin's.
      done(false);
      return;
    }
    const timer = setTimeout(() => done(false), longestStart);
    worker.onerror = () => done(false);
    worker.port.onmessage = ({ data }) => {
      if (data[0] === "welcome") {
        clearTimeout(timer);
        done(true);
        if (data[1]) whenFree(data[1], () => rejoin(page, receive));
      }
      receive(data);
    };
    page.send = (message) => worker.port.postMessage(message);
    page.hello();
  });
}

async function rejoin(page, receive) {
  while (!(await joinWorker(page, receive))) await sleep(longestStart / 2);
}
