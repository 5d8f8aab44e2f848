"""agent.py openllmetry|openinference FILE: an agent with a tool talks to a scripted server, its traces go to a collector
that writes FILE, and what the agent itself saw is printed: per item its scores, failures, tool calls and tokens."""

import json
import sys

import collector
import openai
import scripted
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

which, path = sys.argv[1:]


provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=collector.start(path))))
trace.set_tracer_provider(provider)
if which == "openllmetry":
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor
else:
    from openinference.instrumentation.openai import OpenAIInstrumentor
OpenAIInstrumentor().instrument()
client = openai.OpenAI(base_url=scripted.start(), api_key="none", max_retries=0)
tracer = trace.get_tracer("agent")


def attributes(kind, **more):
    """Attributes of a span of ours in the convention that is tried."""
    if which == "openinference":
        names = {"tool": "tool.name", "id": "tool.id", "input": "input.value"}
        return {"openinference.span.kind": kind} | {names.get(k, k): v for k, v in more.items()}
    names = {"tool": "gen_ai.tool.name", "id": "gen_ai.tool.call.id", "input": "gen_ai.tool.call.arguments"}
    operation = {"AGENT": "invoke_agent", "TOOL": "execute_tool"}[kind]
    return {"gen_ai.operation.name": operation} | {names.get(k, k): v for k, v in more.items()}


def rollout(item, tools):
    seen = {"score": None, "failed": False, "calls": 0, "tokens": 0}
    named = {"metadata": json.dumps({"item": item})} if which == "openinference" else {"item.id": item}
    with tracer.start_as_current_span("agent", attributes=attributes("AGENT", **named)) as span:
        messages = [{"role": "system", "content": "Add."}, {"role": "user", "content": f"This is {item}: 2+3?"}]
        more = {"tools": [{"type": "function", "function": scripted.ADD}]} if tools else {}
        while True:
            try:
                reply = client.chat.completions.create(model="scripted", messages=messages, **more)
            except openai.APIError as err:
                span.record_exception(err)
                span.set_status(trace.StatusCode.ERROR, str(err))
                return seen | {"failed": True}
            message = reply.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            seen["tokens"] += reply.usage.completion_tokens
            if not message.tool_calls:
                break
            for call in message.tool_calls:
                asked = attributes("TOOL", tool=call.function.name, id=call.id, input=call.function.arguments)
                with tracer.start_as_current_span("tool", attributes=asked):
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": "5"})
                seen["calls"] += 1
        if item != "unjudged":
            seen["score"] = float("5" in message.content)
            result = {"gen_ai.evaluation.name": "right", "gen_ai.evaluation.score.value": seen["score"]}
            span.add_event("gen_ai.evaluation.result", result)
    return seen


saw = {item: [rollout(item, item == "with a tool") for _ in range(6)] for item in scripted.ITEMS}
provider.shutdown()
print(json.dumps(saw))
