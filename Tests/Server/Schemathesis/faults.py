"""Faults planted into answers on their way to the tester, each at an operation of its own, to see that each is found.

    faults.py                what to try, as options of `schemathesis run`
    faults.py REPORT.json    whether the report of that run names every fault, and nothing else
"""

import io
import json
import os
import sys
from urllib.parse import urlsplit

from urllib3.response import HTTPResponse


def alter(answer, status=None, body=None, headers={}):
    """Puts something else in place of what came; None takes a header away."""
    if status:
        answer.status_code = status
    if body is not None:
        answer._content, answer._content_consumed = body, True
        headers = {**headers, "Content-Length": str(len(body))}
    for name, value in headers.items():
        answer.headers.pop(name, None)
        # The tester reads them from here.
        answer.raw.headers.pop(name, None)
        if value is not None:
            answer.headers[name] = answer.raw.headers[name] = value
    return answer


def without(member):
    def fault(answer, request, send):
        if answer.status_code == 200:
            document = answer.json()
            document.pop(member)
            alter(answer, body=json.dumps(document).encode())

    return fault


def streamed(old, new):
    def fault(answer, request, send):
        if answer.status_code == 200:
            event = b""
            while not event.endswith(b"\n\n") and (line := answer.raw.readline()):
                event += line
            assert old in event, event
            answer.raw = HTTPResponse(
                io.BytesIO(event.replace(old, new, 1)), answer.raw.headers, answer.status_code, preload_content=False
            )

    return fault


def always(status=None, when=None, **changes):
    def fault(answer, request, send):
        if when is None or answer.status_code in when:
            alter(answer, status, **changes)

    return fault


def unlocked(only):
    """Lets those in who have no credential, or a wrong one."""

    def fault(answer, request, send):
        given = request.headers.get("Authorization") or request.headers.get("X-API-Key")
        if answer.status_code == 401 and bool(given) == only:
            again = request.copy()
            again.headers.pop("X-API-Key", None)
            again.headers["Authorization"] = f"Bearer {os.environ['REALMGATE_KEY']}"
            told = send(again)
            alter(answer, told.status_code, told.content, {"Content-Type": told.headers.get("Content-Type")})

    return fault


def of_method(method, fault):
    return lambda answer, request, send: fault(answer, request, send) if request.method == method else None


PROBLEM = b'{"type":"about:blank","title":"No","status":422,"detail":"No.","code":"planted"}'

# The operation; what goes wrong; what the tester calls it.
FAULTS = {
    "GET /v1/schema": (always(299, {200}), "UndefinedStatusCode"),
    "GET /v1/objects/Airport": (without("version"), "JsonSchemaError"),
    "GET /v1/objects/Airport/{key}": (always(when={200}, headers={"Content-Type": "text/html"}), "UndefinedContentType"),
    "GET /v1/aggregates/objects/{class}": (always(500), "ServerError"),
    "GET /v1/snapshots": (unlocked(False), "IgnoredAuth"),
    "GET /v1/keys": (unlocked(True), "IgnoredAuth"),
    "GET /healthz": (always(headers={"X-Request-Id": None}), "MissingHeaders"),
    "GET /readyz": (always(headers={"X-Debug": "1"}), "UndescribedHeaders"),
    "GET /v1/whoami": (always(headers={"Cache-Control": "max-age=60"}), "JsonSchemaError"),
    "GET /v1/index/objects/Airport": (always(200, {400}, body=b'{"version":1,"index":null}',
        headers={"Content-Type": "application/json"}), "AcceptedNegativeData"),
    "GET /v1/export/{class}": (always(422, {200}, body=PROBLEM,
        headers={"Content-Type": "application/problem+json"}), "RejectedPositiveData"),
    "GET /v1/observe/objects/Airport": (streamed(b"event: initial", b"event: started"), "JsonSchemaError"),
    "GET /v1/observe/objects/Flight": (streamed(b'"count":', b'"number":'), "JsonSchemaError"),
    "GET /metrics": (of_method("DELETE", always(200)), "UnsupportedMethodResponse"),
    "GET /v1/objects/Flight": (always(when={200}, body=b"{"), "MalformedJson"),
    "GET /v1/subscriptions/{set}": (always(when={204}, headers={"Allow": "GET, PATCH"}), "AllowHeaderMismatch"),
}  # fmt: skip


def plant(answer, request, send):
    """What the tester is to take for the answer."""
    path = urlsplit(request.url).path
    for label, (fault, _) in FAULTS.items():
        pattern = label.split(" ")[1].split("/")
        parts = path.split("/")
        if len(pattern) == len(parts) and all(a.startswith("{") or a == b for a, b in zip(pattern, parts)):
            fault(answer, request, send)
    return answer


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print("\n".join(f"--include-name={label}" for label in FAULTS))
        sys.exit()
    report = json.load(open(sys.argv[1]))
    # The tester has a label of its own for a method that is not described.
    found = {(operation.split(" ")[1], each["type"]) for each in report["failures"] for operation in each["operations"]}
    planted = {(operation.split(" ")[1], name) for operation, (_, name) in FAULTS.items()}
    for path, name in sorted(planted - found):
        others = sorted(type for place, type in found if place == path)
        print(f"{path}: {name} was planted; found was {', '.join(others) or 'nothing'}.", file=sys.stderr)
    if planted - found:
        sys.exit(f"{len(planted - found)} of {len(planted)} faults were not found.")
    print(f"All {len(planted)} planted faults were found.")
