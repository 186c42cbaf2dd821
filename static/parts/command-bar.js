// The line at the foot of the page: what is on screen as a command for a shell.

import { paths } from "../core/api.js";
import { readCommand, writeCommand } from "../core/curl.js";

export class CommandBar {
  #commands = { query: "", stream: "", write: "" };
  #chosen = "query";
  #line = document.getElementById("command");
  #copy = document.getElementById("copy");
  #tabs = [...document.querySelectorAll("[data-command]")];

  constructor() {
    for (const tab of this.#tabs) {
      tab.addEventListener("click", () => {
        this.#chosen = tab.dataset.command;
        this.#show();
      });
    }
    this.#copy.addEventListener("click", () => this.#copyLine());
  }

  /** The commands for a view. */
  show(className, parameters) {
    const base = location.origin;
    this.#commands.query = readCommand("-sG", base + paths.collection(className), parameters);
    this.#commands.stream = parameters.snapshot
      ? "" : readCommand("-sNG", base + paths.observe(className), { ...parameters, include: "objects" });
    this.#show();
  }

  /** The command for a write that was just sent. */
  wrote(method, path, body) {
    this.#commands.write = writeCommand(method, location.origin + path, body);
    this.#show();
  }

  clear() {
    this.#commands.query = "";
    this.#commands.stream = "";
    this.#show();
  }

  #show() {
    this.#line.textContent = this.#commands[this.#chosen];
    for (const tab of this.#tabs) {
      tab.setAttribute("aria-pressed", String(tab.dataset.command === this.#chosen));
      tab.hidden = tab.dataset.command !== "query" && this.#commands[tab.dataset.command] === "";
    }
  }

  async #copyLine() {
    try {
      await navigator.clipboard.writeText(this.#line.textContent);
      this.#copy.textContent = "Copied";
    } catch {
      // Without the clipboard (plain http on another host), mark the text so that the reader can copy it.
      getSelection().selectAllChildren(this.#line);
      this.#copy.textContent = "Press Ctrl C";
    }
    setTimeout(() => {
      this.#copy.textContent = "Copy";
    }, 1600);
  }
}
