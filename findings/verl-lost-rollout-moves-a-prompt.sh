#!/usr/bin/env bash
# verl 0.9.1 averages each prompt under the number of rollouts that it kept: one lost rollout takes the prompt out of
# mean@4, which its trainer logs as val-core, and puts it in a mean@3 of its own.
#
# Pinned: verl==0.9.1, numpy==2.4.6 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: two prompts; the first has four right rollouts, the second three wrong ones, its fourth was lost.
# process_validation_metrics gives
#   mean@3 0.0, mean@4 1.0
# where four of seven rollouts are right and the mean over prompts is 0.5.
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

uids, rewards = ["a"] * 4 + ["b"] * 3, [1.0] * 4 + [0.0] * 3
metrics = metric_utils.process_validation_metrics(["sums"] * 7, uids, {"reward": rewards})["sums"]["reward"]
print(*(f"{k} {float(v)}" for k, v in sorted(metrics.items()) if k.startswith("mean@")))
PY
said=$("$dir/venv/bin/python" "$dir/validate.py")
echo "$said"
[ "$said" = "mean@3 0.0 mean@4 1.0" ]
