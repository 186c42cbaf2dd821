#!/usr/bin/env python3
"""How long do events of a cheap live query wait for one caller's costly ones?

  Benchmarks/Fairness/live_queries.py PROGRAM [STREAMS]

PROGRAM is a release build of realmgate. One key writes to an object and observes it; another key then opens STREAMS
(200) streams of queries that follow links backwards twice, each of which takes tens of milliseconds for every commit.
Prints, at rest and beside these, the number of writes and of events that arrived for a write of their own, and the
medians and 99th percentiles of the time from the write to its event, and of the write. Takes a minute.
"""
import http.client, json, os, random, signal, subprocess, sys, tempfile, threading, time, urllib.parse

OBJECTS, LINKS, ADMIN = 20_000, 10, "k" * 40
CONFIGURATION = """
data: {data}
port: 0
auth:
  required: true
  adminKey: "{admin}"
  roles:
    editor:
      others: {{read: true, create: true, update: true, delete: true}}
"""
SCHEMA = {"schemaVersion": 1, "classes": [{"name": "P", "primaryKey": "id", "properties": [
    {"name": "id", "type": "int"}, {"name": "n", "type": "int"}, {"name": "name", "type": "string"},
    {"name": "friends", "type": "P[]"}]}]}


def request(port, method, path, key, body=None, media="application/json"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": "Bearer " + key}
    if body is not None:
        headers["Content-Type"] = media
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    if response.status >= 300:
        sys.exit(f"{method} {path}: {response.status} {text[:300]}")
    return text


def observe(port, key, query, take=lambda line: None):
    def run():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        connection.request("GET", "/v1/observe/objects/P?" + query, headers={"Authorization": "Bearer " + key})
        response = connection.getresponse()
        while line := response.fp.readline():
            take(line)

    threading.Thread(target=run, daemon=True).start()


def summary(seconds):
    if not seconds:
        return "none"
    ordered = sorted(seconds)
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"{len(ordered)}, p50 {middle * 1000:.1f} ms, p99 {late * 1000:.1f} ms"


def main():
    program, streams = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    directory = tempfile.mkdtemp()
    file = os.path.join(directory, "realmgate.yaml")
    with open(file, "w") as output:
        output.write(CONFIGURATION.format(data=os.path.join(directory, "data.realmgate"), admin=ADMIN))
    with open(os.path.join(directory, "log"), "w") as log:
        server = subprocess.Popen([program, "serve", "--config", file], stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        request(port, "PUT", "/v1/schema", ADMIN, json.dumps(SCHEMA))
        random.seed(1)
        for more in (lambda i: {"n": i % 1000, "name": f"name{i}"},
                     lambda i: {"friends": [random.randrange(OBJECTS) for _ in range(LINKS)]}):
            lines = "\n".join(json.dumps({"id": i, **more(i)}) for i in range(OBJECTS))
            request(port, "POST", "/v1/import/P?format=ndjson&update=modified", ADMIN, lines, "application/x-ndjson")
        keys = [json.loads(request(port, "POST", "/v1/keys", ADMIN, json.dumps({"name": name, "role": "editor"})))
                ["secret"] for name in ("cheap", "costly")]
        sent, events = {}, []

        def take(line):
            for name in [name for name in list(sent) if f'"name":"{name}"'.encode() in line]:
                events.append(time.time() - sent.pop(name))

        observe(port, keys[0], "filter=" + urllib.parse.quote("id == 7"), take)
        time.sleep(1)
        number = 0
        for name, duration in (("at rest", 5), (f"beside {streams} costly streams", 15)):
            if duration > 5:
                for k in range(streams):
                    query = urllib.parse.quote(f"ANY @links.P.friends.friends.n == {k}")
                    observe(port, keys[1], "limit=50&filter=" + query)
                time.sleep(8)
            events.clear()
            writes, end = [], time.time() + duration
            while time.time() < end:
                number += 1
                start = sent[f"m{number}"] = time.time()
                request(port, "PATCH", "/v1/objects/P/7", keys[0], json.dumps({"name": f"m{number}", "n": number % 1000}))
                writes.append(time.time() - start)
                time.sleep(0.05)
            time.sleep(3)
            print(f"{name}: writes {summary(writes)}; events {summary(events)}")
            sent.clear()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


main()
