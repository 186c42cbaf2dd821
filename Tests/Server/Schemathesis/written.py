#!/usr/bin/env python3
"""Holds every example of a description against the schema that it is an example of. Needs no gateway.

    written.py FILE
"""

import json
import os
import sys

try:
    import jsonschema  # noqa: F401
except ImportError:
    # Debian's package belongs to Debian's Python, which is not always the first one on the path.
    debian = "/usr/bin/python3"
    if os.path.exists(debian) and "REALMGATE_DEBIAN_PYTHON" not in os.environ:
        os.environ["REALMGATE_DEBIAN_PYTHON"] = "yes"
        os.execv(debian, [debian, os.path.abspath(__file__), *sys.argv[1:]])
    sys.exit("written.py: Python lacks jsonschema. Run `apt-get install python3-jsonschema`.")

sys.dont_write_bytecode = True
from described import Description, shown  # noqa: E402

description = Description(json.load(open(sys.argv[1])))
faults = []


def hold(holder, where):
    for value in shown(holder):
        faults.extend(f"{where}: {fault}" for fault in description.faults(holder.get("schema", {}), value))


def hold_events(text, events, where):
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        if fields["event"] not in events:
            faults.append(f"{where}: {fields['event']} is not described")
            continue
        found = description.faults(events[fields["event"]], json.loads(fields["data"]))
        faults.extend(f"{where}: {fields['event']}: {fault}" for fault in found)


for template, method, operation in description.operations_written():
    for status, answer in operation["responses"].items():
        for kind, content in description.resolved(answer).get("content", {}).items():
            where = f"{method} {template}, {status}"
            hold(content, where)
            for text in shown(content) if "x-events" in content else []:
                hold_events(text, content["x-events"], where)
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        hold(content, f"{method} {template}, body")
for name, parameter in description.document["components"]["parameters"].items():
    hold(parameter, f"parameter {name}")
for name, header in description.document["components"]["headers"].items():
    hold(header, f"header {name}")

for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(f"{len(faults)} faults in examples." if faults else 0)
