#!/usr/bin/env bash
# tinker-cookbook 0.6.1 logs a rate of 1.0 for any way in which at least one rollout ended: one answer of six that was
# cut off is stop/max_tokens 1.0, next to stop/completed 1.0.
#
# Pinned: tinker-cookbook==0.6.1, tinker==0.38.0, chz==0.4.0, pillow==13.0.0 (PyPI). Seen on 2026-11-30 with Python
# 3.11.7 on Linux.
# Happens: six rollouts, each with the metric that marks its end (stop/completed or stop/max_tokens is 1.0 on the last
# turn, as its rollout runner sets it), five of them complete. compute_trajectory_metrics, whose numbers go to
# metrics.jsonl and to the charts, gives
#   env/all/stop/completed 1.0, env/all/stop/max_tokens 1.0
# Why: a metric is averaged over the turns that have it, and only the turns that ended that way have this one.
#
# The script installs tinker-cookbook without its dependencies but those that it names; PyTorch, which its renderers
# import, is made up. It fails if the function gives other numbers.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet tinker==0.38.0 chz==0.4.0 pillow==13.0.0
"$dir/venv/bin/pip" install --quiet --no-deps tinker-cookbook==0.6.1
"$dir/venv/bin/python" --version
cat >"$dir/rates.py" <<'PY'
import sys
from unittest.mock import MagicMock

sys.modules["torch"] = MagicMock(__spec__=None)

import tinker
from tinker_cookbook.completers import TokensWithLogprobs
from tinker_cookbook.rl.metric_util import compute_trajectory_metrics
from tinker_cookbook.rl.types import Trajectory, TrajectoryGroup, Transition


def rollout(end, reward):
    turn = Transition(
        ob=tinker.ModelInput.from_ints([1, 2]),
        ac=TokensWithLogprobs(tokens=[3], maybe_logprobs=[-0.5]),
        reward=reward,
        episode_done=True,
        metrics={f"stop/{end}": 1.0},
    )
    return Trajectory(transitions=[turn], final_ob=tinker.ModelInput.empty(), stop_reason=end)


rollouts = [rollout("completed", 1.0) for _ in range(5)] + [rollout("max_tokens", 0.0)]
metrics = compute_trajectory_metrics([TrajectoryGroup(rollouts, [0.0] * 6, [{}] * 6)], [["sums"]])
print(*(f"{k} {metrics[k]}" for k in ("env/all/total_episodes", "env/all/stop/completed", "env/all/stop/max_tokens")))
PY
said=$("$dir/venv/bin/python" "$dir/rates.py")
echo "$said"
[ "$said" = "env/all/total_episodes 6 env/all/stop/completed 1.0 env/all/stop/max_tokens 1.0" ]
