"""agent.py FOLDER: an agent with a tool talks to a scripted server, instrumented with OpenInference, and sends its traces
to a Phoenix on this machine, with annotations. FOLDER/spans.json and FOLDER/annotations.json are the answers of its REST
API, FOLDER/spans_frame.json and FOLDER/annotations_frame.csv its data frames. What the agent saw is printed."""

import json
import os
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "opentelemetry"))
import openai
import scripted
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry import trace
from phoenix.client import Client
from phoenix.otel import register

folder, port = os.path.abspath(sys.argv[1]), "46016"
base = f"http://127.0.0.1:{port}"
env = {"PHOENIX_WORKING_DIR": folder, "PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": port, "PHOENIX_GRPC_PORT": "46017", "PHOENIX_TELEMETRY_ENABLED": "false"}
server = subprocess.Popen([os.path.join(os.path.dirname(sys.executable), "phoenix"), "serve"], env=os.environ | env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def get(path):
    with urllib.request.urlopen(f"{base}/{path}") as answer:
        return answer.read()


def save(name, body):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(body)


def rollout(item):
    seen = {"score": None, "failed": False, "calls": 0, "tokens": 0}
    with tracer.start_as_current_span("rollout", openinference_span_kind="chain") as span:
        span.set_attribute("metadata", json.dumps({"item_id": item}))
        id = format(span.get_span_context().span_id, "016x")
        try:
            answer = scripted.agent(client, add, item, seen)
        except openai.APIError as err:
            span.set_status(trace.StatusCode.ERROR, str(err))
            return seen | {"failed": True}
    if item != "unjudged":
        seen["score"] = float("5" in answer)
        judged[id] = seen["score"]
    return seen


try:
    for _ in range(600):
        try:
            get("healthz")
            break
        except OSError:
            time.sleep(0.2)
    provider = register(project_name="agents", endpoint=f"{base}/v1/traces", batch=False, verbose=False, auto_instrument=False)
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    tracer = provider.get_tracer("agent")
    add = tracer.tool(lambda a, b: str(a + b), name="add")
    client = openai.OpenAI(base_url=scripted.start(), api_key="none", max_retries=0)
    judged = {}
    saw = {item: [rollout(item) for _ in range(3)] for item in scripted.ITEMS}
    phoenix = Client(base_url=base)
    while len(phoenix.spans.get_spans(project_identifier="agents", limit=1000)) < 30:
        time.sleep(0.2)  # it stores them after it has answered: 12 rollouts, 15 calls of the model, 3 of the tool
    for id, score in judged.items():
        phoenix.spans.add_span_annotation(span_id=id, annotation_name="right", annotator_kind="CODE", score=score, sync=True)
        phoenix.spans.add_span_annotation(span_id=id, annotation_name="polite", annotator_kind="HUMAN", label="no", sync=True)
    save("spans.json", get("v1/projects/agents/spans?limit=1000"))
    save("annotations.json", get("v1/projects/agents/span_annotations?limit=1000&" + "&".join(f"span_ids={id}" for id in judged)))
    frame = phoenix.spans.get_spans_dataframe(project_identifier="agents")
    frame.to_json(os.path.join(folder, "spans_frame.json"), orient="records")
    notes = phoenix.spans.get_span_annotations_dataframe(spans_dataframe=frame, project_identifier="agents")
    notes.to_csv(os.path.join(folder, "annotations_frame.csv"))
finally:
    server.terminate()
    server.wait()
print(json.dumps(saw))
