#!/usr/bin/env bash
# eval-protocol 0.3.33 states an interval of no width for any evaluation with one run per row and rewards of 0 and 1,
# and one that does not hold the mean if two rows are equal.
#
# Pinned: eval-protocol==0.3.33 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: four rows with the scores 1, 1, 0, 0, one run each (the default). The summary says
#   agg_score=0.500 se=0.000 ci95=[0.500,0.500]   if the four rows differ
#   agg_score=0.500 se=0.000 ci95=[0.333,0.333]   if the two right ones are equal
# and a passed_threshold that asks for a standard_error of at most 0.001 holds.
# Why: the variance is that between runs of a row, p(1-p)/1 for one run, which is 0 for p of 0 or 1. Equal rows get the
# same id and count as runs of one row there, but not in agg_score.
#
# The script runs both under pytest and fails if the summary is another or the threshold does not hold.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet eval-protocol==0.3.33
"$dir/venv/bin/python" --version
cat >"$dir/test_half.py" <<'PY'
import os

from eval_protocol.models import EvaluateResult, EvaluationRow, Message
from eval_protocol.pytest import NoOpRolloutProcessor, evaluation_test

# Each row is an answer to 2+2; the right ones differ in their words or do not.
ROWS = [
    EvaluationRow(messages=[Message(role="user", content="2+2?"), Message(role="assistant", content=said)])
    for said in ("4", os.environ["SECOND"], "5", "6")
]


@evaluation_test(
    input_rows=[ROWS],
    rollout_processor=NoOpRolloutProcessor(),
    mode="pointwise",
    completion_params=[{"model": "none"}],
    passed_threshold={"success": 0.5, "standard_error": 0.001},
)
def test_half(row: EvaluationRow) -> EvaluationRow:
    row.evaluation_result = EvaluateResult(score=float("4" in row.messages[-1].content))
    return row
PY
evaluate() { # SECOND
  cd "$dir" && HOME="$dir" SECOND="$1" LITELLM_LOCAL_MODEL_COST_MAP=True EP_NO_UPLOAD=1 EP_PRINT_SUMMARY=1 \
    timeout 120 venv/bin/python -m pytest -q -s test_half.py 2>&1 | grep -oE 'agg_score=[0-9.]+|se=.*|[0-9]+ (passed|failed)' | tr '\n' ' '
}
differ=$(evaluate "It is 4")
equal=$(evaluate "4")
printf 'rows differ: %s\ntwo are equal: %s\n' "$differ" "$equal"
[ "$differ" = "agg_score=0.500 se=0.000 ci95=[0.500,0.500] 1 passed " ] && [ "$equal" = "agg_score=0.500 se=0.000 ci95=[0.333,0.333] 1 passed " ]
