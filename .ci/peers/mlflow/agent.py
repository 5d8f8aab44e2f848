"""agent.py FOLDER: an agent with a tool talks to a scripted server below mlflow.openai.autolog, with feedback on its
traces, once into the file store FOLDER/mlruns and once into a database, from which "mlflow traces search" writes
FOLDER/traces.json and search_traces() writes FOLDER/traces.csv; mlflow.genai.evaluate writes FOLDER/evaluated.json.
FOLDER/saw.json has what the agent saw, and the means of the evaluation."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "opentelemetry"))
os.environ |= {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}
os.environ |= {"MLFLOW_GENAI_EVAL_SKIP_TRACE_VALIDATION": "true", "GIT_PYTHON_REFRESH": "quiet"}
import mlflow
import openai
import scripted
from mlflow.entities import AssessmentSource, AssessmentSourceType

folder = os.path.abspath(sys.argv[1])
client = openai.OpenAI(base_url=scripted.start(), api_key="none", max_retries=0)
os.makedirs(os.path.join(folder, "database"))
os.chdir(os.path.join(folder, "database"))
code = AssessmentSource(AssessmentSourceType.CODE, "grader")


@mlflow.trace(span_type="TOOL")
def add(a, b):
    return str(a + b)


@mlflow.trace(span_type="AGENT")
def agent(item, seen):
    mlflow.update_current_trace(metadata={"item_id": item})
    return scripted.agent(client, add, item, seen)


def rollout(item):
    seen = {"score": None, "failed": False, "calls": 0, "tokens": 0}
    try:
        answer = agent(item, seen)
    except openai.APIError:
        return seen | {"failed": True}
    mlflow.flush_trace_async_logging()
    trace = mlflow.get_last_active_trace_id()
    if item != "unjudged":
        seen["score"] = float("5" in answer)
        mlflow.log_feedback(trace_id=trace, name="right", value="yes" if seen["score"] else "no", source=code)
        mlflow.log_feedback(trace_id=trace, name="words", value=len(answer.split()), source=code)
        mlflow.log_expectation(trace_id=trace, name="right", value="yes")
    return seen


def export(experiment, name):
    """What "mlflow traces search" prints of an experiment."""
    command = ["traces", "search", "--experiment-id", experiment, "--max-results", "1000", "--output", "json"]
    with open(os.path.join(folder, name), "w") as file:
        subprocess.run([os.path.join(os.path.dirname(sys.executable), "mlflow"), *command], stdout=file, check=True)


mlflow.openai.autolog()
saw = {}
for store in ("file", "database"):
    address = f"file://{folder}/mlruns" if store == "file" else f"sqlite:///{folder}/database/mlflow.db"
    os.environ["MLFLOW_TRACKING_URI"] = address
    mlflow.set_tracking_uri(address)
    experiment = mlflow.set_experiment("agents").experiment_id
    saw[store] = {item: [rollout(item) for _ in range(3)] for item in scripted.ITEMS}
    mlflow.flush_trace_async_logging()
export(experiment, "traces.json")
mlflow.search_traces().to_csv(os.path.join(folder, "traces.csv"), index=False)

from mlflow.genai.scorers import scorer


@scorer
def right(outputs, expectations):
    return expectations["expected_response"] in outputs


@scorer
def words(outputs):
    return len(outputs.split())


experiment = mlflow.set_experiment("evaluated").experiment_id
rows = [{"inputs": {"item": item, "seen": {"tokens": 0, "calls": 0}}, "expectations": {"expected_response": "5"}} for item in scripted.ITEMS for _ in range(3)]
means = mlflow.genai.evaluate(data=rows, predict_fn=agent, scorers=[right, words]).metrics
export(experiment, "evaluated.json")
report = {"saw": saw, "means": {name: float(mean) for name, mean in means.items()}, "rows": len(rows)}
with open(os.path.join(folder, "saw.json"), "w") as file:
    json.dump(report, file)
