#!/usr/bin/env bash
# opentelemetry-instrumentation-openai-v2 2.4b0 cannot be imported with the opentelemetry-util-genai that pip
# installs beside it, 1.3b0.
#
# Pinned: opentelemetry-instrumentation-openai-v2==2.4b0, opentelemetry-util-genai==1.3b0,
# opentelemetry-util-genai==1.1b0, openai==3.57.0, httpx==0.28.1 (PyPI). Seen on 2026-11-29 with Python 3.11.7 on Linux.
# Happens: pip install ends without a warning, since the instrumentation asks for opentelemetry-util-genai>=0.4b0.dev,
# and the first import ends with
#   ModuleNotFoundError: No module named 'opentelemetry.util.genai.instruments'
# With opentelemetry-util-genai==1.1b0 the same import works.
#
# The script installs both pairs in temporary environments, and fails unless the first cannot be imported as
# described and the second can.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/1.3b0"
"$dir/1.3b0/bin/pip" install --quiet opentelemetry-instrumentation-openai-v2==2.4b0 opentelemetry-util-genai==1.3b0 openai==3.57.0 httpx==0.28.1
python3 -m venv "$dir/1.1b0"
"$dir/1.1b0/bin/pip" install --quiet opentelemetry-instrumentation-openai-v2==2.4b0 opentelemetry-util-genai==1.1b0 openai==3.57.0 httpx==0.28.1
"$dir/1.3b0/bin/python" --version
"$dir/1.3b0/bin/pip" check
import='from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor'
newest=$("$dir/1.3b0/bin/python" -c "$import" 2>&1 | tail -1 || true)
older=$("$dir/1.1b0/bin/python" -c "$import; print('imported')" 2>&1 | tail -1 || true)
echo "with opentelemetry-util-genai 1.3b0: $newest"
echo "with opentelemetry-util-genai 1.1b0: $older"
[ "$newest" = "ModuleNotFoundError: No module named 'opentelemetry.util.genai.instruments'" ] && [ "$older" = imported ]
