"""A task of 200 questions with one tool, for Inspect AI beside gonogo: TestDeepInspectSideBySide runs it."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool


@tool
def price():
    async def execute(item: str) -> str:
        """Looks a price up.

        Args:
            item: the name of the thing
        """
        return "3"

    return execute


@task
def prices():
    rows = [Sample(id=f"q{i}", input=f"What does thing {i} cost?", target="3") for i in range(200)]
    return Task(dataset=rows, solver=[use_tools(price()), generate()], scorer=includes())
