"""Speaks to `realmgate mcp` with the official client, in each way that it negotiates the revision of the protocol.

    scenario.py PROGRAM DATA
"""

import asyncio
import json
import sys

from jsonschema import Draft202012Validator
from mcp import MCPError, StdioServerParameters
from mcp.client import Client
from mcp.types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

program, data = sys.argv[1:]
READING = ["schema", "query", "get", "aggregate", "explain"]
WRITING = ["create", "update", "delete"]


def check(condition, what):
    if not condition:
        sys.exit(f"scenario.py: {what}")


async def speak(mode, writes):
    options = ["mcp", "--data", data] + (["--allow-writes"] if writes else [])
    async with Client(StdioServerParameters(command=program, args=options), mode=mode) as client:
        expected = LATEST_HANDSHAKE_VERSION if mode == "legacy" else LATEST_MODERN_VERSION
        check(client.protocol_version == expected, f"{mode}: version {client.protocol_version}")
        tools = (await client.list_tools()).tools
        check([one.name for one in tools] == READING + (WRITING if writes else []), f"{mode}: {tools}")
        for tool in tools:
            Draft202012Validator.check_schema(tool.input_schema)

        async def call(name, **arguments):
            result = await client.call_tool(name, arguments)
            return result.content[0].text, result.is_error

        text, failed = await call("schema")
        check(not failed and [one["name"] for one in json.loads(text)["classes"]] == ["Dog", "Person"], text)
        if writes:
            for number, age in [(1, 3), (2, 7)]:
                text, failed = await call("create", **{"class": "Dog", "object": {"id": number, "name": "Rex", "age": age}})
                check(not failed and json.loads(text)["id"] == number, text)
            text, failed = await call("update", **{"class": "Dog", "key": 1, "values": {"owner": {"handle": "ada"}}})
            check(not failed and json.loads(text)["owner"] == "ada", text)
            text, failed = await call("create", **{"class": "Dog", "object": {"id": 1}})
            check(failed and "object.duplicate_key" in text, text)
        else:
            text, failed = await call("create", **{"class": "Dog", "object": {"id": 3}})
            check(failed and "--allow-writes" in text, text)
        text, failed = await call("query", **{"class": "Dog", "filter": "age > 4", "sort": "-age", "fields": "id"})
        check(not failed and json.loads(text)["items"] == ([{"id": 2}] if writes else []), text)
        text, failed = await call("query", **{"class": "Dog", "filter": "agee > 4"})
        check(failed and "Did you mean 'age'?" in text, text)
        text, failed = await call("aggregate", **{"class": "Dog", "max": "age"})
        check(not failed and json.loads(text)["count"] == (2 if writes else 0), text)
        text, failed = await call("explain", **{"class": "Dog", "filter": "owner.handle == 'ada'"})
        check(not failed and "plan" in json.loads(text), text)
        text, failed = await call("get", **{"class": "Dog", "key": 99})
        check(failed and "object.not_found" in text, text)
        try:
            await client.call_tool("drop", {})
            check(False, "a tool that does not exist was called")
        except MCPError as error:
            check(error.error.code == -32602, str(error))
        if writes:
            for number in [1, 2]:
                text, failed = await call("delete", **{"class": "Dog", "key": str(number)})
                check(not failed, text)


async def main():
    for mode in ["legacy", "auto", LATEST_MODERN_VERSION]:
        for writes in [False, True]:
            await speak(mode, writes)
    print("The official client uses every tool, in each revision that it negotiates.")


asyncio.run(main())
