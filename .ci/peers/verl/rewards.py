"""Has verl's own scorers of GSM8K and DAPO score answers: rewards.py OUT. As a grader's file its compute_score calls them.

verl imports torch and Ray with its package, so each scorer is loaded from its file, as verl loads a custom_reward_function."""

import importlib.util
import json
import os
import sys

PACKAGE = importlib.util.find_spec("verl").submodule_search_locations[0]


def scorer(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(PACKAGE, "utils", "reward_score", name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gsm8k, math_dapo = scorer("gsm8k"), scorer("math_dapo")


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    """What verl's default_compute_score does for these two sources."""
    return (gsm8k if data_source == "openai/gsm8k" else math_dapo).compute_score(solution_str, ground_truth)


def compute_score_batched(data_sources, solution_strs, ground_truths, extra_infos):
    """The batch manager's form, as utils/reward_score/math_batch.py shows it."""
    return [compute_score(*one) for one in zip(data_sources, solution_strs, ground_truths, extra_infos)]


if __name__ == "__main__":
    said = {
        "openai/gsm8k": ["6 * 7 = 42\n#### 42", "#### 41", "42", ""],
        "math_dapo": ["So it is \\boxed{42}.\nAnswer: 42", "Answer: $41$", "Answer: [42]", "42"],
    }
    rows = [
        {"source": source, "said": text, "score": compute_score(source, text, "42", {})}
        for source, texts in said.items() for text in texts
    ]  # fmt: skip
    with open(sys.argv[1], "w") as out:
        json.dump(rows, out)
