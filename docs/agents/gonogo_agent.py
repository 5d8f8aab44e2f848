"""Lets gonogo run an agent: a JSON line in for each rollout, a JSON line out.

    import gonogo_agent
    gonogo_agent.serve(rollout)

rollout takes the request (a dict) and returns the result: a text, which is the
answer, or a dict with "output" and whatever else is known. Standard output
belongs to gonogo; print what you like to standard error, which goes to agent.log.
"""

import asyncio
import inspect
import json
import sys


def serve(rollout):
    lines, sys.stdout = sys.stdout, sys.stderr  # a stray print does no harm
    for line in sys.stdin:
        request = json.loads(line)
        result = play(rollout, request)
        result["trace_id"] = request["trace_id"]
        print(json.dumps(result), file=lines, flush=True)


def play(rollout, request):
    try:
        result = rollout(request)
        if inspect.isawaitable(result):
            result = asyncio.run(result)
    except Exception as error:  # the rollout is lost, the agent goes on
        return {"error": {"boundary": boundary(error), "message": f"{type(error).__name__}: {error}"}}
    return result if isinstance(result, dict) else {"output": result or ""}


def boundary(error):
    """The model's endpoint, where its library says so; else the agent itself."""
    return "model" if type(error).__module__.split(".")[0] in ("openai", "httpx", "httpcore") else "agent"
