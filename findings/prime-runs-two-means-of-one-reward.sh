#!/usr/bin/env bash
# prime-runs 0.1.4 reports two means of the same reward side by side: in avg_reward a rollout that failed is a 0, in
# avg_metrics it is left out; in the table of a training it is a 0 that no column tells from a wrong answer.
#
# Pinned: prime-runs==0.1.4, verifiers==0.4.0, pyarrow==26.0.1 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: four rollouts of verifiers with one reward, `right`: three earn 1, the model's server fails in the fourth, so
# its reward is None. from_episodes, the summary of a run, gives
#   avg_reward 0.75, avg_metrics {'right': 1.0}, avg_error 0.25
# and episodes_to_parquet_bytes, the table of rollouts of a training, the rewards 1, 1, 1, 0 without a column of errors.
# Why: the reward of a trace is a sum over what was recorded, so 0 where nothing was; each named reward is averaged over
# the traces that have it.
#
# The script makes both and fails if the numbers are others.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet prime-runs==0.1.4 verifiers==0.4.0 pyarrow==26.0.1
"$dir/venv/bin/python" --version
cat >"$dir/report.py" <<'PY'
import io

import pyarrow.parquet as pq
import verifiers.v1 as vf
from prime_runs.metrics import from_episodes
from prime_runs.projection import episodes_to_parquet_bytes


def rollout(idx, reward):
    task = vf.TraceTask(type="Sum", data=vf.TaskData(idx=idx, prompt="2+3?"))
    trace = vf.Trace(task=task, agent=vf.AgentInfo(config=vf.AgentConfig()), ok=reward is not None)
    trace.nodes.append(vf.MessageNode(parent=None, message=vf.UserMessage(content="2+3?"), sampled=False))
    if reward is None:
        trace.errors.append(vf.Error(type="ProviderError", message="503", traceback=""))
        trace.rewards["right"] = None
    else:
        trace.nodes.append(vf.MessageNode(parent=0, message=vf.AssistantMessage(content="5"), sampled=True))
        trace.record_reward("right", reward)
    return vf.Episode(task=task, traces=[trace], ok=trace.ok)


rollouts = [rollout(idx, reward) for idx, reward in enumerate((1.0, 1.0, 1.0, None))]
print(*from_episodes(rollouts).items())
table = pq.read_table(io.BytesIO(episodes_to_parquet_bytes(rollouts, "run", 1)))
print(table["reward"].to_pylist(), [c for c in table.column_names if c == "ok" or "err" in c])
PY
said=$("$dir/venv/bin/python" "$dir/report.py" 2>/dev/null)
echo "$said"
[ "$said" = "('avg_reward', 0.75) ('avg_metrics', {'right': 1.0}) ('avg_error', 0.25)"$'\n[1.0, 1.0, 1.0, 0.0] []' ]
