#!/usr/bin/env bash
# verl 0.9.1 draws best@N with replacement: best@4 of a prompt with one right rollout of four is 0.687, not 1.
#
# Pinned: verl==0.9.1, numpy==2.4.6 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: process_validation_metrics of one prompt with the rewards 1, 0, 0, 0 gives
#   best@4/mean 0.687, worst@4/mean 0.003, mean@4 0.25
# The best of these four rewards is 1, and pass@4 as other packages state it (1 - C(3,4)/C(4,4)) is 1 as well. With
# replacement it is 1 - (3/4)^4 = 0.684, which 1,000 draws from a fixed seed put at 0.687.
# It matters to whoever compares best@N with pass@N, or with the best reward in verl's own dump of these rollouts.
#
# The script installs verl without its dependencies; PyTorch and what else the file imports for other functions is made
# up. It fails if the function gives other numbers.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --no-deps verl==0.9.1 numpy==2.4.6
"$dir/venv/bin/python" --version
cat >"$dir/validate.py" <<'PY'
import importlib.util
import sys
from pathlib import Path
from unittest.mock import MagicMock

package = Path(importlib.util.find_spec("verl").submodule_search_locations[0])
for name in ("torch", "omegaconf", "transformers", "verl", "verl.utils", "verl.utils.fs", "verl.utils.import_utils", "verl.utils.model", "verl.utils.torch_functional"):
    sys.modules[name] = MagicMock()
spec = importlib.util.spec_from_file_location("metric_utils", package / "trainer/ppo/metric_utils.py")
metric_utils = importlib.util.module_from_spec(spec)
spec.loader.exec_module(metric_utils)

rewards = [1.0, 0.0, 0.0, 0.0]
metrics = metric_utils.process_validation_metrics(["sums"] * 4, ["a"] * 4, {"reward": rewards})["sums"]["reward"]
print(*(f"{k} {float(metrics[k])}" for k in ("best@4/mean", "worst@4/mean", "mean@4")))
PY
said=$("$dir/venv/bin/python" "$dir/validate.py")
echo "$said"
[ "$said" = "best@4/mean 0.687 worst@4/mean 0.003 mean@4 0.25" ]
