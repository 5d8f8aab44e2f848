"""A stand-in for a model, for the tutorial: a script behind Chat Completions and Responses.

It reads the order in the question, with the prices or by asking the tool `price`
for each item, and adds up; now and then it leaves out an item. It is no model: a
verdict on it says nothing about yours.

    python3 model.py 8000          # leaves out one item in four
    python3 model.py 8001 0.05     # one in twenty
"""

import http.server
import json
import random
import re
import sys

LEFT_OUT = float(sys.argv[2]) if len(sys.argv) > 2 else 0.25


def add(order, prices, rng):
    """The total, without the items that are left out."""
    return str(sum(int(count) * int(price) for (count, _), price in zip(order, prices)
                   if rng.random() > LEFT_OUT and price.isdigit()))


def reply(question, outputs, rng):
    """The next item to ask the tool for, or None, and the answer."""
    priced = re.findall(r"(\d+) [a-z]+ at (\d+) euros", question)
    if priced:
        return None, add(priced, [price for _, price in priced], rng)
    order = re.findall(r"(\d+) ([a-z]+?)s?\b", question)
    if len(outputs) < len(order):
        return order[len(outputs)][1], None
    return None, add(order, outputs, rng)


def responses(request, rng):
    question = [m["content"] for m in request["input"] if m.get("role") == "user"][-1]
    outputs = [m["output"] for m in request["input"] if m.get("type") == "function_call_output"]
    item, answer = reply(question, outputs, rng)
    if item:
        out = {"type": "function_call", "id": f"fc_{len(outputs)}", "call_id": f"call_{len(outputs)}",
               "name": "price", "arguments": json.dumps({"item": item})}
    else:
        out = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
               "content": [{"type": "output_text", "text": answer, "annotations": []}]}
    usage = {"input_tokens": len(json.dumps(request["input"])) // 4, "output_tokens": 12, "total_tokens": 0}
    return {"id": "resp_1", "object": "response", "created_at": 0, "model": request["model"], "status": "completed",
            "output": [out], "usage": usage}


def chat(request, rng):
    question = [m["content"] for m in request["messages"] if m["role"] == "user"][-1]
    outputs = [m["content"] for m in request["messages"] if m["role"] == "tool"]
    item, answer = reply(question, outputs, rng)
    message = {"role": "assistant", "content": answer}
    if item:
        function = {"name": "price", "arguments": json.dumps({"item": item})}
        message["tool_calls"] = [{"id": f"call_{len(outputs)}", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if item else "stop"}
    usage = {"prompt_tokens": len(json.dumps(request["messages"])) // 4, "completion_tokens": 12, "total_tokens": 0}
    return {"id": "chat_1", "object": "chat.completion", "created": 0, "model": request["model"],
            "choices": [choice], "usage": usage}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # GET /v1/models
        model = {"id": "my-model", "object": "model", "created": 0, "owned_by": "script"}
        self.answer({"object": "list", "data": [model]})

    def do_POST(self):  # POST /v1/responses or /v1/chat/completions
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rollout = self.headers.get("X-Client-Request-Id", "").split("/")[0] or None
        self.answer((responses if "input" in request else chat)(request, random.Random(rollout)))

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
