"""Holds the examples of requests, and those of refusals, against a gateway that has the classes that the examples are
about. `written.py` holds all examples against the description itself.

    examples.py FILE URL
"""

import http.client
import json
import re
import sys
import urllib.parse
import uuid

import fill
from described import Description, shown

description = Description(json.load(open(sys.argv[1])))
base = sys.argv[2]
address = urllib.parse.urlsplit(base).netloc
faults = []
# The first key closes a gateway that was open, and making one is an example.
key = fill.administrator(base)
paths = description.document["paths"]
PEOPLE = [{"handle": "ada", "name": "Ada", "city": "Turin"}]
DOGS = [
    {"_id": 1, "name": "Rex", "breed": "Beagle", "age": 7, "weight": 11.5, "born": "2019-03-02T08:30:00Z", "owner": "ada"},
    {"_id": 2, "name": "Fido", "breed": "Whippet", "age": 12, "weight": 13, "born": "2014-06-17T00:00:00Z"},
    {"_id": 3, "name": "Ace", "breed": "Beagle", "weight": 9.75, "tags": ["a", "b"], "marks": ["new"],
        "friends": [1, 2]},
]  # fmt: skip
operations = description.operations_written()

# Requests. Where an example is for one state of affairs, what it is refused with in another.
classes = shown(paths["/v1/schema"]["get"]["responses"]["200"]["content"]["application/json"])[0]["classes"]
# What is shown of links cannot be edited as a list of texts can.
next(each for each in classes if each["name"] == "Dog")["properties"] += [
    {"name": "tags", "type": "string[]"}, {"name": "marks", "type": "string<>"}, {"name": "friends", "type": "Dog[]"},
]  # fmt: skip
REFUSED = {
    # A mark of another history.
    "If-Match": {412},
    # A body that is for one kind of property, or one operation, only.
    "body": {404, 409, 422},
    # The demo is for a database without classes.
    "/v1/demo": {409},
}


def send(method, path, body=None, headers={}):
    connection = http.client.HTTPConnection(address, timeout=fill.PATIENCE)
    headers = {"Authorization": f"Bearer {key}", **headers}
    connection.request(method.upper(), path, body, {name: value for name, value in headers.items() if value is not None})
    answer = connection.getresponse()
    kind = answer.getheader("Content-Type", "")
    content = None if kind.startswith("text/event-stream") else answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), content


def reset():
    """The same classes and objects before each request."""
    present = fill.call(base, key, "GET", "/v1/schema")
    fill.call(base, key, "PUT", "/v1/schema", {
        "schemaVersion": present["schemaVersion"] + 1, "classes": [{"name": "Other", "properties": [
            {"name": "x", "type": "int"}]}]})  # fmt: skip
    fill.call(base, key, "PUT", "/v1/schema", {"schemaVersion": present["schemaVersion"] + 2, "classes": classes})
    fill.call(base, key, "POST", "/v1/objects/Person", PEOPLE)
    fill.call(base, key, "POST", "/v1/objects/Dog", DOGS)
    fill.call(base, key, "PATCH", "/v1/objects/Person/ada", {"favourite": 1})
    fill.call(base, key, "PUT", "/v1/subscriptions/session-7/adults", {"class": "Dog"})


def requests(template, operation, item):
    """Every example by itself, along with what is required."""
    parameters = [description.resolved(one) for one in item.get("parameters", []) + operation.get("parameters", [])]
    needed = [one for one in parameters if one.get("required")]
    kinds = operation.get("requestBody", {}).get("content", {})
    bodies = [(kind, value) for kind, content in kinds.items() for value in shown(content)]
    # Files have no example: what takes one is sent a backup.
    if "application/octet-stream" in kinds:
        bodies.append(("application/octet-stream", send("get", "/v1/backup")[2]))
    bodies = bodies or [(None, None)]
    # What lies deeper is asked for in the same ways.
    if any(not shown(one) for one in needed) or "{steps}" in template:
        return
    for kind, value in bodies:
        yield None, [(one, shown(one)[0]) for one in needed], kind, value
    for one in parameters:
        for example in shown(one)[one in needed :]:
            yield one, [(each, shown(each)[0]) for each in needed if each is not one] + [(one, example)], *bodies[0]


def composed(template, given, kind, value):
    path, query, headers = template, [], {}
    for parameter, example in given:
        if parameter["in"] == "path":
            path = path.replace("{" + parameter["name"] + "}", urllib.parse.quote(str(example), safe="/"))
        elif parameter["in"] == "header":
            headers[parameter["name"]] = example if parameter["name"] != "Idempotency-Key" else str(uuid.uuid4())
        else:
            for each in example if isinstance(example, list) else [example]:
                query.append((parameter["name"], json.dumps(each) if isinstance(each, bool) else each))
    if query:
        path += "?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote)
    if kind is None:
        return path, None, headers
    headers["Content-Type"] = kind
    if kind == "application/x-www-form-urlencoded":
        return path, urllib.parse.urlencode(value), headers
    return path, json.dumps(value) if kind == "application/json" else value, headers


def completed(template, method, parameter, path):
    """With what an example says nothing of and cannot do without."""
    name = parameter["name"] if parameter else None
    more = {}
    if "{property}" in template:
        # The examples of queries are about dogs, those of edits about texts.
        held = "/Person/ada/dogs"
        if template.startswith("/v1/objects/") and method in {"post", "put", "delete"}:
            held = "/Dog/3/tags" if method != "delete" else "/Dog/3/marks" if name == "value" else "/Dog/3/friends"
        path = path.replace("/Dog/1/fans", held)
    if name == "filter" and "%240" in path:
        more["args"] = json.dumps([10, "Rex"])
    if name == "args":
        more["filter"] = "age > $0 OR name == $1"
    if template == "/v1/subscriptions/{set}" and name:
        more["class"] = "Dog"
    if template.startswith(("/v1/index/", "/v1/observe/index/")) and name not in {"of", "matching"}:
        more["matching"] = "age > 1"
    if template.startswith(("/v1/values/", "/v1/observe/values/")) and method == "get" and name not in {"key", "keyPath"}:
        more["key"] = "age"
    # Which objects are meant has to be said somehow.
    bulk = template.startswith("/v1/objects/") and "{key}" not in template and method in {"patch", "delete"}
    bulk |= template.endswith("{property}") and method == "patch" or template.startswith("/v1/values/") and method == "put"
    bulk |= "/friends" in path and name in {"sort", "distinct", "limit", "offset"}
    if bulk and name not in {"filter", "args", "all"}:
        more["all"] = "true"
    return path + ("&" if "?" in path else "?") + urllib.parse.urlencode(more) if more else path


reset()
served = Description(fill.call(base, key, "GET", "/openapi.json"))
tried = 0
for template, method, operation in operations:
    for parameter, given, kind, value in requests(template, operation, paths[template]):
        reset()
        path, body, headers = composed(template, given, kind, value)
        path = completed(template, method, parameter, path)
        status, answered, content = send(method, path, body, headers)
        tried += 1
        where = f"{method.upper()} {path} {str(body or '')[:1000]}"
        found = served.answer_faults(method, path, status, answered, content)
        faults.extend(f"{where}: {fault}" for fault in found)
        name = parameter["name"] if parameter else "body" if body else ""
        if status >= 300 and status not in {*REFUSED.get(name, ()), *REFUSED.get(template, ())}:
            faults.append(f"{where}: {status} {(content or b'').decode()[:250]}")

# Refusals, word for word.
JSON = {"Content-Type": "application/json"}


def schema(edit):
    changed = json.loads(json.dumps(classes))
    edit({each["name"]: each for each in changed}["Dog"]["properties"])
    return json.dumps({"schemaVersion": fill.call(base, key, "GET", "/v1/schema")["schemaVersion"], "classes": changed})


def become(name, type):
    return lambda properties: next(one for one in properties if one["name"] == name).update(type=type)


reset()
refusals = description.document["components"]["responses"]
put_schema = paths["/v1/schema"]["put"]["responses"]
for answer, example, method, path, body, headers in [
    (refusals["BadQuery"], "syntax", "GET", "/v1/objects/Dog?filter=age%20%3E", None, {}),
    (refusals["BadQuery"], "name", "GET", "/v1/objects/Dog?filter=agee%20%3E%201", None, {}),
    (refusals["BadQuery"], "json", "POST", "/v1/objects/Dog", '{"_id": 2, "age" 7}', JSON),
    (refusals["NotFound"], "class", "GET", "/v1/objects/Dogs", None, {}),
    (refusals["NotFound"], "object", "GET", "/v1/objects/Dog/99", None, {}),
    (refusals["DuplicateKey"], "duplicate", "POST", "/v1/objects/Dog", '{"_id": 1}', JSON),
    (refusals["PreconditionFailed"], "changed", "PATCH", "/v1/objects/Dog/1", '{"age": 8}', {**JSON, "If-Match": '"x"'}),
    (refusals["NotJSON"], "type", "POST", "/v1/objects/Dog", "{}", {"Content-Type": "text/plain"}),
    (refusals["DoesNotFit"], "type", "POST", "/v1/objects/Dog", '{"_id": 2, "age": "seven"}', JSON),
    (refusals["DoesNotFit"], "name", "POST", "/v1/objects/Dog", '{"_id": 2, "nmae": "seven"}', JSON),
    (refusals["TargetTooLong"], None, "GET", "/v1/objects/Dog?filter=" + 9000 * "a", None, {}),
    (refusals["HeadersTooLarge"], None, "GET", "/v1/objects/Dog", None, {"X-Long": 17_000 * "a"}),
    (refusals["Unauthorized"], None, "GET", "/v1/schema", None, {"Authorization": None}),
    (put_schema["409"], "migration", "PUT", "/v1/schema", schema(become("age", "string")), JSON),
    (put_schema["422"], "target", "PUT", "/v1/schema", schema(lambda all: all.append({"name": "vet", "type": "Persn?"})), JSON),
]:  # fmt: skip
    content = answer["content"]["application/problem+json"]
    expected = content["examples"][example]["value"] if example else content["example"]
    _, _, came = send(method, path, body, headers)
    came = json.loads(came)
    came.pop("requestId", None)
    # The classes have been put more often than in the example.
    came["detail"] = re.sub("above [0-9]+", "above 1", came["detail"])
    if came != expected:
        faults.append(f"{method} {path[:60]} {body or ''}: {json.dumps(came)}, not {json.dumps(expected)}")

for fault in dict.fromkeys(faults):
    print(fault, file=sys.stderr)
if faults:
    sys.exit(f"{len(set(faults))} faults in examples.")
print(f"Examples are good: {tried} requests.")
