#!/usr/bin/env bash
# eval-protocol 0.3.33 evaluates a rollout that failed, and counts it as a valid 0: its score "of valid scores only" is
# halved if the model's server is down for half of the rollouts.
#
# Pinned: eval-protocol==0.3.33 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: four rows; the model answers two of them, rightly, and is down for the other two. The test is handed the rows
# without an answer as well, and finds none there, as it would for a model that said nothing. The summary says
#   agg_score=0.500 (valid scores only)   raw_score=0.500 (invalid scores as 0)
# Rows know that they failed (rollout_status INTERNAL); neither score asks for it. To leave them out, each test has to
# set is_score_valid=False itself.
#
# The script runs that test under pytest and fails if the summary or what the rows say is another.
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
    print("status", row.rollout_status.code.name, row.evaluation_result.score, row.evaluation_result.is_score_valid)
    return row
PY
said=$(cd "$dir" && HOME="$dir" LITELLM_LOCAL_MODEL_COST_MAP=True EP_NO_UPLOAD=1 EP_PRINT_SUMMARY=1 \
  timeout 120 venv/bin/python -m pytest -q -s test_capital.py 2>&1 | grep -oE 'status [A-Z]+ [0-9.]+ [A-Za-z]+|(agg|raw)_score=.*' | sort)
echo "$said"
[ "$said" = $'agg_score=0.500 (valid scores only)\nraw_score=0.500 (invalid scores as 0)\nstatus FINISHED 1.0 True\nstatus FINISHED 1.0 True\nstatus INTERNAL 0.0 True\nstatus INTERNAL 0.0 True' ]
