"""Gives a gateway the classes of classes.json beside those that it has, and a few objects of each."""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

# The seconds to wait for what must come: a slow machine is no fault of the gateway.
PATIENCE = int(os.environ.get("REALMGATE_PATIENCE") or 120)

classes = json.loads((Path(__file__).parent / "classes.json").read_text())
embedded = [one["name"] for one in classes if one.get("embedded")]
badges = ["123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-00000000000b"]


def call(base, key, method, path, body=None):
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + urllib.parse.quote(path, safe="/?=&"), data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}") from error


def schema(base, key=None):
    present = call(base, key, "GET", "/v1/schema")
    names = {one["name"] for one in present["classes"]}
    present["classes"] += [one for one in classes if one["name"] not in names]
    call(base, key, "PUT", "/v1/schema", present)


def objects(base, key=None):
    def put(path, body):
        return call(base, key, "POST", f"/v1/objects/{path}", body)

    put("Airport?update=all", {"iata": "iata", "name": "name", "latitude": 2.5})
    put("Flight?update=all", {"id": 7, "number": 7, "origin": "iata"})
    put("Badge?update=all", [{"id": one, "level": at} for at, one in enumerate(badges)])
    put("Token?update=all", [{"id": "65b9f0c2a1d3e4f5061728aa", "uses": 1}, {"id": None}])
    put("Straße?update=all", [{"name": "name", "länge": 2.5}, {"name": "Unter den Linden"}])
    notes = put("Note", [{"text": "first"}, {"text": "second", "reply": {"text": "third"}}])["items"]
    link = {"$link": {"class": "Note", "key": notes[0]["$key"]}}
    full = {
        "flag": True, "flagOrNull": False, "number": -(2**63), "numberOrNull": 2**63 - 1, "ratio": 0.1,
        "ratioOrNull": "NaN", "weight": 1e300, "weightOrNull": "-Infinity",
        "text": 'a "quoted" word\u0000\U0001f40e', "textOrNull": "", "bytes": "AP8=", "bytesOrNull": "",
        "moment": "2026-01-31T12:00:00.123456789Z", "momentOrNull": "1969-12-31T23:59:59Z",
        "price": "12345678901234567890.10", "priceOrNull": None, "mark": "65b9f0c2a1d3e4f5061728aa",
        "tag": badges[0], "tagOrNull": badges[1],
        "anything": {"at": {"$date": "1970-01-01T00:00:00.000000001Z"}, "list": [1, 2.5, {"$decimal": "1.10"}, link]},
        "numbers": [3, 1, 3], "numbersOrNull": [None, 1], "texts": ["b", "a"],
        "moments": ["2026-01-31T00:00:00Z", None], "prices": {"": "NaN", "EUR": "1.0", "USD": None},
        "weights": {"left": 0.5, "right": "Infinity"}, "list": [None, "x", {"$uuid": badges[1]}, [[]]],
        "dictionary": {"a": {"$oid": "65b9f0c2a1d3e4f5061728aa"}}, "set": [1, "1", {"$float": 0.5}],
        "near": [1, 2, 1], "badges": badges, "notes": {"left": link, "right": None},
        "part": {"label": "whole", "codes": [1, 2], "main": 1, "inner": {"size": 2.5}},
        "parts": [{"label": "first"}, {"label": "second", "inner": {"size": 1}}],
        "named": {"a": {"label": "named"}},
    }
    put("Everything?update=all", [{"id": one} for one in (1, 2, 7)])
    put("Everything?update=all", [{**full, "id": 1, "next": 2}, {**full, "id": 2, "next": 1}, {**full, "id": 7}])


def administrator(base):
    """A key that may do everything. None where there are no keys."""
    try:
        return call(base, None, "POST", "/v1/keys", {"name": "tester", "role": "admin"})["secret"]
    except SystemExit as refusal:
        if "keys.unavailable" in str(refusal):
            return None
        raise


def snapshot(base, key=None):
    """A snapshot that lasts as long as the tests."""
    return call(base, key, "POST", "/v1/snapshots?ttl=3600")["snapshot"]


if __name__ == "__main__":
    if sys.argv[1] == "--key":
        print(administrator(sys.argv[2]) or "")
    else:
        schema(*sys.argv[1:])
        objects(*sys.argv[1:])
