#!/usr/bin/env python3
"""How much memory do large answers take? See Benchmarks/README.md.

    Benchmarks/Answers/run.py [PROGRAM [WORDS]]

PROGRAM is .build/release/realmgate, or else .build/debug/realmgate. With WORDS, only attacks whose names have them are run.
Needs Linux and Python's standard library.
"""
import http.client, json, os, re, shutil, socket, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMA = {"schemaVersion": 1, "classes": [
    {"name": "Web", "primaryKey": "id", "properties": [
        {"name": "id", "type": "int"}, {"name": "text", "type": "string"}, {"name": "all", "type": "Web[]"},
        {"name": "sources", "type": "linkingObjects(Web.all)"}]},
    {"name": "Blob", "primaryKey": "id", "properties": [
        {"name": "id", "type": "int"}, {"name": "text", "type": "string"}]},
    {"name": "Note", "primaryKey": "id", "properties": [
        {"name": "id", "type": "int"}, {"name": "text", "type": "string"}]},
    {"name": "Row", "primaryKey": "id", "properties": [
        {"name": "id", "type": "int"}, {"name": "list", "type": "int[]"}, {"name": "set", "type": "int<>"},
        {"name": "number", "type": "int?"}, {"name": "map", "type": "int{}"}, {"name": "any", "type": "mixed"}]}]
    + [{"name": f"C{i}", "primaryKey": "id", "properties": [
        {"name": "id", "type": "int"}, {"name": "next", "type": f"C{(i + 1) % 1500}?"}]} for i in range(1500)]}


class Server:
    def __init__(self, program, directory):
        schema = os.path.join(directory, "schema.json")
        with open(schema, "w") as file:
            json.dump(SCHEMA, file)
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--data", os.path.join(directory, "data"), "--schema", schema,
             "--log-level", "error", "--set", "metrics.open=true"],
            stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)\s*$", self.process.stdout.readline()).group(1))

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def ask(self, method, target, body=None, timeout=120):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content

    def memory(self, name):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(name + r":\s+(\d+) kB", file.read()).group(1)) / 1024


class Pulse:
    """Asks for /healthz all the while, and notes the longest time that it took."""

    def __init__(self, server):
        self.server, self.longest, self.goes_on = server, 0.0, True
        self.thread = threading.Thread(target=self.beat)
        self.thread.start()

    def beat(self):
        while self.goes_on:
            start = time.monotonic()
            self.server.ask("GET", "/healthz")
            self.longest = max(self.longest, time.monotonic() - start)
            time.sleep(0.01)

    def end(self):
        self.goes_on = False
        self.thread.join()
        return self.longest * 1000


def fill(server):
    def post(name, rows):
        status, answer = server.ask("POST", f"/v1/objects/{name}", json.dumps(rows))
        assert status == 201, answer
    post("Web", [{"id": i, "text": "x" * 12_000} for i in range(200)])
    every = list(range(200))
    for i in every:
        status, answer = server.ask("PATCH", f"/v1/objects/Web/{i}", json.dumps({"all": every}))
        assert status == 200, answer
    for i in range(12):
        status, answer = server.ask("POST", "/v1/objects/Row", numbers(i, 3_000_000), timeout=600)
        assert status == 201, answer
        status, answer = server.ask("PATCH", f"/v1/objects/Row/{i}", "{%s}" % members(0), timeout=600)
        assert status == 200, answer
        status, answer = server.ask("PATCH", f"/v1/objects/Row/{i}", "{%s}" % entries(0), timeout=600)
        assert status == 200, answer
    for part in range(3):
        status, answer = server.ask("POST", "/v1/objects/Row", rows(1_000_000 * (1 + part), 300_000), timeout=600)
        assert status == 201, answer
    text = "x" * (1 << 20)
    for start in range(0, 400, 8):
        post("Blob", [{"id": i, "text": text} for i in range(start, start + 8)])
    text = "y" * 10_000
    for start in range(0, 1000, 500):
        post("Note", [{"id": i, "text": text} for i in range(start, start + 500)])


def deep(server):
    status, answer = server.ask("GET", "/v1/objects/Web/1?expand=all.all")
    return f"{status} {json.loads(answer).get('code', '')}, {len(answer)} bytes"


def wide(server):
    status, answer = server.ask("GET", "/v1/objects/Blob?limit=400")
    page = json.loads(answer)
    return f"{status}, {len(page['items'])} objects, {'with' if 'next' in page else 'without'} next"


def silent(target):
    def run(server):
        sockets = []
        for _ in range(200):
            each = socket.socket()
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            each.connect(("127.0.0.1", server.port))
            each.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            sockets.append(each)
        time.sleep(6)
        status, answer = server.ask("GET", "/metrics")
        figures = dict(line.split(" ") for line in answer.decode().split("\n") if line.startswith("realmgate_answers"))
        for each in sockets:
            each.close()
        return ", ".join(f"{name[len('realmgate_answers_'):]} {value}" for name, value in figures.items())
    return run


def streams(shapes):
    """200 streams of all large objects that nobody reads, while each of the objects is changed."""
    def run(server):
        sockets = []
        for number in range(200):
            each = socket.socket()
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            each.connect(("127.0.0.1", server.port))
            target = f"/v1/observe/objects/Blob?sort=id&limit={400 + number % shapes}"
            each.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            sockets.append(each)
        time.sleep(2)
        text = "z" * (1 << 20)
        start = time.monotonic()
        for i in range(400):
            status, answer = server.ask("PATCH", f"/v1/objects/Blob/{i}", json.dumps({"text": text}))
            assert status == 200 and len(answer) > 1 << 20, (status, len(answer))
        seconds = time.monotonic() - start
        for each in sockets:
            each.close()
        return f"400 changes in {seconds:.1f} s"
    return run


def at_once(count, request):
    """What each of many threads gets, counted."""
    def run(server):
        answers, lock = {}, threading.Lock()

        def one(number):
            try:
                answer = request(server, number)
            except OSError as error:
                answer = type(error).__name__
            with lock:
                answers[answer] = answers.get(answer, 0) + 1
        threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return ", ".join(f"{number} times {answer}" for answer, number in sorted(answers.items()))
    return run


last_body = 0


def outcome(answer):
    status, content = answer
    return f"{status} `{json.loads(content)['code']}`" if status >= 400 else str(status)


def expanded(server, number):
    return outcome(server.ask("GET", "/v1/objects/Web/1?expand=all.all", timeout=600))


def expanded_event(server, number):
    """The first event of a stream of one row, of which each client wants its own."""
    each = socket.create_connection(("127.0.0.1", server.port), timeout=600)
    target = f"/v1/observe/objects/Web?expand=all.all&limit={1 + number}"
    each.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    received = b""
    while not re.search(rb"event: (\w+)[^{]*({.{200}|{.*?}\n)", received, re.S):
        piece = each.recv(1 << 16)
        if not piece:
            break
        received = (received + piece)[-1 << 17:]
    code = re.search(rb'"code":"([^"]*)"', received)
    each.close()
    return f"`{code.group(1).decode()}`" if code else "an event"


def body(content, count):
    """Objects that do not exist yet; `content` gets the first of the ids that it may use."""
    global last_body

    def request(server, number):
        text = content(base + number * count, count)
        return outcome(server.ask("POST", "/v1/objects/Row", text, timeout=600))
    base = last_body = last_body + 1_000_000_000
    return request


def numbers(first, count):
    return '{"id":%d,"list":[%s]}' % (first, ",".join(["7"] * count))


def rows(first, count):
    return "[" + ",".join('{"id":%d,"list":[1,2]}' % (first + i) for i in range(count)) + "]"


def replacing(method, target, text, media="application/json"):
    """Writes of objects that exist: {} in the target and the text stands for the number of the request."""
    def request(server, number):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        connection.request(
            method, target.replace("{}", str(number)), text.replace("{}", str(number)), {"Content-Type": media})
        answer = connection.getresponse()
        found = outcome((answer.status, answer.read()))
        connection.close()
        return found
    return request


def sevens(number, count=3_000_000):
    return '"list":[%s]' % ",".join([str(number)] * count)


def members(first, count=600_000):
    return '"set":[%s]' % ",".join(map(str, range(first, first + count)))


def entries(first, count=300_000):
    return '"map":{%s}' % ",".join('"k%d":%d' % (first + i, i) for i in range(count))


def changed_rows(server, number):
    text = rows(1_000_000 * (1 + number), 300_000).replace("[1,2]", "[3,4]")
    return outcome(server.ask("POST", "/v1/objects/Row?update=modified", text, timeout=600))


def lists(first, count):
    return '{"id":%d,"any":[%s]}' % (first, ",".join(["[1]"] * count))


def description(server, number):
    return outcome(server.ask("GET", "/openapi.json", timeout=600))


def main():
    programs = sys.argv[1:2] or [f"{ROOT}/.build/{kind}/realmgate" for kind in ("release", "debug")]
    program = next(each for each in programs if os.path.exists(each))
    directory = tempfile.mkdtemp(prefix="realmgate-answers-")
    try:
        server = Server(program, directory)
        fill(server)
        server.stop()
        print("| attack | resting MiB | peak MiB | over it | longest /healthz, ms | answer |")
        print("| --- | --- | --- | --- | --- | --- |")
        for name, attack in [
            ("200 objects that list all 200, `expand=all.all`", deep), ("one GET of 400 objects of 1 MiB", wide),
            ("200 clients that do not read a page of 10 MB", silent("/v1/objects/Note?limit=1000")),
            ("200 clients that do not read a page of 10 objects of 1 MiB", silent("/v1/objects/Blob?limit=10")),
            ("200 streams of 400 objects of 1 MiB that nobody reads, one query, while all are changed", streams(1)),
            ("the same, 40 queries", streams(40)),
            ("60 at once of the first", at_once(60, expanded)),
            ("8 streams of such objects at once", at_once(8, expanded_event)),
            ("3 bodies of 14 MB, 7 million numbers in a list", at_once(3, body(numbers, 7_000_000))),
            ("6 bodies of 6 MB, 3 million numbers in a list", at_once(6, body(numbers, 3_000_000))),
            ("3 bodies of 9 MB, 300,000 objects with lists of two", at_once(3, body(rows, 300_000))),
            ("3 bodies of 16 MB, 4 million lists in a list", at_once(3, body(lists, 4_000_000))),
            ("12 `PUT`s of 6 MB that each replace 3 million numbers in a list",
             at_once(12, replacing("PUT", "/v1/objects/Row/{}", "{%s}" % sevens(1)))),
            ("12 `PATCH`es of 4 MB that each replace 600,000 numbers of a set, half of them",
             at_once(12, replacing("PATCH", "/v1/objects/Row/{}", "{%s}" % members(300_000)))),
            ("12 that replace all of them",
             at_once(12, replacing("PATCH", "/v1/objects/Row/{}", "{%s}" % members(1_300_000)))),
            ("12 `PUT`s of 4 MB that each replace 300,000 entries of a map, half of them",
             at_once(12, replacing("PUT", "/v1/objects/Row/{}", "{%s}" % entries(150_000)))),
            ("12 that replace all of them",
             at_once(12, replacing("PUT", "/v1/objects/Row/{}", "{%s}" % entries(800_000)))),
            ("12 such objects with `update=modified`",
             at_once(12, replacing("POST", "/v1/objects/Row?update=modified", '{"id":{},%s}' % sevens(2)))),
            ("12 transactions that do so",
             at_once(12, replacing(
                 "POST", "/v1/transactions",
                 '{"operations":[{"op":"set","object":{"class":"Row","key":{}},"value":{%s}}]}' % sevens(3)))),
            ("8 imports of two lines of 6 MB that do so, with `update=modified`",
             at_once(8, replacing(
                 "POST", "/v1/import/Row?update=modified", '{"id":{},%s}\n{"id":{},%s}' % (sevens(4), sevens(5)),
                 "application/x-ndjson"))),
            ("3 bodies of 9 MB, 300,000 objects that exist, each with another list of two", at_once(3, changed_rows)),
            ("`PATCH` of 900,000 objects", at_once(1, replacing(
                "PATCH", "/v1/objects/Row?filter=id%20%3E%3D%201000000", '{"number":7}'))),
            ("`DELETE` of 12 objects with such lists", at_once(1, replacing(
                "DELETE", "/v1/objects/Row?filter=id%20%3C%2012", ""))),
            ("the description of 1,500 classes, 3 times at once", at_once(3, description)),
        ]:
            if not all(word in name for word in sys.argv[2:]):
                continue
            server = Server(program, directory)
            server.ask("GET", "/v1/objects/Note?limit=1")
            # What is mapped of the database is the kernel's, which takes it back.
            resting, most = server.memory("RssAnon"), [0.0]
            over = threading.Event()

            def watch():
                while not over.is_set():
                    most[0] = max(most[0], server.memory("RssAnon"))
                    time.sleep(0.01)

            watcher = threading.Thread(target=watch)
            watcher.start()
            pulse = Pulse(server)
            answer = attack(server)
            slowest = pulse.end()
            over.set()
            watcher.join()
            peak = most[0]
            print(f"| {name} | {resting:.0f} | {peak:.0f} | {peak - resting:.0f} | {slowest:.0f} | {answer} |", flush=True)
            server.stop()
    finally:
        shutil.rmtree(directory)


main()
