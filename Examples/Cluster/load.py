#!/usr/bin/env python3
"""A load for the cluster, and its check.

    load.py URL STOP ACKNOWLEDGED            writes notes until the file STOP is there; ACKNOWLEDGED gets their ids
    load.py --check ACKNOWLEDGED URL [URL…]  whether every gateway has them all, and the same objects

A writer repeats a request that was not answered with the same Idempotency-Key, so each note is stored once.
"""

import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

WRITERS = 8


def call(method, url, body=None, headers=None):
    """The status and the JSON of a response; 0 and nothing when none came."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        url, data=data, method=method, headers={"Content-Type": "application/json", **(headers or {})}
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, json.loads(response.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")
    except OSError:
        return 0, None


class Load:
    def __init__(self, url, stop):
        self.url, self.stop = url, stop
        self.lock = threading.Lock()
        self.acknowledged, self.last, self.pause, self.repeats = [], time.monotonic(), 0.0, 0

    def write(self, number):
        note = number * 10_000_000
        while not os.path.exists(self.stop):
            note += 1
            key = {"Idempotency-Key": str(uuid.uuid4())}
            made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            while True:
                status, answer = call("POST", f"{self.url}/v1/objects/Note", {"id": note, "text": "hello", "made": made}, key)
                if status == 201:
                    break
                if status not in (0, 502, 503, 504):
                    sys.exit(f"load: {status} {answer}")
                with self.lock:
                    self.repeats += 1
                if os.path.exists(self.stop):
                    return
                time.sleep(0.2)
            with self.lock:
                now = time.monotonic()
                self.pause, self.last = max(self.pause, now - self.last), now
                self.acknowledged.append(note)

    def run(self):
        writers = [threading.Thread(target=self.write, args=(number,)) for number in range(1, WRITERS + 1)]
        for writer in writers:
            writer.start()
        before = 0
        while not os.path.exists(self.stop):
            time.sleep(1)
            with self.lock:
                count, repeats = len(self.acknowledged), self.repeats
            print(f"{count - before} writes/s, {count} acknowledged, {repeats} repeated", flush=True)
            before = count
        for writer in writers:
            writer.join()
        print(f"{len(self.acknowledged)} acknowledged; the longest time without one was {self.pause:.1f} s", flush=True)


def notes(url):
    found, after = {}, ""
    while True:
        status, page = call("GET", f"{url}/v1/objects/Note?limit=1000{after}")
        if status != 200:
            sys.exit(f"check: {url} answered {status}: {page}")
        found.update((item["id"], item) for item in page["items"])
        if not page.get("next"):
            return found
        after = "&after=" + page["next"]


def check(path, urls):
    with open(path, encoding="ascii") as file:
        acknowledged = {int(line) for line in file}
    time.sleep(1.5)
    found = [notes(url) for url in urls]
    lost = [len(acknowledged - one.keys()) for one in found]
    same = all(one == found[0] for one in found)
    print(f"acknowledged {len(acknowledged)}, lost {lost}, the gateways have the same objects: {'yes' if same else 'NO'}")
    return 0 if same and not any(lost) and acknowledged else 1


if __name__ == "__main__":
    if len(sys.argv) > 3 and sys.argv[1] == "--check":
        sys.exit(check(sys.argv[2], sys.argv[3:]))
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    load = Load(sys.argv[1], sys.argv[2])
    load.run()
    with open(sys.argv[3], "w", encoding="ascii") as file:
        file.writelines(f"{note}\n" for note in load.acknowledged)
