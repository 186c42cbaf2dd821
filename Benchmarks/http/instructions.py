#!/usr/bin/env python3
"""Instructions per request of one build of realmgate against another, and beside bare libmicrohttpd, counted by Valgrind.

  Benchmarks/http/instructions.py BEFORE AFTER [KIND...]

Counts instructions of the program itself, not of the kernel, with one connection: the figures are the same on a busy
machine, so they show a difference of one percent, which CPU time does not. They say nothing about caches, locks and
system calls; compare.py does. BEFORE and AFTER are release builds. Valgrind cannot read their debugging information, so
copies without it are run. The ratio is before / after: below 1 means that AFTER needs more. The bare program is bare.c,
which makes a response of as many bytes for each request. REQUESTS may be set in the environment. Needs valgrind, objcopy,
cc and libmicrohttpd-dev.
"""
import http.client, json, os, re, signal, subprocess, sys, tempfile, time
from compare import Server

OBJECTS = 3000
requests = int(os.environ.get("REQUESTS", 300))
# Valgrind counts each byte of the processor's instruction to fill memory as an instruction. The library fills two pools of
# a connection's memory for each request, 48 KiB, in a microsecond; without that instruction it takes some 1,500 others.
COUNTED = ["env", "GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=1073741824", "valgrind", "--tool=callgrind"]


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


def ask(address, kind, count):
    """Sends requests; the length of the last response."""
    connection = http.client.HTTPConnection(address)
    for number in range(count):
        connection.request(*request(kind, number))
        response = connection.getresponse()
        body = response.read()
        if response.status >= 300:
            sys.exit(f"{kind} was answered with {response.status}: {body.decode()}")
    return len(body)


def total(counts):
    return int(re.search(r"^(?:summary|totals): (\d+)", open(counts).read(), re.M).group(1))


def bare(program, kind, size, count):
    """Instructions of a whole run of the bare program."""
    with tempfile.TemporaryDirectory() as scratch:
        counts, output = os.path.join(scratch, "counts"), os.path.join(scratch, "output")
        with open(output, "w") as file:
            process = subprocess.Popen(
                [*COUNTED, f"--callgrind-out-file={counts}", program, "fresh", str(size)], stdout=file,
                stderr=subprocess.DEVNULL)
        while not (address := re.search(r"http://(\S+)", open(output).read())):
            if process.poll() is not None:
                sys.exit("The bare program did not start.")
            time.sleep(0.1)
        ask(address.group(1), kind, 100 + count)
        process.terminate()
        process.wait()
        return total(counts)


def instructions(program, kind, count):
    """Those of a whole run: start, load, the requests, stop. And the length of a response."""
    with tempfile.TemporaryDirectory() as scratch:
        counts = os.path.join(scratch, "counts")
        server = Server(
            program, scratch, "counted", OBJECTS,
            wrapper=[*COUNTED, f"--callgrind-out-file={counts}"],
            # Valgrind cannot map as much memory as a database may use.
            options=["--set", "store.size=268435456"])
        # The first requests pay for directories that later ones use.
        size = ask(server.url.split("//")[1], kind, 100 + count)
        server.process.send_signal(signal.SIGTERM)
        server.process.wait()
        return total(counts), size


def main():
    before, after, *kinds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        print(f"{'kind':10} {'before':>10} {'after':>10} {'bare':>8} instructions per request   before / after   after / bare")
        programs = []
        for name, program in (("before", before), ("after", after)):
            programs.append(os.path.join(scratch, name))
            subprocess.run(["objcopy", "--strip-debug", program, programs[-1]], check=True)
        plain = os.path.join(scratch, "bare")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bare.c")
        subprocess.run(["cc", "-O2", "-pthread", "-o", plain, source, "-lmicrohttpd"], check=True)
        for kind in kinds or ["healthz", "get", "expand", "indexed", "page", "page100", "query", "aggregate", "create", "update"]:
            figures, size = [], 0
            for program in programs:
                (many, size), (none, _) = instructions(program, kind, requests), instructions(program, kind, 0)
                figures.append((many - none) / requests)
            a, b = figures
            c = (bare(plain, kind, size, requests) - bare(plain, kind, size, 0)) / requests
            print(f"{kind:10} {a:10.0f} {b:10.0f} {c:8.0f} {a / b:41.3f} {b / c:14.2f}", flush=True)


if __name__ == "__main__":
    main()
