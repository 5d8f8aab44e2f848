#!/usr/bin/env bash
# eval-protocol 0.3.33 states a standard error of 0 and an interval of no width for any evaluation with one run per row,
# and a threshold on the standard error then always holds.
#
# Pinned: eval-protocol==0.3.33 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: four rows with the scores 1, 1, 0, 0, one run each (the default). The summary says
#   agg_score=0.500   se=0.000 ci95=[0.500,0.500]
# and the test passes with EvaluationThreshold(success=0.5, standard_error=0.001).
# Why: the interval is that of the mean over these very rows, with the variance between runs of a row, and of one run
# that is taken for 0, where it is unknown.
#
# The script runs that test under pytest and fails if the summary is another or the threshold does not hold.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet eval-protocol==0.3.33
"$dir/venv/bin/python" --version
cat >"$dir/test_half.py" <<'PY'
from eval_protocol.models import EvaluateResult, EvaluationRow, Message
from eval_protocol.pytest import NoOpRolloutProcessor, evaluation_test

ROWS = [EvaluationRow(messages=[Message(role="user", content="2+2?"), Message(role="assistant", content=said)]) for said in "4456"]


@evaluation_test(
    input_rows=[ROWS],
    rollout_processor=NoOpRolloutProcessor(),
    mode="pointwise",
    completion_params=[{"model": "none"}],
    passed_threshold={"success": 0.5, "standard_error": 0.001},
)
def test_half(row: EvaluationRow) -> EvaluationRow:
    row.evaluation_result = EvaluateResult(score=float(row.messages[-1].content == "4"))
    return row
PY
said=$(cd "$dir" && HOME="$dir" LITELLM_LOCAL_MODEL_COST_MAP=True EP_NO_UPLOAD=1 EP_PRINT_SUMMARY=1 \
  timeout 120 venv/bin/python -m pytest -q -s test_half.py 2>&1 | grep -oE 'agg_score=[0-9.]+|se=.*|[0-9]+ (passed|failed)')
echo "$said"
[ "$said" = $'agg_score=0.500\nse=0.000 ci95=[0.500,0.500]\n1 passed' ]
