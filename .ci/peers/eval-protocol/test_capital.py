"""An evaluation test as a user of eval-protocol writes it."""

from eval_protocol.models import EvaluateResult, EvaluationRow, InputMetadata, Message, MetricResult
from eval_protocol.pytest import NoOpRolloutProcessor, evaluation_test

ANSWERS = ["Paris", "It is Paris, I think", "Rome", ""]
ROWS = [
    EvaluationRow(
        messages=[Message(role="user", content="The capital of France?"), Message(role="assistant", content=said)],
        ground_truth="Paris",
        input_metadata=InputMetadata(row_id=f"row-{i}", dataset_info={"weight": 2}),
    )
    for i, said in enumerate(ANSWERS)
]


@evaluation_test(input_rows=[ROWS], rollout_processor=NoOpRolloutProcessor(), mode="pointwise", completion_params=[{"model": "none"}])
def test_capital(row: EvaluationRow) -> EvaluationRow:
    said = row.last_assistant_message().content or ""
    if not said:
        row.evaluation_result = EvaluateResult(score=0.0, is_score_valid=False, reason="no answer")
        return row
    exact, holds = float(said == row.ground_truth), float(row.ground_truth in said)
    row.evaluation_result = EvaluateResult(
        score=(exact + holds) / 2,
        reason="compared",
        metrics={"exact": MetricResult(score=exact, is_score_valid=True, reason=""), "holds": MetricResult(score=holds, is_score_valid=True, reason="")},
    )
    return row
