#!/usr/bin/env bash
# pydantic-evals 2.62.0 averages a repeated case over the runs of it that did not fail: one success in eight runs is
# reported as 50 %, while the rows above that average show one success in five.
#
# Pinned: pydantic-evals==2.62.0 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: two cases, four runs each. Of case a, one run is right and three fail with an exception; case b is wrong four
# times. The report has 5 cases, 3 failures and the averages
#   assertions 0.5
# Why: the average is one over cases, each the mean of its own runs that ended; a run that failed is in neither mean.
#
# The script runs that data set and fails if the report is another.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet pydantic-evals==2.62.0
"$dir/venv/bin/python" --version
cat >"$dir/evaluate.py" <<'PY'
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected

asked = []


async def task(question):
    asked.append(question)
    if question == "2+3" and asked.count(question) > 1:
        raise RuntimeError("the server is overloaded")
    return "5"


cases = [Case(name="a", inputs="2+3", expected_output="5"), Case(name="b", inputs="3+3", expected_output="6")]
report = Dataset(name="sums", cases=cases, evaluators=[EqualsExpected()]).evaluate_sync(task, repeat=4, max_concurrency=1, progress=False)
right = [case.assertions["EqualsExpected"].value for case in report.cases]
print(f"{len(report.cases)} cases, {sum(right)} right, {len(report.failures)} failures: assertions {report.averages().assertions}")
PY
said=$("$dir/venv/bin/python" "$dir/evaluate.py")
echo "$said"
[ "$said" = "5 cases, 1 right, 3 failures: assertions 0.5" ]
