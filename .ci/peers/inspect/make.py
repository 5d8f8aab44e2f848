"""Runs tasks of Inspect AI with its mock model and leaves their logs in a folder: make.py FOLDER

Between them they have what a log can hold: epochs, several scorers of every kind of value, tool calls that succeed, fail and
cannot be parsed, limits, errors of the model, of a solver and of a scorer, retried errors, and a scorer that gives no score.
"""

import math
import sys

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, mean, scorer, stderr
from inspect_ai.solver import generate, solver, system_message, use_tools
from inspect_ai.tool import ToolError, tool

FOLDER = sys.argv[1]


@tool
def lookup():
    async def execute(key: str) -> str:
        """Looks a price up.

        Args:
            key: the name of the thing
        """
        if key == "unknown":
            raise ToolError("there is no price of unknown")
        return {"apple": "3", "pear": "4"}[key]  # KeyError: the sample ends in an error

    return execute


def reply(input, tools, tool_choice, config):
    """The mock model. Without a usage of its own it would count tokens by a vocabulary from the network."""
    output = say(input)
    output.usage = ModelUsage(input_tokens=20 + len(input), output_tokens=7, total_tokens=27 + len(input), input_tokens_cache_read=3)
    return output


def say(input):
    """What it says depends on the question, and on whether a tool has answered."""
    asked = next(m.text for m in input if m.role == "user")
    answered = [m for m in input if isinstance(m, ChatMessageTool)]
    if asked.startswith("model down"):
        raise RuntimeError("503 Service Unavailable")
    if asked.startswith("loop"):
        return ModelOutput.for_tool_call("mockllm/model", "lookup", {"key": "apple"})
    for key in ("apple", "unknown", "plum"):
        if asked.startswith(key) and not answered:
            return ModelOutput.for_tool_call("mockllm/model", "lookup", {"key": key})
    if asked.startswith("apple"):
        return ModelOutput.from_content("mockllm/model", f"It costs {answered[0].text}")
    if asked.startswith("cut"):
        return ModelOutput.from_content("mockllm/model", "It costs", stop_reason="max_tokens")
    return ModelOutput.from_content("mockllm/model", "It costs 5")


@scorer(metrics=[mean(), stderr()])
def right():
    async def score(state, target):
        if state.input_text.startswith("unscored"):
            return Score(value=math.nan)
        if state.input_text.startswith("scorer down"):
            raise ValueError("the judge is down")
        return Score(value=1.0 if target.text in state.output.completion else 0.25, answer=state.output.completion)

    return score


@scorer(metrics={"*": [mean()]})
def style():
    async def score(state, target):
        return Score(value={"short": len(state.output.completion) < 12, "digits": sum(c.isdigit() for c in state.output.completion)})

    return score


@scorer(metrics=[accuracy()])
def letter():
    async def score(state, target):
        return Score(value="C" if target.text in state.output.completion else "P" if state.output.completion else "I")

    return score


@scorer(metrics=[])
def kind():
    """Says something of a reply that is no grade."""

    async def score(state, target):
        return Score(value="a sentence" if " " in state.output.completion else "a word")

    return score


@solver
def flaky():
    failed = set()

    async def solve(state, generate):
        if state.input_text.startswith("flaky") and (state.sample_id, state.epoch) not in failed:
            failed.add((state.sample_id, state.epoch))
            raise RuntimeError("connection reset by peer")
        return await generate(state)

    return solve


QUESTIONS = {
    "apple": ("apple: what does it cost?", "3"),
    "unknown": ("unknown: what does it cost?", "5"),
    "plum": ("plum: what does it cost?", "5"),
    "plain": ("plain: say 5", "5"),
    "wrong": ("wrong: say 6", "6"),
    "cut": ("cut: say 5", "5"),
    "loop": ("loop: never ends", "5"),
    "model-down": ("model down", "5"),
    "scorer-down": ("scorer down", "5"),
    "unscored": ("unscored", "5"),
    "flaky": ("flaky: say 5", "5"),
}


def samples(*names):
    return [Sample(id=name, input=QUESTIONS[name][0], target=QUESTIONS[name][1], metadata={"topic": "prices"}) for name in names]


def run(name, names, scorers, epochs=2, **options):
    task = Task(
        name=name,
        dataset=samples(*names),
        solver=[system_message("You know prices."), use_tools(lookup()), flaky(), generate()],
        scorer=scorers,
        epochs=Epochs(epochs, "mean"),
        message_limit=12,
    )
    model = get_model("mockllm/model", custom_outputs=reply)
    eval(task, model=model, log_dir=FOLDER, display="none", fail_on_error=False, **options)


run("everything", list(QUESTIONS), [right(), letter()], retry_on_error=1)
run("as-json", list(QUESTIONS), [right(), letter()], log_format="json")
run("letters", ["apple", "plain", "wrong", "cut"], [letter()])
run("values", ["apple", "plain", "wrong"], [style()])
run("kinds", ["apple", "wrong", "plum", "scorer-down"], [kind(), right()], log_format="json")
