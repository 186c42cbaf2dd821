#!/usr/bin/env python3
"""Instructions per request of one build of realmgate against another, counted by Valgrind.

  Benchmarks/http/instructions.py BEFORE AFTER [KIND...]

Counts instructions of the program itself, not of the kernel, with one connection: the figures are the same on a busy
machine, so they show a difference of one percent, which CPU time does not. They say nothing about caches, locks and
system calls; compare.py does. BEFORE and AFTER are release builds. Valgrind cannot read their debugging information, so
copies without it are run. The ratio is before / after: below 1 means that AFTER needs more. REQUESTS may be set in the
environment. Needs valgrind and objcopy.
"""
import http.client, json, os, re, signal, subprocess, sys, tempfile
from compare import Server

OBJECTS = 3000
requests = int(os.environ.get("REQUESTS", 300))


def request(kind, number):
    key = number * 7 % (OBJECTS - 100)
    item = {"_id": 10_000_000 + number, "name": "item", "age": 3, "weight": 1.5, "breed": "breed1"}
    return {
        "healthz": ("GET", "/healthz"),
        "get": ("GET", f"/v1/objects/Item/{key}"),
        "expand": ("GET", f"/v1/objects/Item/{key}?expand=friend"),
        "indexed": ("GET", f"/v1/objects/Item?filter=code+%3D+%27c{key}%27"),
        "page": ("GET", f"/v1/objects/Item?limit=30&offset={key}"),
        "page100": ("GET", f"/v1/objects/Item?limit=100&offset={key}"),
        "query": ("GET", f"/v1/objects/Item?filter=age+%3E+10+AND+weight+%3C+{number % 90}&sort=-weight&limit=30"),
        "aggregate": ("GET", f"/v1/aggregates/objects/Item?filter=age+%3E+{number % 19}&sum=weight&average=age"),
        "create": ("POST", "/v1/objects/Item", json.dumps(item), {"Content-Type": "application/json"}),
        "update": ("PATCH", f"/v1/objects/Item/{key}", f'{{"age":{number % 20}}}', {"Content-Type": "application/json"}),
    }[kind]


def instructions(program, kind, count):
    """Those of a whole run: start, load, the requests, stop."""
    with tempfile.TemporaryDirectory() as scratch:
        counts = os.path.join(scratch, "counts")
        server = Server(
            program, scratch, "counted", OBJECTS,
            wrapper=["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"],
            # Valgrind cannot map as much memory as a database may use.
            options=["--set", "store.size=268435456"])
        connection = http.client.HTTPConnection(server.url.split("//")[1])
        # The first requests pay for directories that later ones use.
        for number in range(100 + count):
            connection.request(*request(kind, number))
            response = connection.getresponse()
            body = response.read()
            if response.status >= 300:
                sys.exit(f"{kind} was answered with {response.status}: {body.decode()}")
        server.process.send_signal(signal.SIGTERM)
        server.process.wait()
        return int(re.search(r"^(?:summary|totals): (\d+)", open(counts).read(), re.M).group(1))


def main():
    before, after, *kinds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        print(f"{'kind':10} {'before':>10} {'after':>10} instructions per request   before / after")
        programs = []
        for name, program in (("before", before), ("after", after)):
            programs.append(os.path.join(scratch, name))
            subprocess.run(["objcopy", "--strip-debug", program, programs[-1]], check=True)
        for kind in kinds or ["healthz", "get", "expand", "indexed", "page", "page100", "query", "aggregate", "create", "update"]:
            a, b = ((instructions(p, kind, requests) - instructions(p, kind, 0)) / requests for p in programs)
            print(f"{kind:10} {a:10.0f} {b:10.0f} {a / b:24.3f}", flush=True)


if __name__ == "__main__":
    main()
