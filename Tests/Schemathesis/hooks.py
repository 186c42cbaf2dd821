"""What the tester has to know about this API beyond its description.

The exclusions are all here and in schemathesis.toml, each with its reason.
"""

import ast
import json
import os
import threading
import uuid

from urllib.parse import urlsplit

import schemathesis
from requests.adapters import HTTPAdapter

import fill

# Python 3.11 parses in one thread at a time only (gh-106905), and the tester has several that read their own source.
_parse, _lock = ast.parse, threading.Lock()


def parse(*arguments, **options):
    with _lock:
        return _parse(*arguments, **options)


ast.parse = parse


IDEMPOTENCY_EXAMPLE = "6f1c2f0e-6a55-4c3a-9d43-0b6f2a1f9d10"


@schemathesis.serializer("application/x-ndjson", "text/csv")
def text(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Event streams: the tester takes `schema` to describe each event, and looks into its data.

    Examples that are good for one state only are replaced: a snapshot that there is, and a tag that any state has, so
    that requests with examples do what they say instead of being refused for being late.

    Every event that comes must have a name that is described, and data as `x-events` says for that name.
    """
    parameters = raw_schema["components"]["parameters"]
    parameters["snapshot"]["example"] = fill.snapshot(os.environ["REALMGATE_URL"], os.environ.get("REALMGATE_KEY"))
    for name in ("ifMatch", "ifMatchVersion"):
        parameters[name]["example"] = "*"
    assert parameters["idempotencyKey"]["example"] == IDEMPOTENCY_EXAMPLE
    for item in raw_schema["paths"].values():
        for operation in item.values():
            if not isinstance(operation, dict):
                continue
            for answer in operation.get("responses", {}).values():
                stream = answer.get("content", {}).get("text/event-stream")
                if not stream or "x-events" not in stream:
                    continue
                stream["schema"] = {
                    "oneOf": [
                        {
                            "type": "object",
                            "required": ["event", "data"],
                            "properties": {
                                "event": {"const": name},
                                "id": {"type": "string"},
                                "retry": {"type": "integer"},
                                "data": {
                                    "type": "string",
                                    "contentMediaType": "application/json",
                                    "contentSchema": schema,
                                },
                            },
                        }
                        for name, schema in stream["x-events"].items()
                    ]
                }
                stream.pop("example", None)


# Whether a text is a predicate, whether a link leads anywhere and whether two parameters go together, no JSON Schema
# can say. Requests that are refused for such a reason are valid by the description; all others must be accepted.
BEYOND_SCHEMAS = {
    # Texts in the query language, and names in them.
    "query.syntax", "query.too_deep", "query.unknown_property", "query.unknown_class", "query.type_mismatch",
    "query.invalid", "query.argument", "query.unsupported",
    # Parameters that exclude or need one another, or name properties.
    "parameter.invalid", "parameter.missing", "cursor.invalid",
    # What is linked to, or addressed, is not there or not such.
    "object.not_found", "object.unknown_property", "object.missing_value", "object.no_primary_key",
    # The tag is of another state, the snapshot over, the name of the request taken.
    "object.precondition_failed", "snapshot.gone", "idempotency.mismatch",
    # Which members an operation takes depends on the operation; a role is one of the configuration.
    "transaction.invalid", "transaction.requirement_failed", "transaction.version_changed", "keys.invalid",
    # Classes that do not fit together; lines of a file that is a string to the description.
    "schema.invalid", "import.refused", "import.malformed", "import.unreadable", "import.empty",
}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        try:
            problem = json.loads(response.content)
        except ValueError:
            return True
        code, detail = problem.get("code"), problem.get("detail", "")
        # A link that leads nowhere is refused as a value. Where the path has any class, the key may be of another, and
        # the class one of embedded objects.
        is_lost = code == "object.invalid_value" and "which does not exist" in detail
        is_foreign = code in {"object.invalid_key", "object.embedded_without_owner"} and "{class}" in case.path
        # What a property takes depends on the property that the path names, and an operation on its class.
        is_of_property = code in {
            "object.invalid_value", "object.not_a_collection", "object.read_only", "parameter.unknown",
        } and ("{property}" in case.path or case.path.startswith("/v1/values/"))
        is_of_operation = code.startswith("object.") and detail.startswith("Operation ")
        return not (code in BEYOND_SCHEMAS or is_lost or is_foreign or is_of_property or is_of_operation)
    if kind == "AllowHeaderMismatch":
        # Embedded objects cannot be created on their own, so the description has no POST for their classes; the path
        # takes it to say so.
        return "Undocumented methods advertised: POST" not in str(failure.message) or not is_embedded(case.path)
    if kind == "IgnoredAuth":
        # The gateway apart is open.
        return case.operation.definition.raw.get("operationId") not in APART
    return True


def is_embedded(path):
    return path in {f"/v1/objects/{one}" for one in fill.embedded}


# What would change the classes under the other tests goes to a gateway of its own, with the same classes.
APART = {"putSchema"}


class Apart(HTTPAdapter):
    """Sends what would change the classes under the other tests to the other gateway."""

    def send(self, request, *arguments, **options):
        base = os.environ["REALMGATE_URL"]
        if request.method == "PUT" and request.url.startswith(base) and urlsplit(request.url).path == "/v1/schema":
            request.url = os.environ["REALMGATE_SCRATCH"] + request.url.removeprefix(base)
        return _send(self, request, *arguments, **options)


_send, HTTPAdapter.send = HTTPAdapter.send, Apart.send


@schemathesis.hook
def before_call(context, case, kwargs):
    # The example names one request. Another one is refused for that, and for nothing that the test is about.
    headers = kwargs.get("headers")
    for each in (case.headers, headers):
        if each is not None and each.get("Idempotency-Key") == IDEMPOTENCY_EXAMPLE:
            each["Idempotency-Key"] = str(uuid.uuid4())
    # A stream that goes on from where the client is has nothing to say until something changes.
    if case.path.startswith("/v1/observe/") or case.path.endswith("/stream"):
        kwargs["timeout"] = 2


_filling = threading.Lock()


@schemathesis.hook
def after_call(context, case, response):
    # Whole classes can be emptied; the other requests are to find something.
    if case.method == "DELETE" and response.status_code < 300 and "{key}" not in case.path and "/objects/" in case.path:
        with _filling:
            for attempt in range(5):
                try:
                    return fill.objects(os.environ["REALMGATE_URL"], os.environ.get("REALMGATE_KEY") or None)
                except SystemExit:
                    # The other worker has deleted in between what the next objects link to.
                    if attempt == 4:
                        raise
