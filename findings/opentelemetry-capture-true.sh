#!/usr/bin/env bash
# opentelemetry-instrumentation-openai-v2 2.4b0 records no message at all where
# OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, the value with which earlier versions recorded all of them;
# and its error.type is the text of a Python object.
#
# Pinned: opentelemetry-instrumentation-openai-v2==2.4b0, opentelemetry-util-genai==1.1b0, opentelemetry-sdk==1.45.2,
# openai==3.57.0, httpx==0.28.1 (PyPI). Seen on 2026-11-29 with Python 3.11.7 on Linux.
# Happens: with true, one warning goes to the log ("true is not a valid option ... Defaulting to NO_CONTENT") and the
# span of a chat has tokens and finish reasons, but neither gen_ai.input.messages nor gen_ai.output.messages. They are
# there with SPAN_ONLY. The span of a refused request has error.type "<class 'openai.BadRequestError'>", where the
# conventions want the name of the class.
#
# The script calls a server of its own on this machine, once to get an answer and once to be refused, with both
# settings, and fails if the spans have other attributes.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet opentelemetry-instrumentation-openai-v2==2.4b0 opentelemetry-util-genai==1.1b0 opentelemetry-sdk==1.45.2 openai==3.57.0 httpx==0.28.1
"$dir/venv/bin/python" --version
cat >"$dir/call.py" <<'PY'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
from opentelemetry import trace
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class Server(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        status, reply = 400, {"error": {"message": "refused"}}
        if asked["messages"][0]["content"] == "answer":
            message = {"role": "assistant", "content": "yes"}
            choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            status, reply = 200, {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, "usage": usage}
        body = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
spans = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)
OpenAIInstrumentor().instrument()
client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)
client.chat.completions.create(model="m", messages=[{"role": "user", "content": "answer"}])
try:
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "refuse"}])
except openai.BadRequestError:
    pass
answered, refused = (s.attributes for s in spans.get_finished_spans())
print("messages" if "gen_ai.output.messages" in answered else "no messages", answered["gen_ai.usage.output_tokens"], refused["error.type"])
PY
call() { env "$@" "$dir/venv/bin/python" "$dir/call.py" 2>/dev/null; }
true_=$(call OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true)
span=$(call OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY)
printf 'true: %s\nSPAN_ONLY: %s\n' "$true_" "$span"
[ "$true_" = "no messages 1 <class 'openai.BadRequestError'>" ] && [ "${span%% 1 *}" = messages ]
