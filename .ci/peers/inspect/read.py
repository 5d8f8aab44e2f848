"""Prints what Inspect AI itself reads in logs, as a JSON object by file: read.py FILE..."""

import json
import math
import sys

from inspect_ai.log import read_eval_log
from inspect_ai.scorer import value_to_float

number = value_to_float()


def values(sample):
    """The scores of a sample as numbers; None where Inspect takes a score for none."""
    out = {}
    for name, score in (sample.scores or {}).items():
        parts = {f"{name}.{key}": v for key, v in score.value.items()} if isinstance(score.value, dict) else {name: score.value}
        for part, v in parts.items():
            f = number(v) if not isinstance(v, str) or v in ("C", "I", "P", "N") else math.nan
            out[part] = None if math.isnan(f) else f
    return out


def read(log):
    return {
        "status": log.status,
        "task": log.eval.task,
        "means": {
            s.name: m.value
            for s in (log.results.scores if log.results else [])
            for m in s.metrics.values()
            if m.name in ("mean", "accuracy") and not math.isnan(m.value)
        },
        "samples": [
            {
                "id": str(s.id),
                "epoch": s.epoch,
                "scores": values(s),
                "error": s.error.message if s.error else None,
                "retries": len(s.error_retries or []),
                "limit": s.limit.type if s.limit else None,
                "tools": [c.function for m in s.messages if m.role == "assistant" for c in m.tool_calls or []],
                "input_tokens": sum(u.input_tokens + (u.input_tokens_cache_read or 0) for u in s.model_usage.values()),
                "output_tokens": sum(u.output_tokens for u in s.model_usage.values()),
                "answer": s.output.completion,
                "stop": s.output.stop_reason if s.output.choices else None,
                "messages": len(s.messages),
            }
            for s in log.samples or []
        ],
    }


json.dump({file: read(read_eval_log(file)) for file in sys.argv[1:]}, sys.stdout)
