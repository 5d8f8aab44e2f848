#!/usr/bin/env bash
# OpenLLMetry (opentelemetry-instrumentation-openai 0.62.4) records the reasoning tokens of an answer that comes at
# once, and not those of the same answer when it is streamed.
#
# Pinned: opentelemetry-instrumentation-openai==0.62.4, opentelemetry-sdk==1.45.2, openai==3.54.0 (PyPI). Seen on
# 2026-11-30 with Python 3.11.7 on Linux.
# Happens: a server sends 10 tokens in, 5 out, of which 3 are reasoning and 8 of the input cached, by both ways
# (streamed with include_usage). The span of the first has gen_ai.usage.reasoning_tokens 3; that of the second has the
# input, output and cached tokens alone.
# It matters to whoever subtracts reasoning from output to get the length of answers: it changes with stream=True.
#
# The script calls a server of its own on this machine by both ways, and fails if the spans have other numbers.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet opentelemetry-instrumentation-openai==0.62.4 opentelemetry-sdk==1.45.2 openai==3.54.0
"$dir/venv/bin/python" --version
cat >"$dir/call.py" <<'PY'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
from opentelemetry import trace
from opentelemetry.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

USAGE = {
    "prompt_tokens": 10,
    "completion_tokens": 5,
    "total_tokens": 15,
    "prompt_tokens_details": {"cached_tokens": 8},
    "completion_tokens_details": {"reasoning_tokens": 3},
}


class Server(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        streamed = json.loads(self.rfile.read(int(self.headers["content-length"]))).get("stream")
        about = {"id": "x", "object": "chat.completion.chunk" if streamed else "chat.completion", "created": 1, "model": "m"}
        said = {"index": 0, ("delta" if streamed else "message"): {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if streamed else "application/json")
        self.end_headers()
        if not streamed:
            self.wfile.write(json.dumps({**about, "choices": [said], "usage": USAGE}).encode())
            return
        for chunk in ({"choices": [said]}, {"choices": [], "usage": USAGE}):
            self.wfile.write(b"data: " + json.dumps({**about, **chunk}).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
spans = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)
OpenAIInstrumentor().instrument()
client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)
asked = {"model": "m", "messages": [{"role": "user", "content": "2+3=5?"}]}
client.chat.completions.create(**asked)
list(client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
for span in spans.get_finished_spans():
    tokens = {k.removeprefix("gen_ai.usage."): v for k, v in span.attributes.items() if k.startswith("gen_ai.usage.")}
    print(*(tokens.get(k) for k in ("input_tokens", "output_tokens", "cache_read.input_tokens", "reasoning_tokens")))
PY
said=$("$dir/venv/bin/python" "$dir/call.py" 2>/dev/null)
echo "$said"
[ "$said" = $'10 5 8 3\n10 5 8 None' ]
