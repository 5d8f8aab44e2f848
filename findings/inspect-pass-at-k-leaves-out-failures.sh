#!/usr/bin/env bash
# Inspect AI 0.3.285 leaves an item that failed too often out of pass_at_k: the fewer attempts survive, the better
# the score. Another reducer of the same log counts the same item as a 0.
#
# Pinned: inspect-ai==0.3.285 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: two items, four epochs, errors tolerated (fail_on_error=False). One item is right four times; the other
# fails three times and is wrong once. The log's results say
#   mean 0.5 of 2 items, pass_at_2 1.0 of 1 item (1 unscored)
# Why: pass_at_k of fewer than k scored epochs is NaN, and NaN is left out of the metric.
# It matters where the model's server is overloaded: pass_at_k of two nights is over different items, and those that
# fail most are the first to go.
#
# The script runs that task with Inspect's mock model and fails if its log has other results.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet inspect-ai==0.3.285
"$dir/venv/bin/python" --version
cat >"$dir/task.py" <<'PY'
import sys

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import solver


@solver
def attempt():
    async def solve(state, generate):
        if state.sample_id == "hard" and state.epoch > 1:
            raise RuntimeError("the server is overloaded")
        return state

    return solve


@scorer(metrics=[mean()])
def right():
    async def score(state, target):
        return Score(value=1 if state.sample_id == "easy" else 0)

    return score


task = Task(
    dataset=[Sample(id="easy", input="2+2"), Sample(id="hard", input="2^99")],
    solver=attempt(),
    scorer=right(),
    epochs=Epochs(4, ["mean", "pass_at_2"]),
)
log = eval(task, model="mockllm/model", log_dir=sys.argv[1], display="none", fail_on_error=False)[0]
for s in read_eval_log(log.location).results.scores:
    print(f"{s.reducer} {s.metrics['mean'].value} scored {s.scored_samples} unscored {s.unscored_samples}")
PY
said=$(cd "$dir" && HOME="$dir" venv/bin/python task.py "$dir/logs" 2>/dev/null)
echo "$said"
[ "$said" = $'mean 0.5 scored 2 unscored 0\npass_at_2 1.0 scored 1 unscored 1' ]
