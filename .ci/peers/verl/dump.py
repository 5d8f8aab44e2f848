"""Has verl's V1 trainer write rollouts, and prints the mean score of the last outputs: dump.py FOLDER

verl imports PyTorch and Ray with its trainer, so the function is taken from its file. Scores are numbers of NumPy's kinds in a training."""

import ast
import importlib.util
import json
import os
import sys

PACKAGE = importlib.util.find_spec("verl").submodule_search_locations[0]
source = open(os.path.join(PACKAGE, "trainer", "ppo", "v1", "trainer_base.py")).read()
(write,) = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == "_write_generations"]
write.decorator_list = []
world = {"json": json, "os": os}
exec(compile(ast.Module([write], []), "trainer_base.py", "exec"), world)

means = {}
for step in (1, 2):
    rows = []  # keys are PROMPT_ROLLOUT_OUTPUT: the second rollout of p1 has two outputs, and the last one is scored
    for key, output, score in [
        ("p1_0_0", "5", 1.0), ("p1_1_0", "look it up", 0.0), ("p1_1_1", "6", 0.25 * step), ("p2_0_0", "6", 1.0), ("p2_1_0", "5", 0.0),
    ]:  # fmt: skip
        prompt, answer = {"p1": ("user\n2+3?\nassistant\n", "5"), "p2": ("user\n3+3?\nassistant\n", "6")}[key[:2]]
        rows.append((prompt, output, answer, score, key))
    inputs, outputs, gts, scores, uids = map(list, zip(*rows))
    with open(os.devnull, "w") as sys.stdout:
        world["_write_generations"](inputs, outputs, gts, scores, {"uid": uids}, sys.argv[1], step)
    sys.stdout = sys.__stdout__
    means[step] = (1.0 + 0.25 * step + 1.0 + 0.0) / 4
print(json.dumps(means))
