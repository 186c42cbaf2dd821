// The line at the foot of the page: the query on it as a command for a shell.

import { paths } from "../core/api.js";
import { readCommand, writeCommand } from "../core/curl.js";
import { copyText } from "./copy.js";

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
    this.#copy.addEventListener("click", () =>
      copyText(this.#line.textContent, this.#copy, () => getSelection().selectAllChildren(this.#line)));
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
}
