"""Prints what verifiers itself reads in the traces of a run, as JSON: read.py TRACES"""

import json
import sys

import verifiers.v1 as vf

out = []
for line in open(sys.argv[1]):
    episode = vf.WireEpisode.model_validate_json(line)
    for trace in episode.traces:
        out.append(
            {
                "task": trace.task.key,
                "prompt": trace.task.data.prompt_text,
                "reward": trace.reward,
                "rewards": {k: r and r.score for k, r in trace.rewards.items()},
                "metrics": dict(trace.metrics),
                "ok": bool(episode.ok and trace.ok),
                "unscored": any(r is None for r in trace.rewards.values()),
                "errors": [e.type for e in trace.errors] + [e.type for e in episode.errors],
                "last_reply": trace.last_reply,
                "tools": [c.name for n in trace.nodes if n.sampled for c in (getattr(n.message, "tool_calls", None) or [])],
                "output_tokens": sum((c.usage.completion_tokens if c.usage else 0) for c in trace.calls),
                "stop": trace.stop_condition,
            }
        )
json.dump(out, sys.stdout)
