"""A taskset of verifiers, as its users write one, with a harness that needs no network but the model's endpoint.

The endpoint's answers depend on the question (see Reply in the Go test): right, wrong, a tool call first, a failure.
"""

import json

import aiohttp
import verifiers.v1 as vf

QUESTIONS = [
    ("apple: what does it cost?", "3"),
    ("pear: what does it cost?", "4"),
    ("tool: what does a plum cost?", "5"),
    ("broken reward: what does it cost?", "6"),
    ("endpoint down: what does it cost?", "7"),
    ("cut: what does it cost?", "8"),
]
LOOKUP = {
    "type": "function",
    "function": {"name": "lookup", "description": "a price", "parameters": {"type": "object", "properties": {"key": {"type": "string"}}}},
}


class PricesData(vf.TaskData):
    answer: str = ""


class PricesTask(vf.Task[PricesData]):
    @vf.reward(weight=1.0)
    async def correct(self, trace: vf.Trace) -> float:
        if self.data.prompt_text.startswith("broken reward"):
            raise ValueError("the reward is broken")
        return 1.0 if self.data.answer in trace.last_reply else 0.0

    @vf.reward(weight=0.5)
    async def brief(self, trace: vf.Trace) -> float:
        return 1.0 if len(trace.last_reply) < 16 else 0.25

    @vf.metric
    async def words(self, trace: vf.Trace) -> float:
        return float(len(trace.last_reply.split()))


class PricesConfig(vf.TasksetConfig):
    pass


class PricesTaskset(vf.Taskset[PricesTask, PricesConfig]):
    def load(self):
        return [PricesTask(PricesData(id=f"q{i}", prompt=q, answer=a), self.config.task) for i, (q, a) in enumerate(QUESTIONS)]


class PricesHarnessConfig(vf.HarnessConfig):
    pass


class PricesHarness(vf.Harness[PricesHarnessConfig]):
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data, tool_interception_url=None):
        messages = [{"role": "user", "content": data.prompt_text}]
        async with aiohttp.ClientSession() as session:
            while True:
                body = {"model": ctx.model, "messages": messages, "tools": [LOOKUP]}
                async with session.post(endpoint + "/chat/completions", json=body, headers={"Authorization": f"Bearer {secret}"}) as r:
                    if r.status != 200:
                        return vf.ProgramResult(1, "", await r.text())
                    said = (await r.json())["choices"][0]["message"]
                messages.append(said)
                if not said.get("tool_calls"):
                    return vf.ProgramResult(0, said.get("content") or "", "")
                for call in said["tool_calls"]:
                    key = json.loads(call["function"]["arguments"])["key"]
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": f"a {key} costs 5"})


__all__ = ["PricesTaskset", "PricesHarness"]
