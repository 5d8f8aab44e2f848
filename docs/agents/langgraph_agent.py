"""An agent of LangGraph (pip install langchain langgraph langchain-openai)."""

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.errors import GraphRecursionError

import gonogo_agent


def multiply(a: float, b: float) -> float:
    """Multiplies two numbers."""
    return a * b


def rollout(request):
    model = request["model"]
    chat = ChatOpenAI(model=model["name"], base_url=model["base_url"], api_key=model["api_key"], max_retries=3)
    agent = create_agent(chat, tools=[multiply], system_prompt="Work the question out and answer with a number.")
    question = [m for m in request["messages"] if m["role"] == "user"]
    try:
        result = agent.invoke({"messages": question}, {"recursion_limit": request["limits"]["max_steps"] or 25})
    except GraphRecursionError:
        return {"output": "", "limit": "recursion_limit"}
    return result["messages"][-1].text


if __name__ == "__main__":
    gonogo_agent.serve(rollout)
