#!/usr/bin/env bash
# SkyRL 0.4.0 passes an item for a reward of 0.25 if the reward is a number, and fails it for the same reward if it is
# given by token and not on the last one; the mean is equal.
#
# Pinned: skyrl==0.4.0, numpy==2.4.6 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: two rollouts of an item, one of which earns 0.25. get_metrics_from_generator_output, whose numbers are those
# of its evaluation, gives
#   rewards 0.25, 0                  avg_score 0.125, pass_at_n 1.0
#   rewards [0, 0.25, 0], [0, 0, 0]  avg_score 0.125, pass_at_n 0.0
# Why: avg_score sums the tokens; pass_at_n asks whether the last token's reward is above 0. Any reward above 0 passes.
#
# SkyRL imports Ray and PyTorch with its modules and asks for Python 3.12: the script installs it without its
# dependencies and takes that function, which needs neither, from its file. It fails if the function gives other
# numbers.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --no-deps --ignore-requires-python skyrl==0.4.0 numpy==2.4.6
"$dir/venv/bin/python" --version
cat >"$dir/evaluate.py" <<'PY'
import ast
import importlib.util
from collections import defaultdict
from pathlib import Path
from typing import List, Union

import numpy as np

package = Path(importlib.util.find_spec("skyrl").submodule_search_locations[0])
tree = ast.parse((package / "train/generators/utils.py").read_text())
(function,) = (n for n in tree.body if getattr(n, "name", "") == "get_metrics_from_generator_output")
function.decorator_list = []  # torch.no_grad
tree.body = [function]
world = {"np": np, "defaultdict": defaultdict, "List": List, "Union": Union, "GeneratorOutput": dict, "MetricsOutput": dict}
exec(compile(tree, "utils.py", "exec"), world)

for rewards in ([0.25, 0.0], [[0.0, 0.25, 0.0], [0.0, 0.0, 0.0]]):
    metrics = world["get_metrics_from_generator_output"]({"rewards": rewards}, ["item", "item"])
    print(f"{rewards}: avg_score {metrics['avg_score']}, pass_at_n {metrics['pass_at_n']}")
PY
said=$("$dir/venv/bin/python" "$dir/evaluate.py")
echo "$said"
[ "$said" = $'[0.25, 0.0]: avg_score 0.125, pass_at_n 1.0\n[[0.0, 0.25, 0.0], [0.0, 0.0, 0.0]]: avg_score 0.125, pass_at_n 0.0' ]
