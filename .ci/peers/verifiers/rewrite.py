"""Reads traces with verifiers' own record loader and writes them again as it does: rewrite.py TRACES NEW

Prints as JSON what it reads of each, in order, and the mean reward of the episodes that are ok, as its evaluations report it.
"""

import json
import sys

import verifiers.v1 as vf

out, rewards = [], []
with open(sys.argv[2], "w") as new:
    for line in open(sys.argv[1]):
        episode = vf.WireEpisode.model_validate_json(line)
        new.write(json.dumps(episode.to_record()) + "\n")
        (trace,) = episode.traces
        if episode.ok:
            rewards.append(trace.reward)
        out.append(
            {
                "task": trace.task.key,
                "reward": trace.reward if trace.rewards else None,
                "metrics": dict(trace.metrics),
                "ok": bool(episode.ok and trace.ok),
                "errors": [e.type for e in trace.errors],
                "last_reply": trace.last_reply,
                "turns": trace.num_turns,
                "truncated": trace.is_truncated,
                "tools": [c.name for m in trace.assistant_messages for c in m.tool_calls or []],
                "output_tokens": trace.num_output_tokens,
                "stop": trace.stop_condition,
            }
        )
json.dump({"traces": out, "mean": sum(rewards) / len(rewards)}, sys.stdout)
