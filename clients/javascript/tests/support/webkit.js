// WebKit, the engine of Safari: GTK's MiniBrowser on a display of its own, by WebDriver, which is HTTP.

import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { eventually, within } from "./check.js";
import { Page, launch, profileOf } from "./page.js";

const libraries = "/usr/lib/x86_64-linux-gnu";
const places = existsSync(libraries) ? readdirSync(libraries).filter((name) => name.startsWith("webkit2gtk-4")) : [];
const executable = places.map((name) => `${libraries}/${name}/MiniBrowser`).find(existsSync);
const narrowest = 480;
const driver = "/usr/bin/WebKitWebDriver";

/** A port that nobody listens at: the driver does not choose one. */
async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

export async function start(t) {
  if (!executable || !existsSync(driver)) throw new Error("There is no WebKit. Install the packages webkit2gtk-driver and xvfb.");
  const profile = await profileOf(t);
  const screen = launch(t, "Xvfb", ["-displayfd", "3", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const display = await within(new Promise((done) => screen.stdio[3].once("data", (data) => done(String(data).trim()))), () => "a display");
  const connection = new Connection(await freePort());
  launch(t, driver, [`--port=${connection.port}`], {
    env: {
      ...process.env, DISPLAY: `:${display}`, GDK_BACKEND: "x11", HOME: profile, XDG_RUNTIME_DIR: profile, LIBGL_ALWAYS_SOFTWARE: "1",
      NO_AT_BRIDGE: "1", GIO_USE_VFS: "local", GSETTINGS_BACKEND: "memory",
    },
  });
  await connection.begin();
  return new WebKitPage(connection, (await connection.send("GET", "/window")));
}

class Connection {
  #turn = Promise.resolve();
  #window = null;

  constructor(port) { this.port = port; }

  async begin() {
    await eventually(async () => (await fetch(`http://127.0.0.1:${this.port}/status`)).ok);
    this.path = "";
    const { sessionId } = await this.send("POST", "/session", {
      capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: executable, args: ["--automation"] } } },
    });
    this.path = `/session/${sessionId}`;
    await this.send("POST", "/timeouts", { script: 600_000 });
  }

  /** WebDriver has one present window: each page speaks in its own, one after the other. */
  in(window, ...request) {
    const answer = this.#turn.then(async () => {
      if (this.#window !== window) await this.send("POST", "/window", { handle: window });
      this.#window = window;
      return this.send(...request);
    });
    this.#turn = answer.catch(() => {});
    return within(answer, () => `WebKit's answer to ${request[1]} ${JSON.stringify(request[2] ?? null).slice(0, 200)}`);
  }

  forget() { this.#window = null; }

  async send(method, path, body) {
    const response = await fetch(`http://127.0.0.1:${this.port}${this.path}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }
}

/** What the page is told to remember: the driver does not report it. A fault in the page's very first script shows by what is missing. */
const listening = `if (!globalThis.complaintsOfTests) {
  globalThis.complaintsOfTests = [];
  const note = (text) => complaintsOfTests.push(String(text));
  addEventListener("error", (event) => note(event.error?.stack ?? event.message ?? "an error"));
  addEventListener("unhandledrejection", ({ reason }) => note(reason?.stack ?? reason));
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => note(violatedDirective + " " + blockedURI));
}`;

class WebKitPage extends Page {
  constructor(connection, window) {
    super();
    Object.assign(this, { connection, window });
  }

  #send(...request) { return this.connection.in(this.window, ...request); }

  async tab() {
    const { handle } = await this.#send("POST", "/window/new", { type: "window" });
    return new WebKitPage(this.connection, handle);
  }

  navigate(url) { return this.#send("POST", "/url", { url }); }

  async evaluate(expression) {
    const answer = await this.#send("POST", "/execute/async", {
      script: `${listening}
        const done = arguments[arguments.length - 1];
        (async () => (${expression}))().then((value) => done({ value, complaints: complaintsOfTests.splice(0) }), (error) => done({ error: String(error) + (error?.stack ?? "") }));`,
      args: [],
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    this.complaints.push(...answer.complaints);
    return answer.value;
  }

  perform(source) { return this.#send("POST", "/actions", { actions: [source] }); }

  /** The size of the page, which is smaller than the window by its bars. The bars have a width that they need. */
  async resize(width, height) {
    const [most, high] = await this.evaluate("[innerWidth, innerHeight]");
    const rect = await this.#send("GET", "/window/rect");
    await this.#send("POST", "/window/rect", { x: 0, y: 0, width: width + rect.width - most, height: height + rect.height - high });
    await eventually(() => this.evaluate(`innerHeight === ${height} && innerWidth >= ${width} && innerWidth <= ${Math.max(width, narrowest)}`));
  }

  capture() { return this.#send("GET", "/screenshot"); }

  async close() {
    await this.#send("DELETE", "/window");
    this.connection.forget();
  }
}
