#!/usr/bin/env bash
# Inspect AI 0.3.285 has an item that failed in each epoch neither among the scored nor among the unscored ones: the
# counts beside a score do not add up to the items, and the score is that of the others.
#
# Pinned: inspect-ai==0.3.285 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: four items, two epochs, errors tolerated (fail_on_error=False): one right, one wrong, one whose scorer gives
# NaN (its word for unscored), one that fails. The log's results say
#   success: mean 0.5, 2 scored + 1 unscored of 4 items
# It matters to whoever takes 1 unscored of 3 for the share that is missing: it is 2 of 4.
#
# The script runs that task with Inspect's mock model and fails if its log has other results.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet inspect-ai==0.3.285
"$dir/venv/bin/python" --version
cat >"$dir/task.py" <<'PY'
import math
import sys

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import solver

SCORES = {"right": 1, "wrong": 0, "unscored": math.nan}


@solver
def attempt():
    async def solve(state, generate):
        if state.sample_id == "fails":
            raise RuntimeError("the tool is broken")
        return state

    return solve


@scorer(metrics=[mean()])
def right():
    async def score(state, target):
        return Score(value=SCORES[state.sample_id])

    return score


task = Task(dataset=[Sample(id=i, input=i) for i in (*SCORES, "fails")], solver=attempt(), scorer=right(), epochs=Epochs(2, "mean"))
log = eval(task, model="mockllm/model", log_dir=sys.argv[1], display="none", fail_on_error=False)[0]
log = read_eval_log(log.location)
(s,) = log.results.scores
items = len({sample.id for sample in log.samples})
print(f"{log.status}: mean {s.metrics['mean'].value}, {s.scored_samples} scored + {s.unscored_samples} unscored of {items} items")
PY
said=$(cd "$dir" && HOME="$dir" venv/bin/python task.py "$dir/logs" 2>/dev/null)
echo "$said"
[ "$said" = "success: mean 0.5, 2 scored + 1 unscored of 4 items" ]
