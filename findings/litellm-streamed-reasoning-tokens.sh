#!/usr/bin/env bash
# litellm 1.106.2 adds a count of reasoning tokens to the usage of a streamed answer that no server sent, counted with
# another tokenizer; of the same answer unstreamed it has none.
#
# Pinned: litellm==1.106.2 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: a server sends a thought in reasoning_content (12 words), an answer of one word and the usage 10 in, 20 out,
# without details, as servers of open models do. litellm.completion says
#   at once   completion_tokens 20, completion_tokens_details None
#   streamed  completion_tokens 20, reasoning_tokens 14, text_tokens 6
# where the answer is one word long.
# It matters to whoever prices or limits reasoning by these counts: they are no measurement, and come and go with
# stream=True.
#
# The script calls a server of its own on this machine by both ways, and fails if the usage is another.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet litellm==1.106.2
"$dir/venv/bin/python" --version
cat >"$dir/call.py" <<'PY'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import litellm

THOUGHT = "I think that two and three are five, so I say it."
USAGE = {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}


class Server(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        streamed = json.loads(self.rfile.read(int(self.headers["content-length"]))).get("stream")
        about = {"id": "x", "object": "chat.completion.chunk" if streamed else "chat.completion", "created": 1, "model": "m"}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if streamed else "application/json")
        self.end_headers()
        if not streamed:
            message = {"role": "assistant", "content": "five", "reasoning_content": THOUGHT}
            self.wfile.write(json.dumps({**about, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": USAGE}).encode())
            return
        for delta, finish in (({"role": "assistant", "reasoning_content": THOUGHT}, None), ({"content": "five"}, None), ({}, "stop")):
            chunk = {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
            self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.write(b"data: " + json.dumps({**about, "choices": [], "usage": USAGE}).encode() + b"\n\ndata: [DONE]\n\n")


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
asked = {"model": "openai/m", "api_base": f"http://127.0.0.1:{server.server_port}/v1", "api_key": "none", "messages": [{"role": "user", "content": "2+3?"}]}
whole = litellm.completion(**asked).usage
last = list(litellm.completion(**asked, stream=True, stream_options={"include_usage": True}))[-1].usage
for name, usage in (("at once", whole), ("streamed", last)):
    details = usage.completion_tokens_details
    print(f"{name} {usage.completion_tokens}", details and f"reasoning {details.reasoning_tokens} text {details.text_tokens}")
PY
said=$(LITELLM_LOCAL_MODEL_COST_MAP=True "$dir/venv/bin/python" "$dir/call.py" 2>/dev/null)
echo "$said" | grep -E '^(at once|streamed)'
[ "$(echo "$said" | grep -E '^(at once|streamed)')" = $'at once 20 None\nstreamed 20 reasoning 14 text 6' ]
