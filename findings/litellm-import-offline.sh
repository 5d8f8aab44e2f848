#!/usr/bin/env bash
# litellm 1.105.0 cannot be imported at random on a busy machine where it cannot fetch its price list,
# such as in a sandbox without a network.
#
# Pinned: litellm==1.105.0 (PyPI). Seen on 2026-11-28 with Python 3.11.7 on Linux, two cores.
# Happens: `import litellm` ends with
#   ImportError: cannot import name 'LoggerContext' from partially initialized module
#   'litellm.rust_bridge.catalog' (most likely due to a circular import)
# in five of six imports that run at once. With LITELLM_LOCAL_MODEL_COST_MAP=True, litellm's own setting,
# in none.
# Why: the import fetches a price list from GitHub. If that fails, a background thread waits some seconds,
# tries again and logs that it failed again; the log's filter imports litellm.rust_bridge.catalog. The
# main thread fails if it has not finished importing litellm by then (6 s alone on this machine).
#
# The script installs litellm in a temporary folder, imports it three times for each core at once, with a
# proxy address where nothing listens, and fails if no import fails as described, or if one fails with
# the setting.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet litellm==1.105.0
"$dir/venv/bin/python" --version
n=$((3 * $(nproc)))

# imports starts n imports at once with the given environment and says how many failed in that way.
imports() {
  local i
  for i in $(seq "$n"); do
    env HTTPS_PROXY=http://127.0.0.1:9 "$@" "$dir/venv/bin/python" -c 'import litellm' >"$dir/$i.txt" 2>&1 &
  done
  wait
  cat "$dir"/*.txt | grep -c "cannot import name 'LoggerContext' from partially initialized module" || true
}

fetching=$(imports)
local_only=$(imports LITELLM_LOCAL_MODEL_COST_MAP=True)
echo "litellm 1.105.0: $fetching of $n imports without a network fail; with LITELLM_LOCAL_MODEL_COST_MAP=True $local_only of $n"
[ "$fetching" -gt 0 ] && [ "$local_only" -eq 0 ]
