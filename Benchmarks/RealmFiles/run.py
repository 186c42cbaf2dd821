#!/usr/bin/env python3
"""How long does the import of a large Realm file take, and where does the time go? See Benchmarks/README.md.

    Benchmarks/RealmFiles/run.py [PROGRAM [OBJECTS]]

PROGRAM is .build/release/realmgate, or else .build/debug/realmgate; OBJECTS is 1,000,000. Needs Linux and Python's standard
library; with perf installed it says which modules take the time.
"""
import os, re, shutil, struct, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WIDTHS = [0, 1, 2, 4, 8, 16, 32, 64]
CLUSTER = 256
INNER, REFS = 0x80, 0x40


class Writer:
    """Writes a Realm file of format 24, from its nodes up."""

    def __init__(self):
        self.bytes = bytearray(24)

    def node(self, payload, kind, width, size, flags=0):
        place = len(self.bytes)
        self.bytes += b"AAAA" + bytes([flags | kind << 3 | WIDTHS.index(width)]) + size.to_bytes(3, "big")
        self.bytes += payload + bytes(-len(payload) % 8)
        return place

    def integers(self, values, flags=0, unsigned=False):
        low, high = min(values, default=0), max(values, default=0)
        if low >= 0 and high < 16 and not unsigned:
            width = next(w for w in (0, 1, 2, 4) if high < 1 << w)
            total = sum(value << at * width for at, value in enumerate(values)) if width else 0
            return self.node(total.to_bytes((len(values) * width + 7) // 8, "little"), 0, width, len(values), flags)
        width = next(w for w in (8, 16, 32, 64) if (high < 1 << w if unsigned else -1 << w - 1 <= low and high < 1 << w - 1))
        code = {8: "b", 16: "h", 32: "i", 64: "q"}[width]
        return self.node(struct.pack(f"<{len(values)}{code.upper() if unsigned else code}", *values), 0, width, len(values), flags)

    def refs(self, values, flags=0):
        return self.integers(values, flags | REFS)

    def texts(self, values, width):
        cells = b"".join(text + bytes(width - 1 - len(text)) + bytes([width - 1 - len(text)])
                         for text in (value.encode() for value in values))
        return self.node(cells, 1, width, len(values))

    def optional(self, values):
        """Integers that may be null: the first element stands for null."""
        null = next(number for number in range(len(values) + 1) if number not in set(values))
        return self.integers([null] + [null if value is None else value for value in values])

    def tree(self, clusters):
        """The root above clusters whose keys ascend without a gap."""
        level, depth = [(place, first, count) for place, first, count in clusters], 1
        while len(level) > 1:
            above = []
            for start in range(0, len(level), CLUSTER):
                part = level[start:start + CLUSTER]
                base, total = part[0][1], sum(count for _, _, count in part)
                offsets = self.integers([first - base for _, first, _ in part], unsigned=True)
                place = self.refs([offsets, depth << 1 | 1, total << 1 | 1] + [place for place, _, _ in part], INNER)
                above.append((place, base, total))
            level, depth = above, depth + 1
        return level[0][0]

    def file(self, path, name, columns, root, key):
        """One table, and the topmost node."""
        spec = self.refs([
            self.integers([kind for _, kind, _ in columns]), self.texts([name for name, _, _ in columns], 16),
            self.integers([attributes for _, _, attributes in columns]), 0, 0,
            self.integers([at | kind << 16 | attributes << 22 for at, (_, kind, attributes) in enumerate(columns)])])
        targets = self.integers([0x7FFFFFFF] * len(columns))
        table = self.refs([spec, 0, root, 1, 0, 1, 1, targets, 0, 1, 0, key, 1, 0])
        names, tables = self.texts(["class_" + name], 64), self.refs([table])
        length = len(self.bytes) + 8 + 11 * 8
        slots = [names, tables, length << 1 | 1, 0, 0, 0, 15, 5, 0, 0, 0]
        top = self.node(struct.pack("<11q", *slots), 0, 64, 11, REFS)
        self.bytes[8:24] = struct.pack("<q", top) + b"T-DB" + bytes([0, 24, 0, 1])
        with open(path, "wb") as file:
            file.write(self.bytes)


def write(path, objects):
    """Objects of six properties: an integer as key, a text, an optional integer, a number, a boolean, a date."""
    writer, clusters = Writer(), []
    for first in range(0, objects, CLUSTER):
        ids = range(first, min(first + CLUSTER, objects))
        seconds = writer.optional([1_700_000_000 + id * 37 for id in ids])
        columns = [
            writer.integers(list(ids)), writer.texts([f"item {id}" for id in ids], 16),
            writer.optional([None if id % 11 == 0 else id * 7919 % 90 for id in ids]),
            writer.node(struct.pack(f"<{len(ids)}d", *[id * 7919 % 10_007 / 8 for id in ids]), 1, 8, len(ids)),
            writer.integers([id % 3 & 1 for id in ids]),
            writer.refs([seconds, writer.integers([id % 1000 * 1_000_000 for id in ids])])]
        # The keys 0, 1, 2 and so on of a cluster need no node.
        clusters.append((writer.refs([len(ids) << 1 | 1] + columns), first, len(ids)))
    columns = [("id", 0, 2), ("name", 2, 0), ("age", 0, 16), ("weight", 10, 0), ("adopted", 1, 0), ("born", 8, 0)]
    # The key of the column: its place, type and attributes.
    writer.file(path, "Item", columns, writer.tree(clusters), 2 << 22 << 1 | 1)


def run(arguments, **options):
    """Seconds, peak memory in MB, and the output. The size of the heap and of files that are mapped counts."""
    start = time.monotonic()
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    output, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{arguments}: {errors}")
    return time.monotonic() - start, usage.ru_maxrss / 1024, output, usage.ru_utime + usage.ru_stime


def profile(program, path, directory):
    """The share of each part of the program in the samples of an import."""
    record = os.path.join(directory, "perf.data")
    data = os.path.join(directory, "profiled")
    done = subprocess.run(["perf", "record", "-F", "499", "-g", "-o", record, program, "import", path, "--data", data], capture_output=True)
    if done.returncode != 0:
        return
    report = subprocess.run(
        ["perf", "report", "-i", record, "--no-children", "-g", "none", "--stdio", "--percent-limit", "0.05", "--sort", "sym"],
        capture_output=True, text=True).stdout
    shares = {}
    for percent, symbol in re.findall(r"^\s*([\d.]+)%\s+\[[.k]\]\s+(.*)$", report, re.M):
        module = re.match(r"\$[sS](?:S)?(\d+)([A-Za-z]+)", symbol)
        name = module.group(2)[:int(module.group(1))] if module else re.split(r"[ .(]", symbol)[0]
        if not module:
            name = ("Swift's runtime" if name.startswith(("swift_", "$s")) else "LMDB" if name.startswith("mdb_")
                    else "the system and C library")
        shares[name] = shares.get(name, 0) + float(percent)
    print("\n| part | share of the time |\n| --- | --- |")
    for name, share in sorted(shares.items(), key=lambda one: -one[1])[:12]:
        print(f"| {name} | {share:.1f} % |")


def main():
    built = [os.path.join(ROOT, ".build", kind, "realmgate") for kind in ("release", "debug")]
    program = sys.argv[1] if len(sys.argv) > 1 else next(path for path in built if os.path.exists(path))
    objects = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    directory = tempfile.mkdtemp(prefix="realmgate-realm-files-", dir=os.environ.get("REALMGATE_BENCHMARK_DIRECTORY"))
    try:
        path, data = os.path.join(directory, "items.realm"), os.path.join(directory, "data")
        write(path, objects)
        size = os.path.getsize(path) / 1e6
        print(f"{objects:,} objects, {size:.1f} MB\n\n| step | seconds | processor seconds | peak MB |\n| --- | --- | --- | --- |")
        seconds, memory, _, busy = run([program, "schema", path])
        print(f"| open, and count the objects | {seconds:.2f} | {busy:.2f} | {memory:.0f} |")
        seconds, memory, output, busy = run([program, "import", path, "--data", data])
        print(f"| import | {seconds:.2f} | {busy:.2f} | {memory:.0f} |")
        print(f"\nThe database has {os.path.getsize(data) / 1e6:.1f} MB. {output.splitlines()[0]}.")
        assert f"{objects:,} objects" in output, output
        expected = sum(id * 7919 % 90 for id in range(objects) if id % 11)
        assert f"sum {expected}," in output, output
        if shutil.which("perf"):
            profile(program, path, directory)
    finally:
        shutil.rmtree(directory)


main()
