#!/usr/bin/env bash
# verifiers 0.4.0: what a rollout earns when one of its rewards fails depends on the order of the methods and on how it
# fails, and a rollout that nothing scored has the reward 0.
#
# Pinned: verifiers==0.4.0 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: a Task has two rewards; one gives 1.0, the other has no answer from its judge. trace.reward is
#   1.0 if the broken one comes second and gives None, 0 if it comes first and gives None, 0 if it raises, wherever
# Why: all rewards are called, then recorded one by one. What raises leaves none of them; None is no number, which ends
# the recording there. Each case ends in a TaskError, and trace.reward is a sum over what was recorded.
#
# The script scores four traces and fails if they earn something else.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet verifiers==0.4.0
"$dir/venv/bin/python" --version
cat >"$dir/score.py" <<'PY'
import asyncio

import verifiers.v1 as vf


async def gives_none():
    return None


async def raises():
    raise TimeoutError("the judge does not answer")


class BrokenFirst(vf.Task[vf.TaskData]):
    @vf.reward
    async def judged(self, trace: vf.Trace) -> float:
        return await judge()

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return 1.0


class BrokenSecond(vf.Task[vf.TaskData]):
    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return 1.0

    @vf.reward
    async def style(self, trace: vf.Trace) -> float:
        return await judge()


async def score(cls):
    task = cls(vf.TaskData(prompt="2+3?"), vf.TaskConfig())
    trace = vf.Trace(task=vf.TraceTask(type=cls.__name__, data=task.data), agent=vf.AgentInfo(config=vf.AgentConfig()))
    try:
        await task.score(trace)
        return "no error"
    except vf.TaskError:
        return trace.reward


for cls in (BrokenFirst, BrokenSecond):
    for judge in (gives_none, raises):
        print(cls.__name__, judge.__name__, asyncio.run(score(cls)))
PY
said=$("$dir/venv/bin/python" "$dir/score.py" 2>/dev/null)
echo "$said"
[ "$said" = $'BrokenFirst gives_none 0\nBrokenFirst raises 0\nBrokenSecond gives_none 1.0\nBrokenSecond raises 0' ]
