#!/usr/bin/env bash
# Inspect AI 0.3.285 takes a score of "yes" for 1, and of "pass", "correct" or a small "c" for 0; a score of "5" is an
# accuracy of 5.
#
# Pinned: inspect-ai==0.3.285 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: a scorer gives one word for both of two samples. The accuracy is 1.0 for "C", "yes" and "True", 0.0 for
# "pass", "correct" and "c", and 5.0 for "5". Each sample counts as scored, and the status is "success"; the only
# sign is a warning per word in the terminal's log.
# It matters to scorers that pass on the words of a judge.
#
# The script runs a task for each word with Inspect's mock model and fails if the results are others.
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
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver


@solver
def nothing():
    async def solve(state, generate):
        return state

    return solve


@scorer(metrics=[accuracy()])
def judge(word):
    async def score(state, target):
        return Score(value=word)

    return score


for word in ("C", "yes", "True", "pass", "correct", "c", "5"):
    task = Task(dataset=[Sample(id=1, input="a"), Sample(id=2, input="b")], solver=nothing(), scorer=judge(word))
    log = eval(task, model="mockllm/model", log_dir=sys.argv[1], display="none")[0]
    log = read_eval_log(log.location)
    (s,) = log.results.scores
    print(f"{word}: {s.metrics['accuracy'].value} of {s.scored_samples} scored, {log.status}")
PY
said=$(cd "$dir" && HOME="$dir" venv/bin/python task.py "$dir/logs" 2>/dev/null)
echo "$said"
want=
for pair in C=1.0 yes=1.0 True=1.0 pass=0.0 correct=0.0 c=0.0 5=5.0; do
  want+="${pair%=*}: ${pair#*=} of 2 scored, success"$'\n'
done
[ "$said" = "${want%$'\n'}" ]
