# Lists the tools of gonogo mcp and calls them with the official client, which holds each result to
# the tool's output schema. Usage: session.py GONOGO RUN CONFIG
import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(gonogo, run, config):
    server = StdioServerParameters(command=gonogo, args=["mcp"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        told = {"tools": [tool.name for tool in (await session.list_tools()).tools], "results": {}, "errors": {}}
        for name, arguments in [
            ("explain_verdict", {"run": run}),
            ("list_findings", {"run": run, "all": True}),
            ("get_rollouts", {"run": run}),
            ("check_configuration", {"config": config}),
            ("estimate_cost", {"config": config, "run": run}),
            ("compare_runs", {"base": run, "new": run}),
            ("explain_verdict", {"run": ".."}),
        ]:
            result = (await session.call_tool(name, arguments)).model_dump(by_alias=True)
            text = "".join(part["text"] for part in result["content"])
            told["errors" if result["isError"] else "results"][name] = result["structuredContent"] or text
        print(json.dumps(told))


asyncio.run(main(*sys.argv[1:]))
