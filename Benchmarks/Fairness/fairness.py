"""Resting p50 of a cheap query, and its p99 beside ten attackers with expensive ones.

    fairness.py data DIRECTORY     writes the schema and the objects
    fairness.py run PORT           asks a server that trusts 127.0.0.1 as a proxy
"""

import http.client
import json
import random
import sys
import threading
import time
import urllib.parse

DOGS, PEOPLE, OWNED = 200_000, 60_000, 8
SECONDS = 6
CHEAP = "/v1/aggregates/objects/Dog?" + urllib.parse.urlencode(
    {"filter": "name LIKE '*7*3*' OR name CONTAINS[c] 'q9'", "sum": "age"})
# Some seconds of one processor.
EXPENSIVE = "/v1/objects/Person?" + urllib.parse.urlencode({
    "limit": "1",
    "filter": "SUBQUERY(dogs, $d, $d.owners.@sum.age > 100000 OR $d.owners.@avg.age > 1000 OR $d.owners.@max.age > 1000)"
              ".@count > 0"})
# About as much as the cheap one.
MEDIUM = "/v1/objects/Person?" + urllib.parse.urlencode({
    "limit": "1",
    "filter": "SUBQUERY(dogs, $d, $d.age > 100 OR $d.name LIKE '*x*y*' OR SUBQUERY($d.owners, $o, $o.age > 1000).@count > 0)"
              ".@count > 0"})


def data(directory):
    schema = {"schemaVersion": 1, "classes": [
        {"name": "Dog", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "age", "type": "int"},
            {"name": "owners", "type": "linkingObjects(Person.dogs)"}]},
        {"name": "Person", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "age", "type": "int"}, {"name": "dogs", "type": "Dog[]"}]}]}
    with open(directory + "/schema.json", "w") as file:
        json.dump(schema, file)
    chance = random.Random(1)
    with open(directory + "/dogs.ndjson", "w") as file:
        for number in range(DOGS):
            print(json.dumps({"id": number, "name": f"dog {number * 7919 % DOGS}", "age": number % 20}), file=file)
    with open(directory + "/people.ndjson", "w") as file:
        for number in range(PEOPLE):
            dogs = [chance.randrange(DOGS) for _ in range(OWNED)]
            print(json.dumps({"id": number, "age": number % 90, "dogs": dogs}), file=file)


def ask(connection, target, address):
    connection.request("GET", target, headers={"X-Forwarded-For": address})
    answer = connection.getresponse()
    answer.read()
    return answer.status


def measure(port, seconds, address="10.1.0.1"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end or len(times) < 20:
        start = time.perf_counter()
        status = ask(connection, CHEAP, address)
        if status != 200:
            sys.exit(f"the cheap query was answered with {status}")
        times.append(time.perf_counter() - start)
    return sorted(times)


def quantile(times, part):
    return times[min(int(len(times) * part), len(times) - 1)] * 1000


def machine(seconds):
    """The times of a loop of a few milliseconds without a server: what the machine itself does to a p99."""
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.perf_counter()
        sum(range(200_000))
        times.append(time.perf_counter() - start)
    return sorted(times)


def show(name, times, base, rest=""):
    parts = [f"{part} {quantile(times, value):.1f} ms" for part, value in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)]]
    print(f"{name}: {', '.join(parts)}, {len(times)} times; in resting p50s: p95 {quantile(times, 0.95) / base:.1f}, "
          f"p99 {quantile(times, 0.99) / base:.1f}{rest}", flush=True)


class Attackers:
    def __init__(self, port, target, callers, connections):
        self.target, self.over, self.answers, self.threads, self.open = target, False, {}, [], {}
        for number in range(connections):
            thread = threading.Thread(target=self.run, args=(port, f"10.0.0.{number % callers + 1}"), daemon=True)
            thread.start()
            self.threads.append(thread)

    def run(self, port, address):
        while not self.over:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
                self.open[threading.get_ident()] = connection
                status = ask(connection, self.target, address)
                connection.close()
            except (OSError, http.client.HTTPException):
                status = 0
            if self.over:
                return
            self.answers[status] = self.answers.get(status, 0) + 1
            if status in (429, 503):
                time.sleep(0.2)

    def stop(self):
        """Ends them: what is left would join the next ones."""
        self.over = True
        for connection in list(self.open.values()):
            try:
                connection.sock.shutdown(2)
            except (OSError, AttributeError):
                pass
        for thread in self.threads:
            thread.join()


def main():
    if sys.argv[1] == "data":
        return data(sys.argv[2])
    port = int(sys.argv[2])
    one = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    for name, target in [("expensive", EXPENSIVE), ("medium", MEDIUM)]:
        ask(one, target, "10.2.0.1")
        start = time.perf_counter()
        status = ask(one, target, "10.2.0.1")
        print(f"one {name} query alone: {(time.perf_counter() - start) * 1000:.0f} ms, {status}")
    measure(port, 1)
    resting = measure(port, 3)
    base = quantile(resting, 0.5)
    loop = machine(6)
    show("a loop without a server", loop, quantile(loop, 0.5))
    show("resting", resting, base)
    for name, target, callers, connections in [
            ("ten callers, one medium query each", MEDIUM, 10, 10), ("one caller, twenty medium queries", MEDIUM, 1, 20),
            ("one caller, twenty expensive queries", EXPENSIVE, 1, 20),
            ("ten callers, one expensive query each", EXPENSIVE, 10, 10),
            ("ten callers, ten expensive queries each", EXPENSIVE, 10, 100),
            ("ten callers, twenty expensive queries each", EXPENSIVE, 10, 200)]:
        attackers = Attackers(port, target, callers, connections)
        time.sleep(1)
        times = measure(port, SECONDS)
        answered = dict(sorted(attackers.answers.items()))
        attackers.stop()
        show(name, times, base, f"; attackers were answered {answered}")


main()
