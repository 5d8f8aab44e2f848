"""A collector on this machine: takes OTLP over HTTP, and writes a request a line in the JSON of the OpenTelemetry
Collector's file exporter, in which ids are hexadecimal and enumerations numbers."""

import base64
import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse


def hexadecimal(value):
    if isinstance(value, dict):
        ids = ("traceId", "spanId", "parentSpanId")
        return {k: base64.b64decode(v).hex() if k in ids else hexadecimal(v) for k, v in value.items()}
    return [hexadecimal(v) for v in value] if isinstance(value, list) else value


def start(path):
    """Starts the collector, and returns its address."""
    file, lock = open(path, "w"), threading.Lock()

    class Collector(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            request = ExportTraceServiceRequest.FromString(body)
            with lock:
                file.write(json.dumps(hexadecimal(MessageToDict(request, use_integers_for_enums=True))) + "\n")
                file.flush()
            reply = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1/traces"
