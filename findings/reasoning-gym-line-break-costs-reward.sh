#!/usr/bin/env bash
# reasoning-gym 0.1.25 pays less for its own right answer in 44 of 100 data sets if a line break follows: between 0 and
# 0.998 instead of 1. The other 56 ignore it.
#
# Pinned: reasoning-gym==0.1.25 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: score_answer of the first entry of each data set (seed 1) gets the entry's answer, and the same with "\n":
#   gcd 0.5, count_bits 0.667, sudoku 0.894, n_queens 0.0, ab 0.0, and 39 others
# Why: a data set without a scorer of its own pays len(answer)/len(reply) for a reply that contains the answer, so the
# shorter the answer, the more a character costs. Some of the others have scorers that do not strip the reply either.
# It matters to whoever takes the text after a tag such as "Answer:" to the end, as most templates do: a model that ends
# with a line break, as many do, learns most from that.
#
# The script scores both replies in all data sets and fails if the count or these rewards are others.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet reasoning-gym==0.1.25
"$dir/venv/bin/python" --version
cat >"$dir/score.py" <<'PY'
import reasoning_gym
from reasoning_gym.factory import DATASETS

asked, less = 0, {}
for name in sorted(DATASETS):
    if name == "composite":  # mixes the others
        continue
    data = reasoning_gym.create_dataset(name, size=3, seed=1)
    entry = data[0]
    if entry["answer"] is None:  # the scorer works it out
        continue
    answer = str(entry["answer"])
    plain, broken = (data.score_answer(reply, entry) for reply in (answer, answer + "\n"))
    asked += 1
    if plain == 1 and broken < 0.999:
        less[name] = broken
print()  # a data set prints a dot
print(len(less), "of", asked, *(f"{name} {less[name]:.3f}" for name in ("gcd", "count_bits", "sudoku", "n_queens", "ab")))
PY
said=$("$dir/venv/bin/python" "$dir/score.py" | tail -1)
echo "$said"
[ "$said" = "44 of 100 gcd 0.500 count_bits 0.667 sudoku 0.894 n_queens 0.000 ab 0.000" ]
