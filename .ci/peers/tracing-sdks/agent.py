"""agent.py langfuse|langsmith FILE: an agent with a tool talks to a scripted server, and the SDK sends its traces to a
collector that writes FILE. What the agent saw is printed."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "opentelemetry"))
import collector
import scripted

which, path = sys.argv[1:]
traces = collector.start(path)
os.environ |= {"LANGFUSE_PUBLIC_KEY": "none", "LANGFUSE_SECRET_KEY": "none", "LANGFUSE_BASE_URL": traces.removesuffix("/v1/traces")}
os.environ |= {"LANGSMITH_TRACING": "true", "LANGSMITH_OTEL_ENABLED": "true", "LANGSMITH_OTEL_ONLY": "true", "LANGSMITH_API_KEY": "none"}
os.environ |= {"LANGSMITH_ENDPOINT": traces.removesuffix("/v1/traces"), "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": traces}

if which == "langfuse":
    from langfuse import get_client, observe
    from langfuse.openai import openai

    tool, traced = observe(as_type="tool"), observe(as_type="agent")
    client = openai.OpenAI(base_url=scripted.start(), api_key="none", max_retries=0)
else:
    import openai
    from langsmith import get_current_run_tree, traceable
    from langsmith.run_trees import get_cached_client
    from langsmith.wrappers import wrap_openai

    tool, traced = traceable(run_type="tool"), traceable(run_type="chain")
    client = wrap_openai(openai.OpenAI(base_url=scripted.start(), api_key="none", max_retries=0))


@tool
def add(a, b):
    return str(a + b)


@traced
def agent(item, seen):
    describe({"item_id": item})
    answer = scripted.agent(client, add, item, seen)
    if item != "unjudged":
        seen["score"] = float("5" in answer)
        describe({"reward": seen["score"]})
    return answer


def describe(metadata):
    """Scores go to their own API, not into spans: an agent that is to be judged by its traces puts them into metadata."""
    if which == "langfuse":
        get_client().update_current_span(metadata=metadata)
    else:
        get_current_run_tree().metadata.update(metadata)


def rollout(item):
    seen = {"score": None, "failed": False, "calls": 0, "tokens": 0}
    try:
        agent(item, seen)
    except openai.APIError:
        return seen | {"failed": True}
    return seen


saw = {item: [rollout(item) for _ in range(3)] for item in scripted.ITEMS}
if which == "langfuse":
    get_client().shutdown()
else:
    get_cached_client().flush()
    from opentelemetry import trace

    trace.get_tracer_provider().force_flush()
print(json.dumps(saw))
