"""Writes trajectories as Harbor's agents do and converts them with harbor-atif2otel: trials.py FOLDER

FOLDER/jobs gets a folder for each trial, without result.json, and FOLDER/traces.jsonl the traces. Prints what the package atif reads.
"""

import json
import sys
from pathlib import Path

from atif import Trajectory
from harbor_atif2otel.export import export_trials

folder = Path(sys.argv[1])
tools = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]


def trial(name, answer, looks):
    steps = [{"source": "system", "message": "Be brief."}, {"source": "user", "message": "How many files?"}]
    for n in range(looks):
        call = {"tool_call_id": f"c{n}", "function_name": "bash", "arguments": {"cmd": f"ls {n}"}}
        seen = {"results": [{"source_call_id": f"c{n}", "content": "a b"}]}
        metrics = {"prompt_tokens": 20 + n, "completion_tokens": 7, "cached_tokens": 4}
        steps.append({"source": "agent", "message": "I look.", "tool_calls": [call], "observation": seen, "metrics": metrics})
    steps.append({"source": "agent", "message": answer, "metrics": {"prompt_tokens": 33, "completion_tokens": 2, "cached_tokens": 0}})
    for n, step in enumerate(steps):
        step |= {"step_id": n + 1, "timestamp": f"2026-11-20T09:00:0{n}Z"}
    total = {f"total_{k}": sum(s.get("metrics", {}).get(k, 0) for s in steps) for k in ("prompt_tokens", "completion_tokens", "cached_tokens")}
    raw = {
        "schema_version": "ATIF-v1.7", "session_id": name, "agent": {"name": "terminus-2", "version": "2.0", "model_name": "m", "tool_definitions": tools},
        "steps": steps, "final_metrics": total | {"total_steps": len(steps)},
    }  # fmt: skip
    path = folder / "jobs" / name / "agent"
    path.mkdir(parents=True)
    (path / "trajectory.json").write_text(json.dumps(raw))
    read = Trajectory.model_validate(raw)
    return {
        "answer": read.steps[-1].message, "turns": sum(s.source == "agent" for s in read.steps), "calls": sum(len(s.tool_calls or []) for s in read.steps),
        "input": read.final_metrics.total_prompt_tokens, "output": read.final_metrics.total_completion_tokens,
    }  # fmt: skip


said = [trial("hello__a", "2", 1), trial("hello__b", "3", 2), trial("hello__c", "2", 0)]
result = export_trials(sorted((folder / "jobs").iterdir()), output=folder / "traces.jsonl")
assert (result.converted, result.errors, result.skipped) == (3, 0, 0), result
json.dump(said, sys.stdout)
