// The line at the foot of the page: the query on it as a command for a shell.

import { readCommand, writeCommand } from "../core/curl.js";
import { copyText } from "./copy.js";

export class CommandBar {
  #commands = { query: "", stream: "", write: "" };
  #chosen = "query";
  #line = document.getElementById("command");
  #copy = document.getElementById("copy");
  #tabs = [...document.querySelectorAll("[data-command]")];

  constructor(session) {
    this.session = session;
    for (const tab of this.#tabs) {
      tab.addEventListener("click", () => {
        this.#chosen = tab.dataset.command;
        this.#show();
      });
    }
    this.#copy.addEventListener("click", () =>
      copyText(this.#line.textContent, this.#copy, () => getSelection().selectAllChildren(this.#line)));
  }

  /** The commands for a view, each a path and its parameters: those that read it and, or null, those that observe it. */
  show({ query, stream }) {
    const command = (flags, [path, parameters]) => readCommand(flags, location.origin + path, parameters, this.session.key !== null);
    this.#commands.query = command("-sG", query);
    this.#commands.stream = stream === null ? "" : command("-sNG", stream);
    this.#show();
  }

  /** The command for a write that was just sent. */
  wrote(method, path, body) {
    this.#commands.write = writeCommand(method, location.origin + path, body, this.session.key !== null);
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
