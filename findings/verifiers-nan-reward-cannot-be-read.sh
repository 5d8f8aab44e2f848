#!/usr/bin/env bash
# verifiers 0.4.0 writes a reward of NaN as null and then cannot read the file: one such rollout takes all others of the
# run with it, and a run that is resumed samples that rollout again.
#
# Pinned: verifiers==0.4.0 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: of two rollouts, the first earns 1.0, the second NaN (a mean of no values). Task.score takes it, the trace
# has no error, and write_episode appends both to traces.jsonl, the second with "score":null. read_episodes of that
# folder then ends with a ValidationError (rewards...score, Input should be a valid number) and gives neither. What
# --resume reads the file with leaves such a row out without a word.
#
# The script writes and reads two rollouts and fails if both can be read.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet verifiers==0.4.0
"$dir/venv/bin/python" --version
cat >"$dir/write.py" <<'PY'
import asyncio
import json
import math
import sys
from pathlib import Path

import pydantic
import verifiers.v1 as vf
from verifiers.v1.cli.eval import resume
from verifiers.v1.utils.trace_store import read_episodes, write_episode


class Rated(vf.Task[vf.TaskData]):
    @vf.reward
    async def rating(self, trace: vf.Trace) -> float:
        return 1.0 if self.data.name == "rated" else math.nan


folder, tasks = Path(sys.argv[1]), []
for idx, name in enumerate(("rated", "unrated")):
    task = Rated(vf.TaskData(idx=idx, name=name, prompt="2+3?"), vf.TaskConfig())
    trace = vf.Trace(task=vf.TraceTask(type="Rated", data=task.data), agent=vf.AgentInfo(config=vf.AgentConfig()), ok=True)
    asyncio.run(task.score(trace))
    write_episode(folder, vf.Episode(task=trace.task, traces=[trace], ok=True))
    tasks.append(task)
print("written", *(json.loads(line)["traces"][0]["rewards"]["rating"]["score"] for line in (folder / "traces.jsonl").open()))
try:
    print("read", len(read_episodes(folder, vf.WireTrace)))
except pydantic.ValidationError as e:
    print("refused", e.errors()[0]["msg"])
print("resumed with", sum(len(kept) for _, kept, _ in resume.load(folder, tasks, 1)))
PY
said=$("$dir/venv/bin/python" "$dir/write.py" "$dir" 2>/dev/null)
echo "$said"
[ "$said" = $'written 1.0 None\nrefused Input should be a valid number\nresumed with 1' ]
