"""An agent written for SageMaker AI's Agentic RFT, with Python's standard library alone.

It is a server at /invocations, on port 8080 of this machine or the one given. For each prompt, a JSON
text with a question and its answer, it asks the model at the job runtime, completes the rollout and
reports a reward. It knows nothing of gonogo.
"""

import http.server
import json
import os
import sys
import urllib.request


def rollout(payload):
    meta = payload["metadata"]
    endpoint = meta.get("endpoint") or os.environ["RFT_RUNTIME_ENDPOINT"]
    job, trajectory = meta["jobArn"], meta["rolloutId"]
    headers = {"X-Amzn-SageMaker-Job-Arn": job, "X-Amzn-SageMaker-Trajectory-Id": trajectory}
    task = json.loads(payload["prompt"])
    try:
        reply = post(endpoint + "/v1/chat/completions", {
            "model": "default", "messages": [{"role": "user", "content": task["question"]}],
            "max_tokens": payload["inferenceParams"]["maxTokens"],
        }, headers)
        answer = reply["choices"][0]["message"].get("content") or ""
        reward = 1.0 if answer.strip() == task["answer"] else 0.0
    except Exception:
        post(endpoint + "/complete-rollout", {"JobArn": job, "TrajectoryId": trajectory, "Status": "failed"}, headers)
        raise
    post(endpoint + "/complete-rollout", {"JobArn": job, "TrajectoryId": trajectory, "Status": "ready"}, headers)
    post(endpoint + "/update-reward", {"JobArn": job, "TrajectoryId": trajectory, "Rewards": [reward]}, headers)
    return {"reward": reward}


def post(url, body, headers):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            status, result = 200, rollout(payload)
        except Exception as error:
            status, result = 500, {"error": f"{type(error).__name__}: {error}"}
        body = json.dumps(result).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
    server = Server(("127.0.0.1", port), Handler)
    print(f"http://127.0.0.1:{server.server_port}/invocations", flush=True)
    server.serve_forever()
