// Where there are no shared workers: the page that has a lock has the hub, and another takes both when it goes.

import { Reception } from "./reception.js";
import { hold, sharedName } from "./sharing.js";

export function joinPages(page, receive) {
  const channel = new BroadcastChannel(sharedName);
  const id = page.lock;
  let waiting = null;

  function follow() {
    page.send = (message) => channel.postMessage({ to: "leader", from: id, message });
    channel.onmessage = ({ data: { to, message } }) => {
      if (to === id) receive(message);
      else if (to === "all") page.hello();
    };
  }

  function wait() {
    waiting = new AbortController();
    hold(`${sharedName} leader`, lead, waiting.signal);
  }

  function lead(release) {
    const reception = new Reception();
    const connections = new Map();
    const connect = (from, post) => {
      if (!connections.has(from)) connections.set(from, reception.connect(post, () => connections.delete(from)));
      return connections.get(from);
    };
    channel.onmessage = ({ data: { to, from, message } }) => {
      if (to === "leader") connect(from, (answer) => channel.postMessage({ to: from, message: answer }))(message);
    };
    globalThis.addEventListener("pagehide", () => {
      for (const take of connections.values()) take(["bye"]);
      follow();
      release();
    }, { once: true });
    page.send = connect(id, receive);
    page.hello();
    channel.postMessage({ to: "all" });
  }

  follow();
  wait();
  page.hello();
  // A page that the browser keeps, to come back to, would keep its lock, or be given it, and do nothing.
  globalThis.addEventListener("pagehide", () => waiting.abort());
  globalThis.addEventListener("pageshow", ({ persisted }) => { if (persisted) wait(); });
}
