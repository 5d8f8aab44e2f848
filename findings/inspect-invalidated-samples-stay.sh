#!/usr/bin/env bash
# Inspect AI 0.3.285 keeps a sample that was invalidated in the accuracy, also after recompute_metrics.
#
# Pinned: inspect-ai==0.3.285 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: of two samples, one is right. The right one is invalidated with invalidate_samples, as one does with a sample
# in which the model cheated or a tool was broken. The log says invalidated=True, the sample carries the reason, and
# recompute_metrics still gives
#   accuracy 0.5 of 2 scored samples, 0 unscored
#
# The script does that with Inspect's mock model and fails if the results are others.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet inspect-ai==0.3.285
"$dir/venv/bin/python" --version
cat >"$dir/task.py" <<'PY'
import sys

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import ProvenanceData, invalidate_samples, read_eval_log, recompute_metrics, write_eval_log
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver


@solver
def nothing():
    async def solve(state, generate):
        return state

    return solve


@scorer(metrics=[accuracy()])
def right():
    async def score(state, target):
        return Score(value="C" if state.sample_id == "cheated" else "I")

    return score


task = Task(dataset=[Sample(id="cheated", input="a"), Sample(id="honest", input="b")], solver=nothing(), scorer=right())
log = read_eval_log(eval(task, model="mockllm/model", log_dir=sys.argv[1], display="none")[0].location)
cheated = next(s.uuid for s in log.samples if s.id == "cheated")
log = invalidate_samples(log, [cheated], provenance=ProvenanceData(author="reviewer", reason="read the answer key"))
recompute_metrics(log)
write_eval_log(log)
log = read_eval_log(log.location)
(s,) = log.results.scores
marked = [s.id for s in log.samples if s.invalidation]
print(f"invalidated {log.invalidated} {marked}: accuracy {s.metrics['accuracy'].value}, {s.scored_samples} scored, {s.unscored_samples} unscored")
PY
said=$(cd "$dir" && HOME="$dir" venv/bin/python task.py "$dir/logs" 2>/dev/null)
echo "$said"
[ "$said" = "invalidated True ['cheated']: accuracy 0.5, 2 scored, 0 unscored" ]
