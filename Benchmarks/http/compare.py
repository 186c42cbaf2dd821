#!/usr/bin/env python3
"""CPU per request of one build of realmgate against another, in turns on one machine.

  Benchmarks/http/compare.py BEFORE AFTER [KIND...]

BEFORE and AFTER are release builds of the program. Each kind of request runs against both, a round each in turn, and
the ratio before / after is that of the medians: below 1 means that AFTER needs more. ROUNDS, SECONDS_EACH, CONNECTIONS
and OBJECTS may be set in the environment. Needs wrk.
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
# {} is a random number of an object.
KINDS = {
    "healthz": "/healthz",
    "get": "/v1/objects/Item/{}",
    "expand": "/v1/objects/Item/{}?expand=friend",
    "indexed": "/v1/objects/Item?filter=code%20%3D%20%27c{}%27",
    "page": "/v1/objects/Item?limit=30&offset={}",
    "page of 100": "/v1/objects/Item?limit=100&offset={}",
    "sorted": "/v1/objects/Item?filter=age%20%3E%2010%20AND%20weight%20%3C%2050&sort=-weight&limit=30",
    "aggregate": "/v1/aggregates/objects/Item?filter=age%20%3E%2010&sum=weight&average=age",
    "create": None,
    "update": None,
}


class Server:
    def __init__(self, program, scratch, name):
        self.name = name
        schema = os.path.join(scratch, "schema.json")
        with open(schema, "w") as file:
            json.dump(SCHEMA, file)
        self.out = open(os.path.join(scratch, name + ".out"), "w+")
        self.process = subprocess.Popen(
            [program, "serve", "--data", os.path.join(scratch, name + ".realmgate"), "--schema", schema, "--port", "0"],
            stdout=self.out, stderr=open(os.path.join(scratch, name + ".err"), "w"))
        for _ in range(200):
            match = re.search(r"http://[^ \n]*", open(self.out.name).read())
            if match:
                self.url = match.group(0).rstrip("/")
                break
            time.sleep(0.1)
        else:
            sys.exit(f"{program} did not start")
        chance = random.Random(1)
        for first in range(0, objects, 5000):
            items = [{"_id": i, "name": f"item {i}", "age": chance.randrange(20), "weight": chance.random() * 100,
                      "breed": f"breed{chance.randrange(50)}", "code": f"c{i}"}

                     for i in range(first, min(first + 5000, objects))]
            self.post("/v1/objects/Item", items)

    def post(self, path, body):
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        urllib.request.urlopen(request).read()

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self, kind, scratch):
        script = os.path.join(scratch, "requests.lua")
        with open(script, "w") as file:
            file.write(lua(kind))
        before = self.cpu()
        report = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script, self.url],
            capture_output=True, text=True, check=True).stdout
        used = self.cpu() - before
        if "Non-2xx" in report:
            sys.exit(f"{kind} on {self.name}: {report}")
        return used / int(re.search(r"(\d+) requests in", report).group(1)) * 1e6


seeds = 0


def lua(kind):
    global seeds
    seeds += 1
    text = f"math.randomseed({seeds})\nlocal json = {{['Content-Type'] = 'application/json'}}\nlocal n = 0\n"
    if kind == "create":
        return text + f"""function request() n = n + 1
          return wrk.format('POST', '/v1/objects/Item', json, string.format('{{"_id":%d,"name":"a","age":3}}', {seeds} * 10000000 + n)) end"""
    if kind == "update":
        return text + f"""function request()
          return wrk.format('PATCH', '/v1/objects/Item/' .. math.random(0, {objects - 1}), json, string.format('{{"age":%d}}', math.random(0, 19))) end"""
    left, _, right = KINDS[kind].partition("{}")
    if "{}" not in KINDS[kind]:
        return text + f"function request() return wrk.format('GET', '{left}') end"
    return text + f"function request() return wrk.format('GET', '{left}' .. math.random(0, {objects - 101}) .. '{right}') end"


def main():
    before, after, *kinds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        servers = [Server(before, scratch, "before"), Server(after, scratch, "after")]
        try:
            print(f"{'kind':14} {'before':>9} {'after':>9} µs of CPU per request   before / after")
            for kind in kinds or KINDS:
                figures = {server.name: [] for server in servers}
                for number in range(rounds):
                    for server in servers if number % 2 == 0 else reversed(servers):
                        figures[server.name].append(server.measure(kind, scratch))
                a, b = (statistics.median(figures[name]) for name in ("before", "after"))
                ratios = sorted(x / y for x, y in zip(figures["before"], figures["after"]))
                print(f"{kind:14} {a:9.2f} {b:9.2f} {a / b:20.3f}   ({ratios[0]:.2f} to {ratios[-1]:.2f})", flush=True)
        finally:
            for server in servers:
                server.process.send_signal(signal.SIGTERM)
                server.process.wait()


main()
