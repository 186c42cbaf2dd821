#!/usr/bin/env python3
"""How many acknowledged writes a failover of PostgreSQL loses, many times over.

  Benchmarks/Gateways/failovers.py PROGRAM [KIND...]

PROGRAM is a release build. In each round a primary is killed under the writes of two gateways and its standby is
promoted. KIND says what the standby is:

  synchronous    the primary waits for it with every commit: nothing that a gateway acknowledged may be lost
  stalled        asynchronous, and it has received nothing for the last half second: acknowledged writes are lost, and
                 each gateway that has them must end with exit code 75, begin with a new replica, and give every
                 client that knew them the whole result instead of a difference

It exits with 1 when a round is not so. ROUNDS (20) may be set in the environment. Needs Debian's postgresql, and the
right to be the user postgres when it is run as root.
"""
import http.client, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, threading, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gateways
from gateways import compare

rounds = int(os.environ.get("ROUNDS", 20))
WRITERS = 4


class Standby(gateways.Postgres):
    """A standby of a primary, with data of its own."""

    def __init__(self, scratch, primary):
        self.primary = primary
        super().__init__(scratch)

    def make(self, data):
        subprocess.run(
            [*self.account, self.programs / "pg_basebackup", "-D", data, "-d", self.primary.url, "-R", "-c", "fast"],
            check=True, stdout=subprocess.DEVNULL)

    def promote(self):
        self.sql("select pg_promote(true, 60)")


class Gateway(compare.Server):
    """A gateway that is started again when it ends with exit code 75, as a supervisor does."""

    def __init__(self, program, scratch, name, url):
        self.arguments = (program, scratch, name, 0)
        self.options = ["--set", "log.level=warning", "--store", url, "--realm", "main"]
        self.restarts = 0
        super().__init__(*self.arguments, options=self.options)

    def look(self):
        status = self.process.poll()
        if status is None:
            return
        if status != 75:
            sys.exit(f"Gateway {self.name} ended with exit code {status}.")
        self.restarts += 1
        super().__init__(*self.arguments, options=self.options)

    def host(self):
        return self.url.removeprefix("http://")


class Writers:
    """Write objects to both gateways, one after the other each, and note which ones were acknowledged."""

    def __init__(self, servers):
        self.acknowledged, self.faults, self.lock, self.over = [], [], threading.Lock(), False
        self.threads = [
            threading.Thread(target=self.run, args=(servers[number % 2], number), daemon=True)
            for number in range(2 * WRITERS)]
        for thread in self.threads:
            thread.start()

    def run(self, server, number):
        key = number * 10_000_000
        while not self.over:
            connection = http.client.HTTPConnection(server.host(), timeout=90)
            try:
                while not self.over:
                    key += 1
                    body = json.dumps({"_id": key, "name": "a", "age": 1, "weight": 1, "breed": "b"})
                    connection.request("POST", "/v1/objects/Item", body, {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    text = answer.read()
                    with self.lock:
                        if answer.status == 201:
                            self.acknowledged.append(key)
                        elif answer.status != 503:
                            self.faults.append(text)
            except (OSError, http.client.HTTPException):
                # The gateway ended. Whether the last write was done is not known.
                time.sleep(0.02)

    def count(self):
        with self.lock:
            return len(self.acknowledged)

    def stop(self):
        self.over = True
        for thread in self.threads:
            thread.join(timeout=100)


def keys(server):
    """The keys of all objects of a gateway."""
    connection = http.client.HTTPConnection(server.host())
    connection.request("GET", "/v1/export/Item?format=ndjson")
    return {json.loads(line)["_id"] for line in connection.getresponse()}


def first_event(server, since=None):
    """The kind of the first event of a stream, and its id."""
    connection = http.client.HTTPConnection(server.host(), timeout=30)
    headers = {"Last-Event-ID": since} if since else {}
    connection.request("GET", "/v1/observe/objects/Item?limit=5", headers=headers)
    kind, place = None, None
    for line in connection.getresponse():
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "event":
            kind = value
        if name == "id":
            place = value
        if not name and kind and place:
            connection.close()
            return kind, place


def wait(what, condition):
    end = time.monotonic() + 90
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what} did not come.")
        time.sleep(0.01)


def failover(program, kind):
    """Acknowledged writes, those of them that were lost, seconds without an acknowledgement, and what was wrong."""
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        places = [os.path.join(scratch, name) for name in ("primary", "standby")]
        for place in places:
            os.makedirs(place)
        primary = gateways.Postgres(places[0])
        others, servers = [primary], []
        try:
            subprocess.run([program, "setup", "--store", primary.url], check=True, stdout=subprocess.DEVNULL)
            standby = Standby(places[1], primary)
            others.append(standby)
            if kind == "synchronous":
                primary.sql("alter system set synchronous_standby_names = '*'")
                primary.sql("select pg_reload_conf()")
                wait("the standby", lambda: primary.sql(
                    "select count(*) from pg_stat_replication where sync_state = 'sync'") == "1")
            url = f"postgres://rg@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/postgres?target_session_attrs=read-write"
            servers = [Gateway(program, scratch, name, url) for name in ("a", "b")]
            writers = Writers(servers)
            wait("the writes", lambda: writers.count() > 200)
            if kind == "stalled":
                standby.sql("alter system set primary_conninfo = ''")
                standby.sql("select pg_reload_conf()")
                wait("the stall", lambda: primary.sql("select count(*) from pg_stat_replication") == "0")
                time.sleep(0.5)
                # Otherwise the writes that come before the end of the old history decide how a client continues.
                writers.stop()
                marks = [first_event(server)[1] for server in servers]
            wrong = []
            primary.kill()
            start, before = time.monotonic(), writers.count()
            standby.promote()
            if kind == "stalled":
                wait("the fork", lambda: [server.look() for server in servers] and all(s.restarts for s in servers))
                for server, mark in zip(servers, reversed(marks)):
                    event, _ = first_event(server, mark)
                    if event != "initial":
                        wrong.append(f"a client that knew lost writes got '{event}' first")
                acknowledged = writers.acknowledged
                faults = writers.faults
                writers = Writers(servers)
                wait("the writes", lambda: writers.count() > 0)
                pause = time.monotonic() - start
                writers.stop()
            else:
                wait("the writes", lambda: writers.count() > before)
                pause = time.monotonic() - start
                wait("more writes", lambda: writers.count() > before + 200)
                writers.stop()
                acknowledged, faults = writers.acknowledged, writers.faults
                for server in servers:
                    if server.process.poll() is not None:
                        wrong.append("a gateway ended")
            wrong += [f"a write was answered: {text}" for text in faults[:1]]
            versions = lambda: [int(standby.sql("select version from realmgate.realm")), *map(version, servers)]
            wait("the same version at both gateways", lambda: len(set(versions())) == 1)
            kept = [keys(server) for server in servers]
            if kept[0] != kept[1]:
                wrong.append("the gateways have different objects")
            lost = len(set(acknowledged) - kept[0])
            if kind == "synchronous" and lost:
                wrong.append(f"{lost} acknowledged writes were lost")
            return len(acknowledged), lost, pause, wrong
        finally:
            for server in servers:
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
            for server in others:
                server.kill()


def version(server):
    connection = http.client.HTTPConnection(server.host())
    connection.request("GET", "/v1/objects/Item?limit=1")
    return json.loads(connection.getresponse().read())["version"]


def main():
    program, *kinds = sys.argv[1:] or sys.exit(__doc__)
    isRight = True
    for kind in kinds or ["synchronous", "stalled"]:
        acknowledged, losses, pauses = 0, [], []
        for number in range(rounds):
            count, lost, pause, wrong = failover(program, kind)
            acknowledged += count
            losses.append(lost)
            pauses.append(pause)
            isRight = isRight and not wrong
            print(f"{kind} {number + 1}: {count} acknowledged, {lost} lost, {pause:.1f} s without writes", *wrong,
                  sep="; ", flush=True)
        print(f"{kind}: {rounds} failovers, {acknowledged} acknowledged, {sum(losses)} lost, "
              f"{sum(1 for lost in losses if lost)} with losses, "
              f"{sorted(pauses)[len(pauses) // 2]:.1f} s without writes in the median", flush=True)
    sys.exit(0 if isRight else 1)


if __name__ == "__main__":
    main()
