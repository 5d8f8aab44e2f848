"""The plain loop as a service, on port 7100 of this machine or the one given."""

import http.server
import json
import sys

import gonogo_agent
from plain import rollout


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body = json.dumps(gonogo_agent.play(rollout, request)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024  # a training step starts all its rollouts at once


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 7100
    server = Server(("127.0.0.1", port), Handler)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
