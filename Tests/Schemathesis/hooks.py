"""What the tester has to know about this API beyond its description.

Event streams: each is read until its first event, which is checked against the schema that the description gives for
events of that name (`x-events`).
"""

import json

import jsonschema
import schemathesis


def events(text):
    """The events of a stream that are complete, as (name, data)."""
    for block in text.replace("\r\n", "\n").split("\n\n")[:-1]:
        name, data = "message", []
        for line in block.split("\n"):
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "event":
                name = value
            elif field == "data":
                data.append(value)
        if data:
            yield name, "\n".join(data)


@schemathesis.check
def event_conformance(ctx, response, case):
    """Each event of a stream is described, and its data is as described."""
    kind = response.headers.get("content-type", [""])[0].partition(";")[0]
    if kind != "text/event-stream" or response.status_code != 200:
        return True
    raw = case.operation.schema.raw_schema
    answers = case.operation.definition.raw["responses"]
    described = answers["200"]["content"]["text/event-stream"].get("x-events", {})
    for name, data in events(response.text):
        assert name in described, f"The event '{name}' is not described."
        schema = {**described[name], "components": raw["components"]}
        jsonschema.Draft202012Validator(schema).validate(json.loads(data))
    return True
