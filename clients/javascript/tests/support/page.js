// A page of a browser, as tests use it. Subclasses know the browser's protocol: they have `navigate(url)`, `evaluate(expression)`,
// `perform(source)`, which does what a keyboard or a pointer does, `resize(width, height)`, `capture()` and `close()`.

import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, within } from "./check.js";

/** The characters by which WebDriver names keys that write no text. */
const keys = {
  Backspace: "\uE003", Tab: "\uE004", Enter: "\uE007", Shift: "\uE008", Control: "\uE009", Escape: "\uE00C", End: "\uE010", Home: "\uE011",
  ArrowLeft: "\uE012", ArrowUp: "\uE013", ArrowRight: "\uE014", ArrowDown: "\uE015", Delete: "\uE017",
};

export class Page {
  /** Uncaught exceptions of the page, and what its content security policy has refused. */
  complaints = [];

  /** The value of an expression of the page, or what its promise gives. */
  async evaluate() { throw new Error("A subclass has this."); }

  async open(url) {
    await this.navigate(url);
    await eventually(() => this.evaluate(`document.readyState === "complete" && location.href === ${JSON.stringify(url)}`));
  }

  /** Waits until the expression is true. */
  async wait(expression) {
    try {
      await eventually(() => this.evaluate(`Boolean(${expression})`));
    } catch (error) {
      const shown = await this.evaluate("document.body.innerText");
      throw new Error(`waited in vain for ${expression}; the page reported ${JSON.stringify(this.complaints)} and shows: ${shown}`, { cause: error });
    }
  }

  /** Ends the page without a word to it, where the browser can. */
  crash() { return this.close(); }

  /** Clicks the middle of the element. */
  async click(element, times = 1) {
    await this.wait(element);
    const [x, y] = await this.evaluate(`(() => {
      const element = ${element};
      element.scrollIntoView({ block: "nearest", inline: "nearest" });
      const box = element.getBoundingClientRect();
      return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
    })()`);
    const press = [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
    await this.perform({
      type: "pointer", id: "mouse", parameters: { pointerType: "mouse" },
      actions: [{ type: "pointerMove", x, y, duration: 0 }, ...Array.from({ length: times }, () => press).flat()],
    });
  }

  /** Types into what has the focus. */
  type(text) { return this.#strike([...text]); }

  /** Presses a key by its name: `Enter`, `ArrowDown`, `n`. */
  press(key) { return this.#strike([keys[key] ?? key]); }

  #strike(values) {
    return this.perform({ type: "key", id: "keyboard", actions: values.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]) });
  }

  /** Writes what is shown into a PNG file. */
  async screenshot(file) { await writeFile(file, Buffer.from(await this.capture(), "base64")); }
}

/** A directory that is deleted after the test. */
export async function profileOf(t) {
  const profile = await mkdtemp(join(tmpdir(), "realmgate-browser-"));
  t.after(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }));
  return profile;
}

/** Starts a program with the processes that it starts itself, and ends all of them after the test. */
export function launch(t, executable, options, { stdio = ["ignore", "ignore", "ignore"], env = process.env, ended = () => {} } = {}) {
  const child = spawn(executable, options, { stdio, env, detached: true });
  const end = new Promise((done) => {
    child.on("exit", done);
    child.on("error", done);
  });
  end.then(ended);
  t.after(async () => {
    // All are in the group that it leads.
    try { process.kill(-child.pid, "SIGKILL"); } catch { /* They have ended. */ }
    await within(end, () => `the end of ${executable}`);
  });
  return child;
}
