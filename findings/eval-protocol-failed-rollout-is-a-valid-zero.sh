#!/usr/bin/env bash
# eval-protocol 0.3.33 evaluates a rollout that failed, and counts it as a valid 0: its score "of valid scores only" is
# halved if the model's server is down for half of the rollouts.
#
# Pinned: eval-protocol==0.3.33 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: four rows; the model answers two of them, rightly, and is down for the other two. With
# EP_FAIL_ON_MAX_RETRY=false, which its documentation names for a run that shall go on, the test is handed the rows
# without an answer as well, and the summary says
#   agg_score=0.500 (valid scores only)   raw_score=0.500 (invalid scores as 0)
# Rows know that they failed (rollout_status.code 13); neither score asks for it.
#
# The script runs that test under pytest and fails if the summary or the codes are others.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet eval-protocol==0.3.33
"$dir/venv/bin/python" --version
cat >"$dir/test_capital.py" <<'PY'
import asyncio

from eval_protocol.models import EvaluateResult, EvaluationRow, Message
from eval_protocol.pytest import evaluation_test
from eval_protocol.pytest.rollout_processor import RolloutProcessor


class Model(RolloutProcessor):
    def __call__(self, rows, config):
        async def answer(row):
            if row.messages[0].content.startswith("down"):
                raise RuntimeError("503")
            row.messages.append(Message(role="assistant", content="Paris"))
            return row

        return [asyncio.create_task(answer(row)) for row in rows]


ROWS = [EvaluationRow(messages=[Message(role="user", content=f"{state}: the capital of France?")]) for state in ("up", "up", "down", "down")]


@evaluation_test(input_rows=[ROWS], rollout_processor=Model(), mode="pointwise", completion_params=[{"model": "none"}])
def test_capital(row: EvaluationRow) -> EvaluationRow:
    said = row.last_assistant_message()
    row.evaluation_result = EvaluateResult(score=float(said is not None and said.content == "Paris"))
    print("code", row.rollout_status.code, row.evaluation_result.score, row.evaluation_result.is_score_valid)
    return row
PY
said=$(cd "$dir" && HOME="$dir" LITELLM_LOCAL_MODEL_COST_MAP=True EP_NO_UPLOAD=1 EP_PRINT_SUMMARY=1 EP_MAX_RETRY=1 EP_FAIL_ON_MAX_RETRY=false \
  timeout 120 venv/bin/python -m pytest -q -s test_capital.py 2>&1 | grep -oE 'code [0-9]+ [0-9.]+ [A-Za-z]+|(agg|raw)_score=.*' | sort)
echo "$said"
[ "$said" = $'agg_score=0.500 (valid scores only)\ncode 100 1.0 True\ncode 100 1.0 True\ncode 13 0.0 True\ncode 13 0.0 True\nraw_score=0.500 (invalid scores as 0)' ]
