"""A stand-in for a model, for the tutorial: a script behind the Responses API.

It reads the order in the question, asks the tool `price` for each item, and adds
up; now and then it leaves out an item. It is no model: a verdict on it says
nothing about yours.

    python3 model.py 8000
"""

import http.server
import json
import random
import re
import sys


def reply(request, seed):
    """The next output item: a call of the tool, or the answer."""
    question = [m["content"] for m in request["input"] if m.get("role") == "user"][-1]
    calls = [m for m in request["input"] if m.get("type") == "function_call"]
    outputs = [m for m in request["input"] if m.get("type") == "function_call_output"]
    order = re.findall(r"(\d+) ([a-z]+?)s?\b", question)
    if len(calls) < len(order):
        arguments = json.dumps({"item": order[len(calls)][1]})
        return {"type": "function_call", "id": f"fc_{len(calls)}", "call_id": f"call_{len(calls)}", "name": "price", "arguments": arguments}
    rng = random.Random(seed)
    total = 0
    for (count, _), output in zip(order, outputs):
        if rng.random() > 0.25 and output["output"].isdigit():
            total += int(count) * int(output["output"])
    content = [{"type": "output_text", "text": str(total), "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # GET /v1/models
        self.answer({"object": "list", "data": [{"id": "my-model", "object": "model", "created": 0, "owned_by": "script"}]})

    def do_POST(self):  # POST /v1/responses
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rollout = self.headers.get("X-Client-Request-Id", "").split("/")[0] or None
        usage = {"input_tokens": len(json.dumps(request["input"])) // 4, "output_tokens": 12, "total_tokens": 0}
        self.answer({"id": "resp_1", "object": "response", "created_at": 0, "model": request["model"], "status": "completed",
                     "output": [reply(request, rollout)], "usage": usage})

    def answer(self, body):
        body = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256


Server(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()
