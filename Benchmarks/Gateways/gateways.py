#!/usr/bin/env python3
"""What a log in PostgreSQL costs: gateways on one realm against one server with a file of its own.

  Benchmarks/Gateways/gateways.py PROGRAM [QUESTION...]

PROGRAM is a release build. Each question gives the ratio that its line describes, as the median of the rounds; the
range in brackets is that of the rounds. It starts a PostgreSQL of its own, with every commit synced, in a temporary
directory. ROUNDS, SECONDS_EACH and OBJECTS may be set in the environment. Needs wrk, Debian's postgresql, and the
right to be the user postgres when it is run as root.

  reads      requests/s of reads, with a log / without; and the statements that PostgreSQL got because of them
  commits    writes/s of 64 clients, with a log / without
  single     the median time of one client's write, with a log / without
  together   writes/s of two gateways with 32 clients each / of one with 64; and the share of the slower one
  events     milliseconds by which an event comes later at the other gateway than at the one that wrote, median
  apply      versions/s that a new gateway applies from the log, per second of its CPU
  start      time until a gateway without a replica listens, from the log / from an image; START_OBJECTS objects (1,000,000)
"""
import http.client, json, os, pathlib, shutil, signal, socket, statistics, subprocess, sys, tempfile, threading, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "http"))
import compare

rounds = int(os.environ.get("ROUNDS", 5))
seconds = int(os.environ.get("SECONDS_EACH", 4))
objects = int(os.environ.get("OBJECTS", 20_000))
QUESTIONS = ["reads", "commits", "single", "together", "events", "apply", "start"]


class Postgres:
    def __init__(self, scratch):
        programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self.programs, data = programs, os.path.join(scratch, "postgres")
        self.account = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        os.makedirs(data, 0o700)
        if self.account:
            os.chmod(scratch, 0o755)
            shutil.chown(data, "postgres", "postgres")
        self.make(data)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [*self.account, programs / "postgres", "-D", data, "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
             "-c", "unix_socket_directories=", "-c", "max_wal_size=4GB"], stderr=subprocess.DEVNULL)
        self.url = f"postgres://rg@127.0.0.1:{self.port}/postgres"
        while subprocess.run([programs / "pg_isready", "-q", "-d", self.url]).returncode:
            if self.process.poll() is not None:
                sys.exit("PostgreSQL did not start.")
            time.sleep(0.1)

    def make(self, data):
        subprocess.run(
            [*self.account, self.programs / "initdb", "-D", data, "-U", "rg", "-A", "trust", "-E", "UTF8", "--locale",
             "C.UTF-8"], check=True, stdout=subprocess.DEVNULL)

    def kill(self):
        """Ends at once, without a checkpoint."""
        if self.process.poll() is None:
            subprocess.run([*self.account, "kill", "-QUIT", str(self.process.pid)])
            self.process.wait()

    def sql(self, text):
        return subprocess.run(
            [self.programs / "psql", "-XqAt", "-d", self.url, "-c", text], check=True, capture_output=True, text=True
        ).stdout.strip()

    def transactions(self):
        # Backends report at most once a second.
        time.sleep(1.2)
        return int(self.sql("select xact_commit + xact_rollback from pg_stat_database where datname = 'postgres'"))


class Run:
    def __init__(self, program, scratch, postgres):
        self.program, self.scratch, self.postgres, self.count = program, scratch, postgres, 0
        self.seed, self.running = 0, []

    def server(self, name, realm=None, count=objects):
        self.count += 1
        options = ["--set", "log.level=warning"]
        if realm:
            options += ["--store", self.postgres.url, "--realm", realm]
        self.running.append(compare.Server(self.program, self.scratch, f"{name}{self.count}", count, options=options))
        return self.running[-1]

    def stop(self, *servers):
        for server in servers:
            server.process.send_signal(signal.SIGTERM)
        for server in servers:
            server.process.wait()
        self.running = [server for server in self.running if server not in servers]

    def load(self, server, kind, clients):
        """Requests/s and the median time in microseconds."""
        self.seed += 1
        report = subprocess.run(
            ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "-s", compare.SCRIPT, server.url, "--", kind, str(objects),
             str(self.seed)], capture_output=True, text=True, check=True).stdout
        requests, time_used, median, _, errors = report.splitlines()[-1].split()
        if int(errors):
            sys.exit(f"{kind} on {server.name} gave {errors} errors.")
        return int(requests) / float(time_used), float(median)

    def ratios(self, with_log, without):
        """Measures both in each round, in turns."""
        found = []
        for number in range(rounds):
            figures = {}
            for name, measure in [("log", with_log), ("file", without)][:: 1 if number % 2 else -1]:
                figures[name] = measure()
            found.append(figures["log"] / figures["file"])
        return found


def show(words, figures, unit=""):
    figures = sorted(figures)
    print(f"{words:62} {statistics.median(figures):8.2f}{unit}   ({figures[0]:.2f} to {figures[-1]:.2f})", flush=True)


def reads(run):
    shared, alone = run.server("log", "reads"), run.server("file")
    for kind in ["get", "indexed", "page", "query", "aggregate"]:
        show(f"{kind}, requests/s, with a log / without",
             run.ratios(lambda: run.load(shared, kind, 32)[0], lambda: run.load(alone, kind, 32)[0]))
    time.sleep(3)
    start, first = time.monotonic(), run.postgres.transactions()
    time.sleep(6)
    idle = (run.postgres.transactions() - first) / (time.monotonic() - start)
    start, first = time.monotonic(), run.postgres.transactions()
    rate, _ = run.load(shared, "get", 32)
    busy = (run.postgres.transactions() - first) / (time.monotonic() - start)
    print(f"PostgreSQL's transactions/s: {idle:.1f} idle, {busy:.1f} during {rate:.0f} reads/s", flush=True)
    run.stop(shared, alone)


def commits(run):
    shared, alone = run.server("log", "commits"), run.server("file")
    show("create, 64 clients, writes/s, with a log / without",
         run.ratios(lambda: run.load(shared, "create", 64)[0], lambda: run.load(alone, "create", 64)[0]))
    run.stop(shared, alone)


def single(run):
    shared, alone = run.server("log", "single"), run.server("file")
    show("create, one client, median time, with a log / without",
         run.ratios(lambda: run.load(shared, "create", 1)[1], lambda: run.load(alone, "create", 1)[1]))
    run.stop(shared, alone)


def together(run):
    first = run.server("log", "together")
    second = run.server("log", "together", 0)
    sums, shares = [], []
    for number in range(rounds):
        def both():
            rates = {}
            def one(server):
                rates[server.name] = run.load(server, "create", 32)[0]
            threads = [threading.Thread(target=one, args=(server,)) for server in (first, second)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return list(rates.values())
        pair = alone = None
        for name in ["pair", "alone"][:: 1 if number % 2 else -1]:
            if name == "pair":
                pair = both()
            else:
                alone = run.load(first, "create", 64)[0]
        sums.append(sum(pair) / alone)
        shares.append(min(pair) / sum(pair))
    show("create, two gateways of 32 clients / one of 64, writes/s", sums)
    show("   the share of the slower one", shares)
    run.stop(first, second)


class Watch:
    """The times at which a stream of a query had the event of each object."""

    def __init__(self, server):
        host = server.url.removeprefix("http://")
        self.times, self.connection = {}, http.client.HTTPConnection(host)
        self.connection.request("GET", "/v1/observe/objects/Item?filter=breed+%3D+%27watched%27&fields=_id")
        self.response = self.connection.getresponse()
        self.ready = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        self.ready.wait()

    def read(self):
        for line in self.response:
            if line.startswith(b"data:"):
                now = time.monotonic()
                for item in (json.loads(line[5:]).get("objects") or {}).get("insertions", []):
                    self.times[item["_id"]] = now
                self.ready.set()


def events(run):
    first, second = run.server("log", "events", 0), run.server("log", "events", 0)
    for words, pause in [("one write each 25 ms", 0.025), ("after a second without", 1.1)]:
        later = []
        for _ in range(max(1, rounds // 2)):
            near, far = Watch(first), Watch(second)
            connection = http.client.HTTPConnection(first.url.removeprefix("http://"))
            for number in range(80 if pause < 1 else 6):
                run.seed += 1
                body = json.dumps({"_id": -run.seed, "name": "a", "age": 1, "weight": 1, "breed": "watched"})
                connection.request("POST", "/v1/objects/Item", body, {"Content-Type": "application/json"})
                connection.getresponse().read()
                time.sleep(pause)
            time.sleep(1.5)
            later += [(far.times[key] - near.times[key]) * 1000 for key in near.times if key in far.times]
        show(f"an event at the other gateway, later by, {words}", later, " ms")
    run.stop(first, second)


def apply(run):
    writer = run.server("log", "apply", 0)
    for _ in range(3):
        run.load(writer, "create", 64)
    versions = int(run.postgres.sql("select version from realmgate.realm where name = 'apply'"))
    run.stop(writer)
    rates = []
    for _ in range(rounds):
        reader = run.server("log", "apply", 0)
        rates.append(versions / reader.cpu() / 1000)
        run.stop(reader)
    show(f"{versions} versions applied by a new gateway, per second of CPU", rates, " thousand")


def start(run):
    count = int(os.environ.get("START_OBJECTS", 1_000_000))
    # No image before it is asked for.
    options = ["--set", "log.level=warning", "--store", run.postgres.url, "--realm", "start", "--set",
               "store.imageBytes=1000000000000"]
    writer = compare.Server(run.program, run.scratch, "start0", count, options=options)
    run.stop(writer)

    def seconds_to_listen(number):
        name = os.path.join(run.scratch, f"start{number}")
        with open(name + ".out", "w") as output, open(name + ".err", "w") as log:
            begin = time.monotonic()
            process = subprocess.Popen(
                [run.program, "serve", "--data", name + ".realmgate", "--schema",
                 os.path.join(run.scratch, "start0.json"), "--port", "0", *options], stdout=output, stderr=log)
        while "listening" not in open(name + ".out").read():
            if process.poll() is not None:
                sys.exit(open(name + ".err").read())
            time.sleep(0.002)
        used = time.monotonic() - begin
        process.send_signal(signal.SIGTERM)
        process.wait()
        for end in [".realmgate", ".realmgate-lock"]:
            pathlib.Path(name + end).unlink(missing_ok=True)
        return used

    from_log = [seconds_to_listen(1 + number) for number in range(rounds)]
    subprocess.run(
        [run.program, "image", "--store", run.postgres.url, "--realm", "start"], check=True, stdout=subprocess.DEVNULL)
    from_image = [seconds_to_listen(100 + number) for number in range(rounds)]
    show(f"{count} objects, a gateway without a replica listens, from the log", from_log, " s")
    show("   from an image", from_image, " s")
    show("   from the log / from an image", [one / other for one, other in zip(from_log, from_image)])


def main():
    program, *questions = sys.argv[1:] or sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        postgres = Postgres(scratch)
        run = Run(program, scratch, postgres)
        try:
            subprocess.run([program, "setup", "--store", postgres.url], check=True, stdout=subprocess.DEVNULL)
            for question in questions or QUESTIONS:
                {"reads": reads, "commits": commits, "single": single, "together": together, "events": events,
                 "apply": apply, "start": start}[question](run)
        finally:
            run.stop(*run.running)
            subprocess.run([*postgres.account, "kill", "-INT", str(postgres.process.pid)])
            postgres.process.wait()


if __name__ == "__main__":
    main()
