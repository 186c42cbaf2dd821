"""What the tester has to know about this API beyond its description.

The exclusions are all here and in schemathesis.toml, each with its reason.
"""

import ast
import atexit
import collections
import json
import os
import threading
import uuid

from urllib.parse import parse_qsl, urlsplit

import schemathesis
from hypothesis import strategies
from requests.adapters import HTTPAdapter
from schemathesis.core import NOT_SET
from schemathesis.core.failures import Failure

import faults
import fill
from described import Description, with_names_of_numbers

# Python 3.11 parses in one thread at a time only (gh-106905), and the tester has several that read their own source.
_parse, _lock = ast.parse, threading.Lock()


def parse(*arguments, **options):
    with _lock:
        return _parse(*arguments, **options)


ast.parse = parse


KEY = os.environ.get("REALMGATE_KEY")
# The seconds after which the tester leaves a stream that is open and says nothing, which is no fault.
SILENCE = 0.25
IDEMPOTENCY_EXAMPLE = "6f1c2f0e-6a55-4c3a-9d43-0b6f2a1f9d10"


# Texts that are JSON themselves.
scalars = strategies.none() | strategies.booleans() | strategies.integers(-(2**63), 2**63 - 1) | strategies.text()
schemathesis.openapi.format("json-array", strategies.lists(scalars, max_size=4).map(json.dumps))


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
    spelled = with_names_of_numbers(raw_schema)
    raw_schema.clear()
    raw_schema.update(spelled)
    parameters = raw_schema["components"]["parameters"]
    parameters["snapshot"]["example"] = fill.snapshot(os.environ["REALMGATE_URL"], KEY)
    for name in ("ifMatch", "ifMatchVersion"):
        parameters[name]["example"] = "*"
    for schema in (
        parameters["args"]["schema"],
        raw_schema["paths"]["/v1/query/{resource}"]["post"]["requestBody"]["content"][
            "application/x-www-form-urlencoded"]["schema"]["properties"]["args"],
    ):  # fmt: skip
        schema["format"] = "json-array"
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
# can say. A request that is valid by the description and refused is excused for such a reason only: each reason tells
# by the code, by the parameter that is blamed and by what was asked for when it holds.

# Texts in the query language, and names of properties and key paths.
TEXTS = {
    "args", "average", "by", "distinct", "expand", "fields", "filter", "key", "keyPath", "keyPaths", "matching", "max",
    "min", "sort", "sum",
}  # fmt: skip


class Refusal:
    """A request and the problem that it was answered with."""

    def __init__(self, case, response):
        problem = json.loads(response.content)
        self.code, self.detail = problem["code"], problem["detail"]
        self.blamed = problem.get("parameter")
        self.case, self.path, self.method = case, case.path, response.request.method
        self.url, self.headers = response.request.url, response.request.headers
        self.body = str(response.request.body or "")
        self.given = dict(parse_qsl(urlsplit(self.url).query, keep_blank_values=True))
        if isinstance(case.body, dict) and self.path.startswith(("/v1/query/", "/v1/subscriptions/")):
            self.given |= case.body
        # A class that is not known before, or what a property leads to, may be of any kind.
        self.is_of_any_class = "{class}" in self.path or "{resource}" in self.path
        self.is_of_property = "{property}" in self.path

    def has_both_or_neither(self, one, other):
        return (one in self.given) == (other in self.given)

    def is_example(self):
        """Whether the parameter that is blamed is as the description shows it for the class."""
        for each in self.case.operation.definition.raw.get("parameters", []):
            each = description(self.case).resolved(each)
            if each["name"] == self.blamed and each["in"] == "query":
                shown = [each.get("example"), *(one["value"] for one in each.get("examples", {}).values())]
                return self.given.get(self.blamed) in shown
        return False

    @property
    def excuse(self):
        return next((name for name, holds in EXCUSES.items() if holds(self)), None)


EXCUSES = {
    # What an operation on one class shows as an example has to be good.
    "a text that means nothing to the class": lambda it: (
        it.code.startswith("query.") and it.blamed in TEXTS & set(it.given)
        and (it.is_of_any_class or it.is_of_property or not it.is_example())
    ),
    "parameters of which there must be one": lambda it: it.code == "parameter.missing" and (
        it.path.startswith(("/v1/index/", "/v1/observe/index/")) and it.has_both_or_neither("of", "matching")
        or it.path.startswith(("/v1/values/", "/v1/observe/values/")) and it.has_both_or_neither("key", "keyPath")
        or it.path.startswith("/v1/subscriptions/") and "class" not in it.given
        or it.method in {"PATCH", "DELETE", "PUT"} and "filter" not in it.given and it.given.get("all") != "true"
    ),
    "parameters that exclude one another": lambda it: it.code == "parameter.invalid" and (
        it.path.startswith("/v1/sections/") and {"index", "section"} <= set(it.given)
        or it.path.startswith("/v1/observe/sections/") and {"ascending", "sort"} <= set(it.given)
    ),
    "groups that nothing divides, or that two parameters choose": lambda it: (
        it.code == "parameter.invalid" and "/aggregates/" in it.path and it.blamed in {"top", "bins", "order", "limit", "offset"}
        and (it.blamed == "order" or "by" not in it.given or {"top", "bins"} & set(it.given))
    ),
    "what a property leads to": lambda it: it.is_of_property and (
        it.code in {
            "object.not_a_collection", "path.not_a_collection", "object.invalid_value", "parameter.unknown"}
        or it.code == "object.invalid_index" and "{steps}" in it.path
        or it.code == "object.unknown_property" and it.method in {"POST", "PUT", "PATCH"}
        or it.code == "parameter.invalid" and (" is one object. Leave " in it.detail or it.blamed == "value")
    ),
    "a value for a property that the query names": lambda it: (
        it.path.startswith("/v1/values/") and it.method == "PUT"
        and it.code in {"object.invalid_value", "object.not_a_collection", "path.not_a_collection"}
    ),
    "a key or an object of another class": lambda it: it.is_of_any_class and (
        it.code in {"object.invalid_key", "object.embedded_without_owner", "object.no_primary_key"}
        or it.method in {"POST", "PUT", "PATCH"}
        and it.code in {"object.unknown_property", "object.missing_value", "object.invalid_value"}
    ),
    "a link that leads nowhere": lambda it: (
        it.code == "object.invalid_value" and it.method != "GET"
        and ("which does not exist" in it.detail or " must be the key of an object of " in it.detail)
    ),
    "a cursor of nothing": lambda it: it.code == "cursor.invalid" and "after" in it.given,
    "a snapshot that is over": lambda it: (
        it.code == "snapshot.gone" and (
            "snapshot" in it.given and not it.is_example() or "/snapshots/" in it.path)
        or it.code == "snapshot.not_found" and "/snapshots/" in it.path
    ),
    "a tag of another state": lambda it: (
        it.code == "object.precondition_failed" and {"If-Match", "If-None-Match"} & set(it.headers)
    ),
    "a path of a stream that is a text to the description, or what has neither a path nor a class": lambda it: (
        it.path.startswith("/v1/subscriptions/") and it.method in {"PUT", "POST"}
        and ("path" in it.given or it.code == "subscription.invalid" and not it.given.get("class"))
    ),
    "a name that another request has": lambda it: (
        it.code == "idempotency.mismatch" and "Idempotency-Key" in it.headers
    ),
    "operations that do not fit together": lambda it: it.path == "/v1/transactions" and (
        it.code in {"transaction.invalid", "transaction.requirement_failed", "transaction.version_changed"}
        or it.code.startswith(("object.", "query.")) and it.detail.startswith("Operation ")
    ),
    "a type or a name that no class can have": lambda it: (
        it.path == "/v1/schema/inference" and it.code == "parameter.invalid" and {"type", "class"} & set(it.given)
    ),
    "a role of another configuration": lambda it: it.path == "/v1/keys" and it.code == "keys.invalid",
    "classes that do not fit together": lambda it: it.path.startswith("/v1/schema") and it.code == "schema.invalid",
    "lines of a file that are a text to the description": lambda it: (
        it.path.startswith(("/v1/import/", "/v1/schema/inference", "/v1/backup/check"))
        and (
            it.code in {"import.refused", "import.malformed", "import.unreadable", "import.empty"}
            # The form that is named has to be the one that the body is declared as.
            or it.code == "unsupported_media_type" and "format" in it.given
        )
    ),
    "a file that is a text to the description": lambda it: it.path == "/v1/import" and (
        it.code == "import.empty" or it.code.startswith("realm_file.")
    ),
    "spreadsheets open CSV alone": lambda it: (
        it.path.startswith(("/v1/import/", "/v1/export/", "/v1/schema/inference")) and it.code == "parameter.invalid"
        and "escapeFormulas" in it.given
    ),
    "a sum beyond all integers": lambda it: it.code == "query.sum_overflow",
    "links that a file has no form for": lambda it: (
        it.path.startswith("/v1/export/") and it.code == "export.impossible"
    ),
    # JSON may say more than is kept of it, at any depth of what may be any JSON.
    "JSON of a size that is not kept": lambda it: it.code == "json.number_range" or (
        it.code == "json.syntax" and "NUL byte in object key" in it.detail
    ),
    # Its length is counted in bytes, and what may be read may not be given.
    "a name of a subscription": lambda it: it.code == "subscription.invalid_name" and (
        it.method in {"PUT", "POST"} and any(
            len(str(part).encode()) > 128 or str(part) in {".", "..", "stream"} or str(part).startswith("$")
            for part in (it.case.path_parameters or {}).values()
        )
    ),
    # The tester takes it for a text like any; a target with it is not taken apart.
    "a null character in the target": lambda it: it.code == "malformed_target" and "%00" in it.url + it.body,
}  # fmt: skip

excused, _counting = collections.Counter(), threading.Lock()


@atexit.register
def tell():
    for name, count in sorted(excused.items()):
        print(f"Refused with an excuse: {count:5} for {name}")


FLAGS = {"all", "ascending", "atomic", "count", "escapeFormulas", "keys"}


def empty(url):
    """The parameters of the query that have no value."""
    return {name for name, value in parse_qsl(urlsplit(url).query, keep_blank_values=True) if not value}


_descriptions = {}


def description(case):
    """The description of the case's operation, read once: it is large, and every check asks for it."""
    document = case.operation.schema.raw_schema
    if id(document) not in _descriptions:
        # With the document, whose number nothing else can have then.
        _descriptions[id(document)] = (document, Description(document))
    return _descriptions[id(document)][1]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        try:
            excuse = Refusal(case, response).excuse
        except (ValueError, KeyError):
            return True
        with _counting:
            excused.update([excuse] if excuse else [])
        return excuse is None
    if kind == "ServerError" and response.status_code == 504 and case.path.startswith("/v1/subscriptions/"):
        # Who says how long to wait is told when that is over.
        return not (isinstance(case.body, dict) and "timeout" in case.body and b"subscription.timeout" in response.content)
    if kind == "AcceptedNegativeData" and FLAGS & empty(response.request.url):
        # A flag without a value is set.
        return False
    if kind == "AcceptedNegativeData" and case.method == "PATCH" and b'"modified":0}' in response.content:
        # What is to be set is read when there is something to set it in.
        return False
    if kind == "AcceptedNegativeData":
        # Whatever is sent as a file is a text in the end, and a line that does not fit is told in the answer.
        return not case.path.startswith("/v1/import/") or case.body is NOT_SET or isinstance(case.body, str)
    if kind == "AllowHeaderMismatch":
        # Embedded objects cannot be created on their own, so the description has no POST for their classes; the path
        # takes it to say so.
        return "Undocumented methods advertised: POST" not in str(failure.message) or not is_embedded(case.path)
    return True


def is_embedded(path):
    return path in {f"/v1/objects/{one}" for one in fill.embedded}


class UndescribedHeaders(Failure):
    """An answer has headers that its description does not tell of."""

    def __init__(self, *, operation, names):
        super().__init__(operation=operation, title="Undescribed headers", message=", ".join(names))
        self.names = names

    @property
    def _unique_key(self):
        return ", ".join(self.names)


@schemathesis.check
def described_headers(context, response, case):
    names = description(case).undescribed(case.operation.definition.raw, response.status_code, response.headers)
    if names and case.operation.responses.find_by_status_code(response.status_code) is not None:
        raise UndescribedHeaders(operation=case.operation.label, names=names)


class Apart(HTTPAdapter):
    """Sends what would change the classes under the other tests to a gateway of its own, with the same classes."""

    def send(self, request, *arguments, **options):
        base = os.environ["REALMGATE_URL"]
        if request.method == "PUT" and request.url.startswith(base) and urlsplit(request.url).path == "/v1/schema":
            request.url = os.environ["REALMGATE_SCRATCH"] + request.url.removeprefix(base)
            # What is no credential here is none there.
            if (given := request.headers.get("Authorization")) and KEY:
                request.headers["Authorization"] = given.replace(KEY, os.environ["REALMGATE_SCRATCH_KEY"])
        # A silent stream is left after a while; how long the answer itself may take is another matter.
        is_stream = options.get("timeout") == SILENCE
        if is_stream:
            options["timeout"] = fill.PATIENCE
        answer = _send(self, request, *arguments, **options)
        if is_stream and (body := answer.raw._fp.fp) is not None:
            body.raw._sock.settimeout(SILENCE)
        if "REALMGATE_PLANTED" in os.environ:
            answer = faults.plant(answer, request, lambda again: _send(self, again, *arguments, **options))
        return answer


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
        kwargs["timeout"] = SILENCE


@schemathesis.hook
def after_call(context, case, response):
    # Whole classes can be emptied; the other requests are to find something.
    if case.method == "DELETE" and response.status_code < 300 and "{key}" not in case.path and "/objects/" in case.path:
        fill.objects(os.environ["REALMGATE_URL"], KEY or None)
