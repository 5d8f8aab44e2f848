#!/usr/bin/env bash
# verl 0.9.1 counts a validation rollout that was lost as a 0 in `acc` and leaves it out of `reward`: the same rollouts
# are 0.5 right in the one and 1.0 in the other, under names that say mean@4 and mean@2.
#
# Pinned: verl==0.9.1, numpy==2.4.6 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: two prompts, four rollouts each; each prompt keeps two rollouts, all of them right, and loses two.
# process_validation_metrics, with the counts that the V1 trainer expects, gives
#   acc mean@4 0.5      acc_success_only mean@2 1.0      reward mean@2 1.0
# It matters to whoever compares a data set whose scorer returns acc with one whose scorer does not: the first pays for
# a busy server, the second does not.
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

kept = {"acc": [1.0] * 4, "reward": [1.0] * 4}
expected = {("sums", "a"): 4, ("sums", "b"): 4}
metrics = metric_utils.process_validation_metrics(["sums"] * 4, ["a", "a", "b", "b"], kept, expected_acc_counts=expected)["sums"]
for name, values in sorted(metrics.items()):
    print(name, *(f"{k} {float(v)}" for k, v in values.items() if k.startswith("mean@")))
PY
said=$("$dir/venv/bin/python" "$dir/validate.py")
echo "$said"
[ "$said" = $'acc mean@4 0.5\nacc_success_only mean@2 1.0\nreward mean@2 1.0' ]
