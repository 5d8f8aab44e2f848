"""An agent of the OpenAI Agents SDK (pip install openai-agents)."""

from agents import Agent, MaxTurnsExceeded, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

import gonogo_agent

set_tracing_disabled(True)  # traces would go to another service


@function_tool
def multiply(a: float, b: float) -> float:
    """Multiplies two numbers."""
    return a * b


async def rollout(request):
    model = request["model"]
    client = AsyncOpenAI(base_url=model["base_url"], api_key=model["api_key"], max_retries=3)
    agent = Agent(
        name="calculator",
        instructions="Work the question out and answer with a number.",
        tools=[multiply],
        model=OpenAIChatCompletionsModel(model=model["name"], openai_client=client),
    )
    question = [m for m in request["messages"] if m["role"] == "user"]
    try:
        result = await Runner.run(agent, question, max_turns=request["limits"]["max_steps"] or 10)
    except MaxTurnsExceeded:
        return {"output": "", "limit": "max_turns"}
    return str(result.final_output)


if __name__ == "__main__":
    gonogo_agent.serve(rollout)
