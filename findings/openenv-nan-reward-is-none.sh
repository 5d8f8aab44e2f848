#!/usr/bin/env bash
# openenv 0.10.0 hands a reward of NaN, and one of infinity, to its client as None, as of a step that gave no reward.
#
# Pinned: openenv==0.10.0 (PyPI). Seen on 2026-11-30 with Python 3.11.7 on Linux.
# Happens: an environment's steps pay 0.5, None, NaN and infinity. Its client, GenericEnvClient, gets:
#   half 0.5
#   none None
#   nan None
#   infinite None
# No error is raised on either side. A trainer that takes the last reward of an episode then takes that of an earlier
# step, and one that takes None for 0 trains on a 0 where the environment's formula was broken.
#
# The script fails if the last two rewards arrive, or raise.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet openenv==0.10.0
"$dir/venv/bin/python" --version
cat >"$dir/steps.py" <<'PY'
import asyncio
import socket
import threading
import time

import uvicorn
from openenv.core.env_server import Action, Observation, State, create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.generic_client import GenericEnvClient

PAID = {"half": 0.5, "none": None, "nan": float("nan"), "infinite": float("inf")}


class Say(Action):
    text: str


class Steps(Environment):
    def reset(self, seed=None, episode_id=None, **_):
        return Observation()

    def step(self, action, timeout_s=None, **_):
        return Observation(reward=PAID[action.text])

    @property
    def state(self):
        return State()


place = socket.socket()
place.bind(("127.0.0.1", 0))
server = uvicorn.Server(uvicorn.Config(create_app(Steps, Say, Observation, env_name="steps"), log_level="error"))
threading.Thread(target=server.run, kwargs={"sockets": [place]}, daemon=True).start()
while not server.started:
    time.sleep(0.05)


async def rewards():
    async with GenericEnvClient(base_url="http://127.0.0.1:%d" % place.getsockname()[1]) as env:
        await env.reset()
        for text in PAID:
            print(text, (await env.step({"text": text})).reward)


asyncio.run(rewards())
PY
said=$("$dir/venv/bin/python" "$dir/steps.py")
echo "$said"
[ "$said" = "half 0.5
none None
nan None
infinite None" ]
