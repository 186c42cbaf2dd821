"""Holds answers against a description, as strictly as it is written."""

import json
import re
import urllib.parse

import jsonschema

# What HTTP, browsers and proxies want of any answer; nothing of it is about this API.
EVERYWHERE = {
    "connection", "content-encoding", "content-length", "content-security-policy", "content-type",
    "cross-origin-resource-policy", "date", "referrer-policy", "transfer-encoding", "vary", "x-content-type-options",
}  # fmt: skip


def with_names_of_numbers(schema):
    """The description with what stands beside a number for those that JSON has no form for, as an alternative to it."""
    if isinstance(schema, list):
        return [with_names_of_numbers(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: with_names_of_numbers(one) for name, one in schema.items()}
    names = made.pop("x-nonFinite", None)
    if not isinstance(names, list):
        return made
    aside = {name: made.pop(name) for name in ("description", "default", "readOnly") if name in made}
    return {"anyOf": [made, {"type": "string", "enum": names}], **aside}


def shown(holder):
    """The examples of a parameter or a body."""
    if "example" in holder:
        return [holder["example"]]
    return [one["value"] for one in holder.get("examples", {}).values()]


class Description:
    def __init__(self, document):
        self.document = document = with_names_of_numbers(document)
        self.validators = {}

    def operations(self, method, path):
        """The operations that describe a request: that of the class, and that of any class."""
        parts = path.split("?")[0].split("/")
        found = []
        for template, item in self.document["paths"].items():
            pattern = urllib.parse.unquote(template).split("/")
            # Only the last part of a template may stand for several.
            if pattern[-1] in {"{steps}", "{resource}", "{file}"}:
                pattern = pattern[:-1] + ["{}"] * max(len(parts) - len(pattern) + 1, 1)
            if method.lower() in item and len(pattern) == len(parts):
                if all(a.startswith("{") or a == b for a, b in zip(pattern, parts)):
                    found.append((pattern, template, item[method.lower()]))
        for pattern, template, operation in found:
            # What stands there as it is wins over what may be anything, except for the names of classes.
            if not any(
                a.startswith("{") and a != "{class}" and not b.startswith("{")
                for other, _, _ in found for a, b in zip(pattern, other)
            ):  # fmt: skip
                yield template, operation

    def operations_written(self):
        """The path, the method and the description of every operation."""
        return [
            (template, method, operation) for template, item in self.document["paths"].items()
            for method, operation in item.items() if isinstance(operation, dict)
        ]  # fmt: skip

    def resolved(self, json):
        while "$ref" in json:
            target = self.document
            for name in json["$ref"].split("/")[1:]:
                target = target[name]
            json = target
        return json

    def faults(self, schema, value):
        """What does not fit, in words."""
        # Kept with the schema, whose identity is that of no other then.
        if id(schema) not in self.validators:
            whole = {"allOf": [schema], "components": self.document["components"]}
            self.validators[id(schema)] = schema, jsonschema.Draft202012Validator(whole)
        for error in self.validators[id(schema)][1].iter_errors(value):
            yield f"{error.json_path}: {error.message[:300]}"

    def undescribed(self, operation, status, headers):
        """Headers of an answer that the description does not tell of."""
        answer = self.resolved(operation["responses"].get(str(status), {}))
        described = {name.lower() for name in answer.get("headers", {})}
        # Refusals are not to be stored, whatever they refuse.
        described |= {"cache-control"} if status >= 400 else set()
        return sorted(
            name for name in headers
            if name.lower() not in described | EVERYWHERE and not name.lower().startswith("access-control-")
        )  # fmt: skip

    def header_faults(self, operation, status, headers):
        """What is missing or not as described; the values of headers are compared as text."""
        answer = self.resolved(operation["responses"].get(str(status), {}))
        lower = {name.lower(): value for name, value in headers.items()}
        for name, header in answer.get("headers", {}).items():
            header = self.resolved(header)
            value = lower.get(name.lower())
            if value is None:
                if header.get("required"):
                    yield f"{name} is missing"
                continue
            if header["schema"].get("type") == "integer":
                value = int(value) if re.fullmatch("-?[0-9]+", value) else value
            yield from (f"{name}: {fault}" for fault in self.faults(header["schema"], value))
        for name in self.undescribed(operation, status, headers):
            yield f"{name} is not described"

    def answer_faults(self, method, path, status, headers, body=None):
        """Everything about an answer that is not as described. `body`: None for a stream."""
        found = False
        for template, operation in self.operations(method, urllib.parse.unquote(path)):
            found = True
            answer = operation["responses"].get(str(status))
            if answer is None:
                yield f"{method} {template} does not answer {status}"
                continue
            yield from self.header_faults(operation, status, headers)
            content = self.resolved(answer).get("content", {})
            kind = headers.get("Content-Type", "").split(";")[0]
            if content and kind not in content:
                yield f"{method} {template} answers with {kind}, not one of {', '.join(content)}"
            elif body is not None and kind in {"application/json", "application/problem+json"}:
                yield from self.faults(content.get(kind, {}).get("schema", {}), json.loads(body))
        if not found:
            yield f"{method} {path} is not described"
