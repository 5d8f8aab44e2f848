"""Stands in for OpenEnv's client: the same names, over plain HTTP. .ci/peers/openenv tries the real one."""

import asyncio
import json
import os
import time
import urllib.error
import urllib.request
from types import SimpleNamespace

print("importing is noisy")
os.write(1, b"on every level\n")


class GenericEnvClient:
    def __init__(self, base_url, message_timeout_s):
        self.url, self.session = base_url, None

    async def send(self, path, body):
        def ask():
            request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"X-Session": str(self.session)})
            try:
                with urllib.request.urlopen(request) as answer:
                    return json.loads(answer.read())
            except urllib.error.HTTPError as error:
                raise RuntimeError("Server error: " + error.read().decode()) from None

        return await asyncio.get_running_loop().run_in_executor(None, ask)

    async def connect(self):
        self.session = (await self.send("/connect", {}))["session"]

    async def state(self):
        return {}

    async def close(self):
        if self.session is not None:
            await self.send("/close", {})

    async def reset(self, **kwargs):
        return self.result(await self.send("/reset", kwargs))

    async def step(self, action):
        if "exit" in json.dumps(action):
            os._exit(3)
        if "spin" in json.dumps(action):
            time.sleep(600)  # blocks the whole interpreter
        print("a step is noisy")
        return self.result(await self.send("/step", action))

    def result(self, told):
        return SimpleNamespace(observation=told.get("observation") or {}, reward=told.get("reward"), done=told.get("done", False))
