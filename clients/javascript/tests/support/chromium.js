// A headless Chromium, controlled through its debugging pipe: it reads file descriptor 3 and writes 4, JSON messages that end
// in a zero byte.

import { existsSync } from "node:fs";
import { within } from "./check.js";
import { Page, launch, profileOf } from "./page.js";

const executable = ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find(existsSync);
/** The numbers of keys that Chromium wants beside the characters of WebDriver. */
const codes = {
  "\uE003": ["Backspace", 8], "\uE004": ["Tab", 9], "\uE007": ["Enter", 13], "\uE00C": ["Escape", 27], "\uE010": ["End", 35], "\uE011": ["Home", 36],
  "\uE012": ["ArrowLeft", 37], "\uE013": ["ArrowUp", 38], "\uE014": ["ArrowRight", 39], "\uE015": ["ArrowDown", 40], "\uE017": ["Delete", 46],
};

/** One page. */
class Tab extends Page {
  constructor(browser) {
    super();
    this.browser = browser;
  }

  async begin() {
    this.target = (await this.browser.send("Target.createTarget", { url: "about:blank", newWindow: true })).targetId;
    this.session = (await this.browser.send("Target.attachToTarget", { targetId: this.target, flatten: true })).sessionId;
    this.browser.tabs.set(this.session, this);
    await this.command("Page.enable");
    await this.command("Runtime.enable");
    await this.command("Log.enable");
    return this;
  }

  command(method, params = {}) { return this.browser.send(method, params, this.session); }

  async evaluate(expression) {
    const answer = await this.command("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
    return answer.result.value;
  }

  navigate(url) { return this.command("Page.navigate", { url }); }

  resize(width, height) { return this.command("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false }); }

  async capture() { return (await this.command("Page.captureScreenshot")).data; }

  async perform({ type, actions }) {
    let [x, y, count] = [0, 0, 0];
    for (const action of actions) {
      if (action.type === "pointerMove") [x, y] = [action.x, action.y];
      if (action.type === "pointerDown") count += 1;
      if (type === "pointer") {
        const name = { pointerMove: "mouseMoved", pointerDown: "mousePressed", pointerUp: "mouseReleased" }[action.type];
        await this.command("Input.dispatchMouseEvent", { type: name, x, y, ...(action.type === "pointerMove" ? {} : { button: "left", clickCount: count }) });
      } else {
        const [key, windowsVirtualKeyCode] = codes[action.value] ?? [action.value, 0];
        const text = key === "Enter" ? "\r" : codes[action.value] ? undefined : action.value;
        await this.command("Input.dispatchKeyEvent", { type: action.type, key, code: key, windowsVirtualKeyCode, ...(action.type === "keyDown" ? { text } : {}) });
      }
    }
  }

  async crash() { this.command("Page.crash").catch(() => {}); }
  close() { return this.browser.send("Target.closeTarget", { targetId: this.target }); }
}

/** The browser, and its first page. */
class Browser extends Tab {
  #waiting = new Map();
  #last = 0;
  tabs = new Map();
  /** Called with each event of the browser: its name and its parameters. */
  listener = null;

  constructor() {
    super(null);
    this.browser = this;
  }

  static async start(t) {
    if (!executable) throw new Error("There is no Chromium. Install the package chromium.");
    const browser = new Browser();
    const child = launch(t, executable, [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
      "--disable-background-networking", "--disable-component-update", `--user-data-dir=${await profileOf(t)}`, "--remote-debugging-pipe", "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], ended: () => browser.#end() });
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

  /** Another page, in a window of its own: a tab behind another one draws no frames. */
  tab() { return new Tab(this).begin(); }

  async killSharedWorker() {
    const { targetInfos } = await this.send("Target.getTargets", {});
    await this.send("Target.closeTarget", { targetId: targetInfos.find(({ type }) => type === "shared_worker").targetId });
  }

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
    if (method === "Log.entryAdded" && params.entry.source === "security") this.tabs.get(sessionId)?.complaints.push(params.entry.text);
    if (method !== undefined) this.listener?.(method, params);
    if (method === "Target.detachedFromTarget") this.#end(params.sessionId);
    const { done, fail } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) fail?.(new Error(error.message));
    else done?.(result);
  }
}

export const start = (t) => Browser.start(t);
