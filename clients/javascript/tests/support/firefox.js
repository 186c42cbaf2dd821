// Firefox by WebDriver BiDi, JSON messages on a web socket.

import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { within } from "./check.js";
import { Page, launch, profileOf } from "./page.js";

const executable = ["firefox", "firefox-esr"].map((name) => `/usr/bin/${name}`).find(existsSync);
/** Debian's package node-ws: Node.js has no web sockets before version 22. */
const sockets = "/usr/share/nodejs/ws";

/** Firefox asks nobody for anything by itself. */
const settings = {
  "app.normandy.enabled": false, "app.update.enabled": false, "browser.safebrowsing.downloads.enabled": false,
  "browser.safebrowsing.malware.enabled": false, "browser.safebrowsing.phishing.enabled": false, "browser.search.update": false,
  "browser.shell.checkDefaultBrowser": false, "browser.startup.page": 0, "browser.topsites.contile.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false, "dom.push.connection.enabled": false, "extensions.getAddons.cache.enabled": false,
  "extensions.systemAddon.update.enabled": false, "extensions.update.enabled": false, "geo.provider.testing": true,
  "media.gmp-manager.updateEnabled": false, "network.captive-portal-service.enabled": false, "network.connectivity-service.enabled": false,
  "network.dns.disablePrefetch": true, "network.prefetch-next": false, "services.settings.server": "data:,#remote-settings-dummy/v1",
  "toolkit.telemetry.server": "data:,",
};

export async function start(t) {
  if (!executable || !existsSync(sockets)) throw new Error("There is no Firefox. Install the packages firefox-esr and node-ws.");
  const profile = await profileOf(t);
  await writeFile(join(profile, "user.js"), Object.entries(settings).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
  const connection = new Connection();
  const child = launch(t, executable, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: "1" }, ended: () => connection.end(),
  });
  let log = "";
  const address = new Promise((done) => {
    child.stderr.on("data", (data) => {
      log += data;
      const found = /listening on (ws:\S+)/.exec(log);
      if (found) done(found[1]);
    });
  });
  await connection.begin(await within(address, () => `Firefox: ${log}`));
  return connection.page("tab");
}

class Connection {
  #waiting = new Map();
  #last = 0;
  pages = new Map();

  async begin(address) {
    const WebSocket = createRequire(import.meta.url)(sockets);
    this.socket = new WebSocket(`${address}/session`);
    this.socket.on("message", (message) => this.#receive(JSON.parse(message)));
    await within(new Promise((done, fail) => this.socket.on("open", done).on("error", fail)), () => "Firefox's web socket");
    await this.send("session.new", { capabilities: {} });
    await this.send("session.subscribe", { events: ["log.entryAdded"] });
  }

  async page(type) {
    const { context } = await this.send("browsingContext.create", { type });
    const page = new FirefoxPage(this, context);
    this.pages.set(context, page);
    return page;
  }

  send(method, params) {
    const id = (this.#last += 1);
    const answer = new Promise((done, fail) => this.#waiting.set(id, { done, fail }));
    this.socket.send(JSON.stringify({ id, method, params }));
    return within(answer, () => `Firefox's answer to ${method} ${JSON.stringify(params).slice(0, 200)}`);
  }

  end() {
    for (const { fail } of this.#waiting.values()) fail(new Error("The browser ended."));
    this.#waiting.clear();
  }

  #receive({ id, type, result, error, message, method, params }) {
    // What the page writes to the console is no complaint, nor is that a request for a module has failed.
    if (method === "log.entryAdded" && params.type === "javascript" && params.level === "error" && !params.text.startsWith("Loading module from")) {
      this.pages.get(params.source.context)?.complaints.push(params.text);
    }
    const { done, fail } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (type === "error") fail?.(new Error(`${error}: ${message}`));
    else done?.(result);
  }
}

class FirefoxPage extends Page {
  constructor(connection, context) {
    super();
    Object.assign(this, { connection, context });
  }

  #send(method, params = {}) { return this.connection.send(method, { context: this.context, ...params }); }

  /** Another page, in a window of its own: a tab behind another one draws no frames. */
  tab() { return this.connection.page("window"); }

  navigate(url) { return this.#send("browsingContext.navigate", { url, wait: "none" }); }

  async evaluate(expression) {
    const answer = await this.connection.send("script.evaluate", {
      expression, target: { context: this.context }, awaitPromise: true, serializationOptions: { maxObjectDepth: null, maxDomDepth: 0 },
    });
    if (answer.type === "exception") throw new Error(answer.exceptionDetails.text);
    return plain(answer.result);
  }

  perform(source) { return this.#send("input.performActions", { actions: [source] }); }
  resize(width, height) { return this.#send("browsingContext.setViewport", { viewport: { width, height } }); }
  async capture() { return (await this.#send("browsingContext.captureScreenshot")).data; }
  close() { return this.#send("browsingContext.close"); }
}

/** A value of BiDi as JSON has it. */
function plain({ type, value }) {
  switch (type) {
    case "array": return value.map(plain);
    case "object": return Object.fromEntries(value.map(([name, one]) => [name, plain(one)]));
    case "number": return Number(value);
    case "null": return null;
    case "undefined": return undefined;
    case "string":
    case "boolean": return value;
    default: return {};
  }
}
