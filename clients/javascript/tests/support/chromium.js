// A headless Chromium, controlled through its debugging pipe: it reads file descriptor 3 and writes 4, JSON messages that end
// in a zero byte.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, within } from "./check.js";

const executable = ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find(existsSync);

/** One page. */
export class Tab {
  /** Uncaught exceptions of the page. */
  complaints = [];

  constructor(browser) { this.browser = browser; }

  async begin() {
    this.target = (await this.browser.send("Target.createTarget", { url: "about:blank" })).targetId;
    this.session = (await this.browser.send("Target.attachToTarget", { targetId: this.target, flatten: true })).sessionId;
    this.browser.tabs.set(this.session, this);
    await this.command("Page.enable");
    await this.command("Runtime.enable");
    return this;
  }

  command(method, params = {}) { return this.browser.send(method, params, this.session); }

  async evaluate(expression) {
    const answer = await this.command("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
    return answer.result.value;
  }

  async open(url) {
    await this.command("Page.navigate", { url });
    await eventually(() => this.evaluate(`document.readyState === "complete" && location.href === ${JSON.stringify(url)}`));
  }

  close() { return this.browser.send("Target.closeTarget", { targetId: this.target }); }
}

/** The browser, and its first page. */
export class Browser extends Tab {
  #waiting = new Map();
  #last = 0;
  tabs = new Map();

  constructor() {
    super(null);
    this.browser = this;
  }

  static async start(t) {
    if (!executable) throw new Error("There is no Chromium. Install the package chromium.");
    const browser = new Browser();
    const profile = await mkdtemp(join(tmpdir(), "realmgate-browser-"));
    const child = spawn(executable, [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
      "--disable-background-networking", "--disable-component-update", `--user-data-dir=${profile}`, "--remote-debugging-pipe", "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
    const ended = new Promise((done) => child.on("exit", done));
    ended.then(() => browser.#end());
    t.after(async () => {
      // The browser has helper processes; all are in the group that it leads.
      try { process.kill(-child.pid, "SIGKILL"); } catch { /* They have ended. */ }
      await within(ended, () => "the browser's end");
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    });
    browser.pipe = child.stdio[3];
    browser.pipe.on("error", () => browser.#end());
    let rest = "";
    child.stdio[4].on("data", (data) => {
      const messages = (rest + data).split("\0");
      rest = messages.pop();
      for (const message of messages) browser.#receive(JSON.parse(message));
    });
    return browser.begin();
  }

  /** Another page. */
  tab() { return new Tab(this).begin(); }

  send(method, params, session) {
    const id = (this.#last += 1);
    this.pipe.write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    const answer = new Promise((done, fail) => this.#waiting.set(id, { done, fail, session }));
    return within(answer, () => `the browser's answer to ${method} ${JSON.stringify(params).slice(0, 200)}`);
  }

  #end(session) {
    for (const [id, entry] of this.#waiting) {
      if (session !== undefined && entry.session !== session) continue;
      this.#waiting.delete(id);
      entry.fail(new Error(session === undefined ? "The browser ended." : "The page ended."));
    }
  }

  #receive({ id, result, error, method, params, sessionId }) {
    if (method === "Runtime.exceptionThrown") {
      const { exception, text } = params.exceptionDetails;
      this.tabs.get(sessionId)?.complaints.push(exception?.description ?? text);
    }
    if (method === "Target.detachedFromTarget") this.#end(params.sessionId);
    const { done, fail } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) fail?.(new Error(error.message));
    else done?.(result);
  }
}
