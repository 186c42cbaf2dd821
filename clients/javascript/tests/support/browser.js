// A headless Chromium, controlled through its debugging pipe: it reads file descriptor 3 and writes 4, JSON messages that end
// in a zero byte.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, within } from "./check.js";

const executable = ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find(existsSync);

export class Browser {
  #waiting = new Map();
  #last = 0;
  /** Uncaught exceptions of the page. */
  complaints = [];

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
    const { targetId } = await browser.command("Target.createTarget", { url: "about:blank" });
    browser.session = (await browser.command("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    await browser.command("Page.enable");
    await browser.command("Runtime.enable");
    return browser;
  }

  command(method, params = {}) {
    const id = (this.#last += 1);
    this.pipe.write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    const answer = new Promise((done, fail) => this.#waiting.set(id, { done, fail }));
    return within(answer, () => `the browser's answer to ${method} ${JSON.stringify(params).slice(0, 200)}`);
  }

  #end() {
    for (const { fail } of this.#waiting.values()) fail(new Error("The browser ended."));
    this.#waiting.clear();
  }

  #receive({ id, result, error, method, params }) {
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    const { done, fail } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) fail?.(new Error(error.message));
    else done?.(result);
  }

  async evaluate(expression) {
    const answer = await this.command("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
    return answer.result.value;
  }

  async open(url) {
    await this.command("Page.navigate", { url });
    await eventually(() => this.evaluate(`document.readyState === "complete" && location.href === ${JSON.stringify(url)}`));
  }
}
