#!/usr/bin/env python3
"""CPU per request of one build of realmgate against another, in turns on one machine.

  Benchmarks/http/compare.py BEFORE AFTER [KIND...]

BEFORE and AFTER are release builds of the program. Each kind of request, one of requests.lua, runs against both, a
round each in turn. The ratio before / after is that of the medians: below 1 means that AFTER needs more CPU. The range
in brackets is that of the rounds' own ratios. ROUNDS, SECONDS_EACH, CONNECTIONS and OBJECTS may be set in the
environment. Needs wrk.
"""
import json, os, random, re, signal, statistics, subprocess, sys, tempfile, time, urllib.request

rounds = int(os.environ.get("ROUNDS", 5))
seconds = int(os.environ.get("SECONDS_EACH", 3))
connections = os.environ.get("CONNECTIONS", "32")
objects = int(os.environ.get("OBJECTS", 100_000))

SCHEMA = {"schemaVersion": 1, "classes": [
    {"name": "Item", "primaryKey": "_id", "properties": [
        {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "age", "type": "int"},
        {"name": "weight", "type": "double"}, {"name": "breed", "type": "string"},
        {"name": "code", "type": "string", "indexed": True}, {"name": "friend", "type": "Item?"}]}]}
KINDS = ["healthz", "get", "expand", "indexed", "page", "page100", "query", "aggregate", "create", "update"]
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "requests.lua")


class Server:
    """One program that serves a database of its own."""

    def __init__(self, program, scratch, name, objects=objects, wrapper=(), options=(), schema=SCHEMA):
        self.name = name
        form, schema = schema, os.path.join(scratch, name + ".json")
        with open(schema, "w") as file:
            json.dump(form, file)
        output, log = (open(os.path.join(scratch, name + end), "w") for end in (".out", ".err"))
        self.process = subprocess.Popen(
            [*wrapper, program, "serve", "--data", os.path.join(scratch, name + ".realmgate"), "--schema", schema,
             "--port", "0", *options], stdout=output, stderr=log)
        self.url = self.address(output.name)
        chance = random.Random(1)
        for first in range(0, objects, 5000):
            self.post("/v1/objects/Item", [
                {"_id": i, "name": f"item {i}", "age": chance.randrange(20), "weight": chance.random() * 100,
                 "breed": f"breed{chance.randrange(50)}", "code": f"c{i}", "friend": i - 1 if i else None}
                for i in range(first, min(first + 5000, objects))])

    def address(self, output):
        for _ in range(600):
            if match := re.search(r"http://[^ \n]*", open(output).read()):
                return match.group(0).rstrip("/")
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.process.kill()
        self.process.wait()
        sys.exit(f"The program of {self.name} did not start: {open(output[:-4] + '.err').read().strip()[-500:]}")

    def post(self, path, body):
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        urllib.request.urlopen(request).read()

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self, kind, seed):
        before = self.cpu()
        report = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", SCRIPT, self.url, "--", kind, str(objects), str(seed)],
            capture_output=True, text=True, check=True).stdout
        used = self.cpu() - before
        requests, *_, errors = report.splitlines()[-1].split()
        if int(errors):
            sys.exit(f"{kind} on {self.name} gave {errors} errors.")
        return used / int(requests) * 1e6


def main():
    before, after, *kinds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        servers = [Server(before, scratch, "before"), Server(after, scratch, "after")]
        try:
            print(f"{'kind':10} {'before':>9} {'after':>9} µs of CPU per request   before / after")
            for place, kind in enumerate(kinds or KINDS):
                figures = {server.name: [] for server in servers}
                for number in range(rounds):
                    # Both get the same requests; each run creates other objects.
                    seed = place * rounds + number
                    for server in servers if number % 2 == 0 else reversed(servers):
                        figures[server.name].append(server.measure(kind, seed))
                a, b = (statistics.median(figures[name]) for name in ("before", "after"))
                ratios = sorted(x / y for x, y in zip(figures["before"], figures["after"]))
                print(f"{kind:10} {a:9.2f} {b:9.2f} {a / b:20.3f}   ({ratios[0]:.2f} to {ratios[-1]:.2f})", flush=True)
        finally:
            for server in servers:
                server.process.send_signal(signal.SIGTERM)
                server.process.wait()


if __name__ == "__main__":
    main()
