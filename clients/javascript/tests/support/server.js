// A server of the tests: the program in REALMGATE_PROGRAM, on a database of its own.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { within } from "./check.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../../..");
export const program = process.env.REALMGATE_PROGRAM ?? join(root, ".build/debug/realmgate");
if (!existsSync(program)) throw new Error(`There is no ${program}. Build it with: swift build --product realmgate`);

export const schema = {
  schemaVersion: 1,
  classes: [
    { name: "Card", primaryKey: "id", properties: [
      { name: "id", type: "int" }, { name: "title", type: "string" }, { name: "column", type: "string" },
      { name: "position", type: "double" }, { name: "owner", type: "Person?" }, { name: "tags", type: "string[]" },
      { name: "marks", type: "int<>" }, { name: "rates", type: "double{}" }, { name: "parts", type: "Part[]" }] },
    { name: "Person", primaryKey: "handle", properties: [
      { name: "handle", type: "string" }, { name: "city", type: "string?" },
      { name: "cards", type: "linkingObjects(Card.owner)" }] },
    { name: "Part", embedded: true, properties: [{ name: "size", type: "int" }, { name: "sizes", type: "int[]" }] },
    { name: "Bare", properties: [{ name: "x", type: "int" }] },
    { name: "Thing", primaryKey: "id", properties: [
      { name: "id", type: "uuid" }, { name: "big", type: "int?" }, { name: "price", type: "decimal128?" },
      { name: "when", type: "date?" }, { name: "photo", type: "data?" }, { name: "oid", type: "objectId?" },
      { name: "ratio", type: "double" }, { name: "extra", type: "mixed" }, { name: "bare", type: "Bare?" },
      { name: "__proto__", type: "string" }, { name: "days", type: "date[]" }, { name: "bigs", type: "int{}" }] },
  ],
};

/** Runs the program to its end, and returns what it printed. */
export function run(...all) {
  return new Promise((done, fail) => {
    const child = spawn(program, all, { stdio: ["ignore", "pipe", "pipe"] });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (data) => { output += data; });
    child.stderr.on("data", (data) => { errors += data; });
    child.on("error", fail);
    child.on("close", (code) => (code === 0 ? done(output) : fail(new Error(`${all[0]} failed: ${errors}`))));
  });
}

let count = 0;

/** An address of the loopback network of its own: nobody else has its ports while the server is down. */
function ownAddress() {
  count += 1;
  const { pid } = process;
  return `127.${100 + (count % 100)}.${(pid >> 8) & 0xff}.${1 + (pid % 254)}`;
}

export class Server {
  #child = null;

  /** - classes: the schema; null leaves it to the options. */
  static async start(t, { settings = [], options = [], classes = schema } = {}) {
    const server = new Server();
    server.directory = await mkdtemp(join(tmpdir(), "realmgate-js-"));
    server.data = join(server.directory, "data.realmgate");
    server.options = [...options, ...settings.flatMap((setting) => ["--set", setting])];
    server.address = ownAddress();
    server.port = 0;
    server.schema = classes === null ? null : join(server.directory, "schema.json");
    if (classes !== null) await writeFile(server.schema, JSON.stringify(classes));
    t.after(async () => {
      await server.kill();
      await rm(server.directory, { recursive: true, force: true });
    });
    await server.resume();
    return server;
  }

  get url() { return `http://${this.address}:${this.port}`; }

  /** Starts the program, again on the same port. */
  async resume() {
    const all = ["serve", "--data", this.data, ...(this.schema === null ? [] : ["--schema", this.schema]), "--host", this.address,
      "--port", String(this.port), "--log-level", "error", ...this.options];
    const child = this.#child = spawn(program, all, { stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    const ready = new Promise((done, fail) => {
      const read = (data) => {
        log += data;
        const port = /listening on http:\/\/[\d.]+:(\d+)/.exec(log)?.[1];
        if (port) done(Number(port));
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.on("error", fail);
      child.on("close", () => fail(new Error(`The server ended: ${log}`)));
    });
    this.port = await within(ready, () => `the server: ${log}`);
  }

  #end(signal) {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    const ended = new Promise((done) => child.on("exit", done));
    child.kill(signal);
    return within(ended, () => `the server's end after ${signal}`);
  }

  kill() { return this.#end("SIGKILL"); }
  stop() { return this.#end("SIGTERM"); }

  backup(file) { return run("backup", this.data, join(this.directory, file)); }
  restore(file) { return run("restore", join(this.directory, file), this.data, "--replace"); }
}
