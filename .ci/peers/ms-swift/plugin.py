"""A plugin of reward functions as a user of ms-swift writes it: plugin.py OUT scores answers with it and with the package's own.

swift.rewards imports one name of its inference engine, for an annotation, and with it torch: that name is all that is made up."""

import json
import sys
import types

engine = sys.modules["swift.infer_engine"] = types.ModuleType("swift.infer_engine")
engine.InferRequest = dict

from swift.rewards import ORM, orms  # noqa: E402


class Right(ORM):
    def __call__(self, completions, solution, **kwargs):
        return [1.0 if f"<answer>{s}</answer>" in c else 0.0 for c, s in zip(completions, solution)]


orms["external_right"] = Right

ANSWERS = ["<think>6 * 7</think> <answer>42</answer>", "<answer>42</answer>", "to be to be to be to be", ""]
ARGS = types.SimpleNamespace(repetition_n_grams=2, repetition_max_penalty=-1.0)

if __name__ == "__main__":
    made = {name: orms[name](args=ARGS) for name in ("external_right", "format", "repetition")}
    scores = {name: f(ANSWERS, solution=["42"] * len(ANSWERS)) for name, f in made.items()}
    with open(sys.argv[1], "w") as out:
        json.dump([{"said": said, "scores": {name: s[i] for name, s in scores.items()}} for i, said in enumerate(ANSWERS)], out)
