#!/usr/bin/env bash
# OpenLLMetry and OpenInference record different ends of the same reply of two choices: one renames tool_calls to
# tool_call, the other has an attribute for the first choice's reason alone, so that the choice that was cut off is not
# counted.
#
# Pinned: opentelemetry-instrumentation-openai==0.62.4, openinference-instrumentation-openai==0.1.66,
# opentelemetry-sdk==1.45.2, openai==3.54.0 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: a server answers a request with n=2 by two choices, with finish_reason tool_calls and length. The spans say
#   OpenLLMetry    gen_ai.response.finish_reasons = ('tool_call', 'length')
#   OpenInference  llm.finish_reason = 'tool_calls'; the second choice's is in the raw reply (output.value) alone
# It matters to whoever takes the share of answers that were cut off, or of those that called a tool, from traces.
#
# The script calls a server of its own on this machine with each, and fails if the spans say something else.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet opentelemetry-instrumentation-openai==0.62.4 openinference-instrumentation-openai==0.1.66 opentelemetry-sdk==1.45.2 openai==3.54.0
"$dir/venv/bin/python" --version
cat >"$dir/call.py" <<'PY'
import importlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CHOICES = [
    {"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [CALL]}, "finish_reason": "tool_calls"},
    {"index": 1, "message": {"role": "assistant", "content": "It is"}, "finish_reason": "length"},
]


class Server(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        usage = {"prompt_tokens": 1, "completion_tokens": 4, "total_tokens": 5}
        body = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": CHOICES, "usage": usage}).encode()
        self.send_response(200)
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
importlib.import_module(sys.argv[1]).OpenAIInstrumentor().instrument()
client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)
client.chat.completions.create(model="m", n=2, messages=[{"role": "user", "content": "2+3?"}])
(span,) = spans.get_finished_spans()
print({k: v for k, v in span.attributes.items() if "finish_reason" in k})
PY
call() { "$dir/venv/bin/python" "$dir/call.py" "$1" 2>/dev/null; }
openllmetry=$(call opentelemetry.instrumentation.openai)
openinference=$(call openinference.instrumentation.openai)
printf 'OpenLLMetry: %s\nOpenInference: %s\n' "$openllmetry" "$openinference"
[ "$openllmetry" = "{'gen_ai.response.finish_reasons': ('tool_call', 'length')}" ] && [ "$openinference" = "{'llm.finish_reason': 'tool_calls'}" ]
