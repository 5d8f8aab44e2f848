#!/usr/bin/env bash
# opentelemetry-sdk 1.45.2 gives two processes that seed Python's random with the same number the same trace
# and span ids: their traces become one in any file or backend that both write to.
#
# Pinned: opentelemetry-sdk==1.45.2 (PyPI). Seen on 2026-11-29 with Python 3.11.7 on Linux.
# Happens: two processes that call random.seed(1), as training and evaluation scripts do to be repeatable, print
# the same trace id. Without the seed the ids differ.
# Why: RandomIdGenerator draws ids from the module random, whose state random.seed sets.
# It matters to whoever samples an agent several times with one seed each night: the rollouts of the second night
# are further spans of the first night's traces. An id generator of one's own
# (TracerProvider(id_generator=...)) or a seed for a random.Random of one's own avoids it.
#
# The script installs the SDK in a temporary folder, starts two processes with and two without the seed, and
# fails unless the first two agree and the others do not.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet opentelemetry-sdk==1.45.2
"$dir/venv/bin/python" --version
cat >"$dir/trace.py" <<'PY'
import random
import sys

from opentelemetry.sdk.trace import TracerProvider

if sys.argv[1:] == ["seed"]:
    random.seed(1)
with TracerProvider().get_tracer("agent").start_as_current_span("rollout") as span:
    print(format(span.get_span_context().trace_id, "032x"), format(span.get_span_context().span_id, "016x"))
PY
one=$("$dir/venv/bin/python" "$dir/trace.py" seed)
two=$("$dir/venv/bin/python" "$dir/trace.py" seed)
other=$("$dir/venv/bin/python" "$dir/trace.py")
last=$("$dir/venv/bin/python" "$dir/trace.py")
echo "seeded: $one and $two; not seeded: $other and $last"
[ "$one" = "$two" ] && [ "$other" != "$last" ]
