"""Opens every kind of stream that a description tells of, makes happen what there is to be told, and holds every event
against the description. Events that are described and never come are faults, too.

    streams.py URL PROCESS      the gateway, which is stopped at the end
"""

import http.client
import json
import os
import select
import signal
import socket
import sys
import urllib.parse

import fill
from described import Description
from fill import PATIENCE

base, process = sys.argv[1], int(sys.argv[2])
address = urllib.parse.urlsplit(base).netloc
description = Description(fill.call(base, None, "GET", "/openapi.json"))
faults = []
seen = {}


class Stream:
    def __init__(self, path, method="GET", body=None, headers={}):
        self.path, self.method = path, method
        self.connection = http.client.HTTPConnection(address, timeout=PATIENCE)
        # A form is asked for as what it stands for.
        self.connection.request(method, path, body, headers)
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        self.id = None
        assert self.answer.status == 200, f"{method} {path}: {self.answer.status} {self.answer.read()}"
        for fault in description.answer_faults(method, path, 200, dict(self.answer.getheaders())):
            faults.append(f"{method} {path}: {fault}")
        self.described = [
            (template, operation["responses"]["200"]["content"]["text/event-stream"]["x-events"])
            for template, operation in description.operations(method, path)
        ]
        assert self.described, path

    def next(self):
        """The name of the next event; None at the end."""
        fields = {}
        while line := self.answer.readline():
            line = line.decode().rstrip("\n")
            if not line and "event" in fields:
                self.id = fields.get("id", self.id)
                self.hold(fields)
                return fields["event"]
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                fields[name] = value
        if fields:
            faults.append(f"{self.path}: the stream ends within an event: {fields}")
        return None

    def hold(self, fields):
        name, data = fields["event"], json.loads(fields["data"])
        for template, events in self.described:
            seen.setdefault(template, set()).add(name)
            if name not in events:
                faults.append(f"{self.path}: the event {name} is not described")
                continue
            faults.extend(f"{self.path}: {name}: {each}" for each in description.faults(events[name], data))

    def until(self, name):
        came = []
        while (event := self.next()) is not None:
            came.append(event)
            if event == name:
                return self
        faults.append(f"{self.path}: {name} did not come, but {came}")
        return self

    def arrived(self):
        """The bytes that came and were not read, as far as there are any."""
        text = b""
        # Looking at what is buffered reads from the socket when nothing is.
        if select.select([self.socket], [], [], 0)[0]:
            text = self.socket.recv(1 << 20, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        self.socket.settimeout(0)
        try:
            return self.answer.fp.peek() + text
        finally:
            self.socket.settimeout(PATIENCE)

    def ends(self):
        if (event := self.next()) is not None:
            faults.append(f"{self.path}: {event} came instead of the end")


def call(method, path, body=None):
    request = http.client.HTTPConnection(address, timeout=PATIENCE)
    headers = {"Content-Type": "application/json"} if body is not None else {}
    request.request(method, path, None if body is None else json.dumps(body), headers)
    answer = request.getresponse()
    content = answer.read()
    assert answer.status < 300, f"{method} {path}: {answer.status} {content}"
    faults.extend(
        f"{method} {path}: {fault}"
        for fault in description.answer_faults(method, path, answer.status, dict(answer.getheaders()), content)
    )
    return json.loads(content) if content else None


def observe(path, **headers):
    return Stream(f"/v1/observe/{path}", headers=headers)


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
schema = call("GET", "/v1/schema")
streamed = {"name": "Streamed", "primaryKey": "id", "properties": [
    {"name": "id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "age", "type": "int?"},
    {"name": "near", "type": "Streamed[]"}, {"name": "next", "type": "Streamed?"},
    {"name": "words", "type": "string?{}"}, {"name": "numbers", "type": "int[]"},
    {"name": "before", "type": "linkingObjects(Streamed.next)"},
]}  # fmt: skip
call("PUT", "/v1/schema", {**schema, "classes": schema["classes"] + [streamed]})
description = Description(call("GET", "/openapi.json"))


def fresh():
    held = {"near": [2, 3], "words": {"a": "b", "c": None}, "numbers": [1, 2], "next": 2}
    call("POST", "/v1/objects/Streamed?update=all", [{"id": 2, "name": "b"}, {"id": 3, "name": "c"}])
    call("POST", "/v1/objects/Streamed?update=all", {"id": 1, "name": "a", "age": 7, **held})


def opened():
    """A stream of each kind that lies in an object that can be deleted, and of each that does not."""
    held = [observe(f"objects/Streamed/1/{name}") for name in ("near", "words", "numbers")]
    held += [observe("objects/Streamed/1/near?filter=id>0&sort=-age"), observe("sections/Streamed/1/near?by=name")]
    held += [observe("aggregates/objects/Streamed/1/near?by=name&sum=age")]
    held += [observe("values/objects/Streamed/1/near?key=name"), observe("index/objects/Streamed/1/near?of=3")]
    free = [
        observe("objects/Streamed"), observe("objects/Streamed?filter=age>5&sort=-age&limit=2&include=indices"),
        observe("objects/Streamed?types=typed&expand=near"), observe("objects/Streamed/2/before"),
        observe("sections/Streamed?by=name"), observe("sections/Streamed/2/before?by=name"),
        observe("aggregates/objects/Streamed?by=name&top=2"), observe("aggregates/objects/Streamed?max=age&sum=age"),
        observe("values/objects/Streamed?key=age"), observe("index/objects/Streamed?of=4"),
        Stream("/v1/query/observe/objects/Streamed", "POST", "filter=id%20%3E%200", FORM),
    ]  # fmt: skip
    for each in held + free:
        each.until("initial")
    return held, free


# What changes, is deleted, and comes again to those who come back.
fresh()
held, free = opened()
one = observe("objects/Streamed/1").until("initial")
form = Stream("/v1/query/observe/objects/Streamed/1", "POST", "", FORM).until("initial")
quiet = observe("objects/Streamed").until("initial")
call("POST", "/v1/transactions", {"operations": [
    {"op": "create", "class": "Streamed", "value": {"id": 4, "name": "d", "age": 9, "next": 2}},
    {"op": "set", "object": {"class": "Streamed", "key": 1}, "value": {
        "age": 8, "name": "z", "near": [3, 2, 4], "words": {"c": "d"}, "numbers": [2, 3]}},
]})  # fmt: skip
one.until("change")
form.until("change")
for each in held + free:
    each.until("update")
again = observe("objects/Streamed", **{"Last-Event-ID": quiet.id}).until("update")
once = observe("objects/Streamed/1", **{"Last-Event-ID": quiet.id}).until("change")
call("DELETE", "/v1/objects/Streamed/1")
for each in [one, once, form] + held:
    each.until("deleted").ends()
for path in (
    "objects/Streamed/1", "objects/Streamed/1/near", "sections/Streamed/1/near?by=name", "aggregates/objects/Streamed/1/near?by=name",
    "values/objects/Streamed/1/near?key=name", "index/objects/Streamed/1/near?of=3"):  # fmt: skip
    observe(path, **{"Last-Event-ID": quiet.id}).until("deleted").ends()

# What deeper paths lead to, until it is gone or they lead elsewhere.
def chain():
    call("POST", "/v1/objects/Streamed?update=all", [
        {"id": 1, "name": "a", "next": 2}, {"id": 2, "name": "b", "next": 3, "near": [3]}, {"id": 3, "name": "c"}])


def deeper():
    objects = [observe(f"objects/Streamed/1/{path}") for path in ("next", "next/next", "next/near/0")]
    held = [observe("objects/Streamed/1/next/near"), observe("sections/Streamed/1/next/near?by=name")]
    held += [observe("aggregates/objects/Streamed/1/next/near?by=name&sum=age")]
    held += [observe("values/objects/Streamed/1/next/near?key=name"), observe("index/objects/Streamed/1/next/near?of=1")]
    for each in objects + held:
        each.until("initial")
    return objects, held


chain()
objects, held = deeper()
call("POST", "/v1/transactions", {"operations": [
    {"op": "set", "object": {"class": "Streamed", "key": 2}, "value": {"age": 1, "near": [3, 1]}},
    {"op": "set", "object": {"class": "Streamed", "key": 3}, "value": {"age": 1}}]})
for each in objects:
    each.until("change")
for each in held:
    each.until("update")
call("PATCH", "/v1/objects/Streamed/1", {"next": None})
for each in objects + held:
    each.until("error").ends()
chain()
objects, held = deeper()
call("DELETE", "/v1/objects/Streamed/3")
for each in objects[1:]:
    each.until("deleted").ends()
call("DELETE", "/v1/objects/Streamed/2")
for each in objects[:1] + held:
    each.until("deleted").ends()

# Sets of subscriptions.
call("PUT", "/v1/subscriptions/streams/all", {"class": "Streamed"})
call("POST", "/v1/subscriptions/streams", {"class": "Streamed", "filter": "age > 5"})
call("PUT", "/v1/subscriptions/streams/other", {"class": "Everything"})
call("PUT", "/v1/subscriptions/streams/one", {"path": "objects/Streamed/4"})
sets = Stream("/v1/subscriptions/streams/stream").until("subscriptions")
for _ in range(4):
    sets.until("initial")
call("PATCH", "/v1/objects/Streamed/4", {"name": "f"})
sets.until("change")
call("DELETE", "/v1/objects/Streamed/4")
sets.until("deleted")
call("POST", "/v1/objects/Streamed", {"id": 5, "name": "e"})
sets.until("update")
call("DELETE", "/v1/subscriptions/streams/other")
sets.until("removed")
call("PUT", "/v1/subscriptions/streams/barriers/now")
sets.until("barrier")

# A class that goes.
fresh()
held, free = opened()
one = observe("objects/Streamed/1").until("initial")
present = call("GET", "/v1/schema")
rest = [each for each in present["classes"] if each["name"] != "Streamed"]
call("PUT", "/v1/schema", {**present, "schemaVersion": present["schemaVersion"] + 1, "classes": rest})
for each in held + free + [one]:
    each.until("error").ends()
sets.until("error")

# Files.
NDJSON = {"Content-Type": "application/x-ndjson", "Accept": "text/event-stream"}


def lines(count):
    return "\n".join(json.dumps({"id": at, "text": "x" * 40}) for at in range(count))


def half_an_import():
    """An import that is at most half done, and the process of the gateway, which is stopped so that it stays so."""
    count = 100_000
    while True:
        stream = Stream("/v1/import/Everything?update=all", "POST", lines(count), NDJSON).until("progress")
        os.kill(process, signal.SIGSTOP)
        came = stream.arrived()
        # One is read; each is of a thousand lines.
        if b"event: done" not in came and (1 + came.count(b"event: progress")) * 1000 <= count / 2:
            return stream
        os.kill(process, signal.SIGCONT)
        stream.until("done").ends()
        count *= 2


Stream("/v1/import/Everything?update=all", "POST", lines(5000), NDJSON).until("progress").until("done").ends()
Stream("/v1/import/Everything?atomic=true", "POST", '{"id": "no"}', NDJSON).until("error").ends()

# The server stops.
fill.objects(base)
last = [observe(path).until("initial") for path in (
    "objects/Everything", "objects/Everything/1", "objects/Everything/1/numbers", "sections/Everything?by=number",
    "sections/Everything/1/near?by=number", "objects/Everything/1/near/0", "sections/Everything/1/near/0/near?by=number",
    "aggregates/objects/Everything?by=number", "aggregates/objects/Everything/1/near?max=number",
    "aggregates/objects/Everything/1/near/0/near?by=number",
    "values/objects/Everything?key=number", "values/objects/Everything/1/near?key=number",
    "values/objects/Everything/1/near/0/near?key=number", "index/objects/Everything?of=1",
    "index/objects/Everything/1/near?of=1", "index/objects/Everything/1/near/0/near?of=1")]  # fmt: skip
last.append(Stream("/v1/query/observe/objects/Everything", "POST", "", FORM).until("initial"))
last.append(sets)
last.append(half_an_import())
os.kill(process, signal.SIGTERM)
os.kill(process, signal.SIGCONT)
for each in last:
    each.until("closing").ends()

for template, item in description.document["paths"].items():
    for operation in item.values():
        if not isinstance(operation, dict) or not {"{class}", "{resource}", "{set}"} & set(template.split("/")):
            continue
        events = operation["responses"].get("200", {}).get("content", {}).get("text/event-stream", {}).get("x-events", {})
        faults += [
            f"{template}: {name} is described and did not come" for name in sorted(set(events) - seen.get(template, set()))
        ]

for fault in dict.fromkeys(faults):
    print(fault, file=sys.stderr)
if faults:
    sys.exit(f"{len(set(faults))} faults in streams.")
print(f"Streams are as described: {sum(map(len, seen.values()))} kinds of events of {len(seen)} operations.")
