"""A scripted server on this machine, and what an agent asks of it: answers count 5, 6, 7 and begin again, the first turn
of a request with tools is a call of add, and "refused" is refused. A case is an item, and whether it has the tool."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ADD = {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}}
ITEMS = ("with a tool", "plain", "refused", "unjudged")


class Server(BaseHTTPRequestHandler):
    answers = 0

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "refused" in asked["messages"][1]["content"]:
            return self.reply(400, {"error": {"message": "no such model", "code": "bad"}})
        message, finish = {"role": "assistant", "content": None}, "stop"
        if asked.get("tools") and asked["messages"][-1]["role"] != "tool":
            call = {"name": "add", "arguments": json.dumps({"a": 2, "b": 3})}
            message["tool_calls"], finish = [{"id": "call_1", "type": "function", "function": call}], "tool_calls"
        else:
            message["content"] = f"The answer is {5 + Server.answers % 3}."
            Server.answers += 1
        usage = {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        self.reply(200, {"id": "x", "object": "chat.completion", "created": 1, "model": asked["model"], "choices": [choice], "usage": usage})

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def start():
    """Starts the server, and returns its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


def agent(client, add, item, seen):
    """Answers an item, and counts in seen what it took; add is the tool."""
    messages = [{"role": "system", "content": "Add."}, {"role": "user", "content": f"This is {item}: 2+3?"}]
    more = {"tools": [{"type": "function", "function": ADD}]} if item == "with a tool" else {}
    while True:
        reply = client.chat.completions.create(model="scripted", messages=messages, **more)
        message = reply.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        seen["tokens"] += reply.usage.completion_tokens
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": add(**json.loads(call.function.arguments))})
            seen["calls"] += 1
