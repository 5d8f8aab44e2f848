#!/usr/bin/env bash
# sagemaker-train 1.27.0 sends the model turns of concurrent rollouts under each other's trajectory id, if they share a
# model that wrap_model returned. Its docstring shows such a model, made once for all requests.
#
# Pinned: sagemaker-train==1.27.0, strands-agents==1.62.0, openai==3.57.0 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: rollouts A and B run as two tasks of one event loop, each with its own set_rollout_context, and ask the wrapped
# model one thing each. A server on loopback stands for the platform and notes the header X-Amzn-SageMaker-Trajectory-Id:
#   the turn of A came as one of B
#   the turn of B came as one of B
# wrap_model writes the headers of the current rollout into client_args, which all calls share, and the client is made
# from them only when the stream is first read. A trainer counts the turn of A, and its tokens, in B's trajectory.
#
# The script fails if each turn comes under its own trajectory.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet sagemaker-train==1.27.0 strands-agents==1.62.0 openai==3.57.0
"$dir/venv/bin/python" --version
cat >"$dir/rollouts.py" <<'PY'
import asyncio
import http.server
import json
import threading

from sagemaker.train.rft import set_rollout_context
from sagemaker.train.rft.adapters.strands import wrap_model
from strands.models.openai import OpenAIModel

turns = {}


class Platform(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
        turns[asked if isinstance(asked, str) else asked[0]["text"]] = self.headers["X-Amzn-SageMaker-Trajectory-Id"]
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                 "choices": [{"index": 0, "delta": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}]}
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Platform)
threading.Thread(target=server.serve_forever, daemon=True).start()
model = wrap_model(OpenAIModel(model_id="m", client_args={"api_key": "none", "base_url": f"http://127.0.0.1:{server.server_port}/v1"}))


async def rollout(name):
    set_rollout_context({"job_arn": "job", "trajectory_id": name})
    stream = model.stream([{"role": "user", "content": [{"text": name}]}])
    await asyncio.sleep(0)  # the other rollout gets its turn, as at any await
    async for _ in stream:
        pass


async def both():
    await asyncio.gather(rollout("A"), rollout("B"))


asyncio.run(both())
for name, trajectory in sorted(turns.items()):
    print(f"the turn of {name} came as one of {trajectory}")
PY
said=$("$dir/venv/bin/python" "$dir/rollouts.py")
echo "$said"
[ "$said" = "the turn of A came as one of B
the turn of B came as one of B" ]
