#!/usr/bin/env python3
"""Long writes by one client, and what another client's small writes and reads wait for meanwhile.

    Benchmarks/LongWrites/long-writes.py PROGRAM [SIZE [DOUBLINGS [SCENARIO …]]]

Starts PROGRAM (`.build/release/realmgate`) on a database of its own for each scenario and does it with SIZE, 2 SIZE,
4 SIZE … elements. For each it prints the seconds of the request, how long another client waited for a small write and for
a small read (the 99th percentile and the longest), and the ratio of the request's seconds to those of half as many: about
2 is linear.
"""
import http.client, json, random, shutil, subprocess, sys, tempfile, threading, time

SCHEMA = {"schemaVersion": 1, "classes": [
    {"name": "Item", "primaryKey": "id", "properties": [
        {"name": "id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "score", "type": "double"},
        {"name": "rank", "type": "int"}, {"name": "note", "type": "string?"}]},
    {"name": "Box", "primaryKey": "id", "properties": [
        {"name": "id", "type": "int"}, {"name": "map", "type": "int{}"}, {"name": "list", "type": "int[]"},
        {"name": "set", "type": "string<>"}]},
    {"name": "Probe", "primaryKey": "id", "properties": [{"name": "id", "type": "int"}, {"name": "n", "type": "int"}]}]}


class Server:
    def __init__(self, program):
        self.place = tempfile.mkdtemp(prefix="long-writes-")
        with open(self.place + "/schema.json", "w") as file:
            json.dump(SCHEMA, file)
        self.process = subprocess.Popen(
            [program, "serve", "--data", self.place + "/data", "--schema", self.place + "/schema.json", "--port", "0",
             "--log-level", "error", "--set", "limits.body=268435456", "--set", "limits.transaction=1000000"],
            stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def client(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.place)


def ask(client, method, path, body=None):
    kind = "application/x-ndjson" if path.startswith("/v1/import") else "application/json"
    client.request(method, path, body, {"Content-Type": kind} if body is not None else {})
    answer = client.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise SystemExit(f"{method} {path}: {answer.status} {text[:300]}")
    return text


def words(count):
    """Names in no order."""
    names = [f"name {i:x}" for i in range(count)]
    random.Random(1).shuffle(names)
    return names


def items(count, turn):
    all = [{"id": i, "name": f"item {i} {turn}", "score": i / 7 + turn, "rank": i + turn, "note": None}
           for i in range(count)]
    random.Random(turn).shuffle(all)
    return json.dumps(all)


# Each gives what is done first, and the request that is measured.
SCENARIOS = {
    "create a map": lambda n: (
        [], ("POST", "/v1/objects/Box", json.dumps({"id": 1, "map": {w: 1 for w in words(n)}}))),
    "fill a map": lambda n: (
        [("POST", "/v1/objects/Box", '{"id":1}')],
        ("PATCH", "/v1/objects/Box/1", json.dumps({"map": {w: 1 for w in words(n)}}))),
    "change half of a map": lambda n: (
        [("POST", "/v1/objects/Box", json.dumps({"id": 1, "map": {w: 1 for w in words(n)}}))],
        ("PATCH", "/v1/objects/Box/1", json.dumps({"map": {w: i % 2 for i, w in enumerate(words(n))}}))),
    "fill a set": lambda n: (
        [("POST", "/v1/objects/Box", '{"id":1}')],
        ("PATCH", "/v1/objects/Box/1", json.dumps({"set": words(n)}))),
    "put keys one by one": lambda n: (
        [("POST", "/v1/objects/Box", '{"id":1}')],
        ("POST", "/v1/transactions", json.dumps({"operations": [
            {"op": "put", "object": {"class": "Box", "key": 1}, "property": "map", "mapKey": w, "value": 1}
            for w in words(n)]}))),
    "append to a list": lambda n: (
        [("POST", "/v1/objects/Box", '{"id":1}')],
        ("POST", "/v1/objects/Box/1/list", json.dumps(list(range(n))))),
    "create objects": lambda n: ([], ("POST", "/v1/objects/Item", items(n, 0))),
    "update=modified": lambda n: (
        [("POST", "/v1/objects/Item", items(n, 0))], ("POST", "/v1/objects/Item?update=modified", items(n, 1))),
    "update=all": lambda n: (
        [("POST", "/v1/objects/Item", items(n, 0))], ("POST", "/v1/objects/Item?update=all", items(n, 1))),
    "patch by filter": lambda n: (
        [("POST", "/v1/objects/Item", items(n, 0))],
        ("PATCH", "/v1/objects/Item?filter=rank%20%3E%3D%200", '{"rank":7,"note":"seen"}')),
    "import": lambda n: (
        [], ("POST", "/v1/import/Item", "\n".join(json.dumps(
            {"id": i, "name": f"item {i}", "score": i / 7, "rank": i, "note": None}) for i in range(n)))),
    "delete by filter": lambda n: (
        [("POST", "/v1/objects/Item", items(n, 0))], ("DELETE", "/v1/objects/Item?filter=rank%20%3E%3D%200", None)),
}


def shown(waits):
    """The 99th percentile and the longest."""
    waits.sort()
    return f"{waits[len(waits) * 99 // 100]:.3f} / {waits[-1]:.2f}"


def measure(program, scenario, count):
    server = Server(program)
    try:
        before, (method, path, body) = SCENARIOS[scenario](count)
        client = server.client()
        for step in before:
            ask(client, *step)
        ask(client, "POST", "/v1/objects/Probe", '{"id":1}')
        over = threading.Event()
        waits = {"write": [], "read": []}

        def probe(kind, *request):
            other = server.client()
            while not over.is_set():
                start = time.monotonic()
                ask(other, *request)
                waits[kind].append(time.monotonic() - start)
                time.sleep(0.01)

        probes = [
            threading.Thread(target=probe, args=("write", "PATCH", "/v1/objects/Probe/1", '{"n":2}')),
            threading.Thread(target=probe, args=("read", "GET", "/v1/objects/Probe/1"))]
        for thread in probes:
            thread.start()
        time.sleep(0.1)
        start = time.monotonic()
        ask(client, method, path, body)
        seconds = time.monotonic() - start
        over.set()
        for thread in probes:
            thread.join()
        return seconds, shown(waits["write"]), shown(waits["read"])
    finally:
        server.close()


def main():
    program = sys.argv[1]
    size = int(sys.argv[2]) if len(sys.argv) > 2 else 50_000
    doublings = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    chosen = sys.argv[4:] or list(SCENARIOS)
    print("| scenario | elements | request, s | a write waits, s (p99 / most) | a read waits, s | times half as many |")
    print("| --- | --: | --: | --: | --: | --: |")
    for scenario in chosen:
        last = None
        for step in range(doublings + 1):
            count = size << step
            seconds, write, read = measure(program, scenario, count)
            ratio = f"{seconds / last:.1f}" if last else ""
            print(f"| {scenario} | {count} | {seconds:.2f} | {write} | {read} | {ratio} |", flush=True)
            last = seconds


main()
