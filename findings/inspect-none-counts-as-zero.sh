#!/usr/bin/env bash
# Inspect AI 0.3.285 counts None in a dict of scores as a 0; NaN in the same place is left out of the mean.
#
# Pinned: inspect-ai==0.3.285 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: a scorer gives Score(value={"style": ...}) for two samples, 1.0 for the first. For the second it gives, on
# one run, None and, on another, NaN. The results say
#   None: mean 0.5, 2 scored, 0 unscored      NaN: mean 1.0, 1 scored, 1 unscored
# and the log's reductions hold 0.0 where the scorer said None; the sample itself keeps None.
# It matters to a rubric with parts that do not apply to each answer: None is the natural word for that.
#
# The script runs both with Inspect's mock model and fails if the results are others.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet inspect-ai==0.3.285
"$dir/venv/bin/python" --version
cat >"$dir/task.py" <<'PY'
import math
import sys

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import solver


@solver
def nothing():
    async def solve(state, generate):
        return state

    return solve


@scorer(metrics={"style": [mean()]})
def rubric(missing):
    async def score(state, target):
        return Score(value={"style": 1.0 if state.sample_id == 1 else missing})

    return score


for missing in (None, math.nan):
    task = Task(dataset=[Sample(id=1, input="a"), Sample(id=2, input="b")], solver=nothing(), scorer=rubric(missing))
    log = eval(task, model="mockllm/model", log_dir=sys.argv[1], display="none")[0]
    (s,) = read_eval_log(log.location).results.scores
    print(f"{missing}: mean {s.metrics['mean'].value}, {s.scored_samples} scored, {s.unscored_samples} unscored")
PY
said=$(cd "$dir" && HOME="$dir" venv/bin/python task.py "$dir/logs" 2>/dev/null)
echo "$said"
[ "$said" = $'None: mean 0.5, 2 scored, 0 unscored\nnan: mean 1.0, 1 scored, 1 unscored' ]
