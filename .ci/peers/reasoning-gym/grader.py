"""A Python grader that asks reasoning-gym's own scorer."""

import reasoning_gym


def grade(sample, item):
    score = reasoning_gym.get_score_answer_fn(item["metadata"]["source_dataset"])
    return score(sample["output_text"], item)
