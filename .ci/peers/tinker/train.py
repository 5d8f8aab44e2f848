"""Has tinker-cookbook write what a training logs and what an evaluation stores, and prints what it says of them: train.py FOLDER

Its own types, stores and benchmark runner; the model is scripted, and PyTorch, which its renderers import, is made up.
"""

import asyncio
import json
import sys
from pathlib import Path
from unittest.mock import MagicMock

sys.modules["torch"] = MagicMock(__spec__=None)

import tinker
from tinker_cookbook.completers import TokensWithLogprobs
from tinker_cookbook.eval.benchmarks import _runner, _types
from tinker_cookbook.rl.rollout_logging import serialize_rollout_summaries
from tinker_cookbook.rl.types import StepResult, Trajectory, TrajectoryGroup, Transition
from tinker_cookbook.rl.metric_util import compute_trajectory_metrics
from tinker_cookbook.stores import LocalStorage, TrainingRunStore

out = Path(sys.argv[1])
WORDS = "what is 2 + 3 ? 5 6 let me look it up tool says".split()


class Words:
    """A tokenizer of a dozen words."""

    def encode(self, text):
        return [WORDS.index(w) for w in text.split()]

    def decode(self, ids):
        return " ".join(WORDS[i] for i in ids)


words = Words()


def said(text):
    return TokensWithLogprobs(tokens=words.encode(text), maybe_logprobs=[0.0] * len(text.split()))


def asked(text):
    return tinker.ModelInput.from_ints(words.encode(text))


def trajectory(answer, reward, stop="completed", look=False):
    turns = []
    if look:
        turns.append(Transition(ob=asked("what is 2 + 3 ?"), ac=said("look it up"), reward=0.0, episode_done=False, metrics={"tools": 1}))
    ob = "tool says 5" if look else "what is 2 + 3 ?"
    metrics = {"correct": reward, f"stop/{stop}": 1.0}
    turns.append(Transition(ob=asked(ob), ac=said(answer), reward=reward, episode_done=True, metrics=metrics, logs={"answer": answer}))
    return Trajectory(transitions=turns, final_ob=tinker.ModelInput.empty(), stop_reason=stop)


def training():
    store = TrainingRunStore(LocalStorage(out / "run"))
    means = []
    for step in range(3):
        groups = [
            TrajectoryGroup([trajectory("5", 1.0, look=True), trajectory("6", 0.0), trajectory("let me look", 0.0, "max_tokens")], [0.0, 0.25, 0.0], [{}, {"style": 1.0}, {}]),
            TrajectoryGroup([trajectory("6", 0.0), trajectory("5", float(step > 0)), trajectory("6", 0.0, "max_turns")], [0.0] * 3, [{}, {}, {}]),
        ]  # fmt: skip
        records = serialize_rollout_summaries(
            split="train", iteration=step, trajectory_groups_P=groups, taglist_P=[["sums"], ["sums"]], sampling_client_steps_P=[step, max(0, step - 1)]
        )
        store.write_rollouts(step, records)
        metrics = compute_trajectory_metrics(groups, [["sums"], ["sums"]])
        store.write_metrics({"progress/batch": step, **metrics}, step)
        means.append(metrics["env/all/reward/total"])
    store.write_metrics({"total_tokens": 9})
    return means


class Env:
    """One question of the benchmark."""

    def __init__(self, question, answer):
        self.question, self.answer, self.example_id = question, answer, "sums_" + answer

    async def initial_observation(self):
        return asked(self.question), None

    async def step(self, action, *, extra=None):
        if words.decode(action) == "let me look it up":
            raise RuntimeError("the environment broke")
        right = float(words.decode(action) == self.answer)
        return StepResult(reward=right, episode_done=True, next_observation=tinker.ModelInput.empty(), next_stop_condition=None, metrics={"correct": right}, logs={"expected": self.answer})


class Benchmark(_types.BenchmarkBuilder):
    name = "sums"

    def make_envs(self, renderer, config):
        return [Env("what is 2 + 3 ?", "5"), Env("what is 3 + 3 ?", "6")]


async def evaluation():
    replies = iter(["5", "5", "let me look it up", "6"])

    class Scripted:
        def __init__(self, *args, **kwargs):
            pass

        async def __call__(self, *args, **kwargs):
            return said(next(replies))

    _runner.TinkerTokenCompleter = Scripted
    _runner._validate_requirements = lambda *args: None
    config = _types.BenchmarkConfig(max_tokens=8, save_dir=str(out / "eval"), num_samples=2, concurrency=1)
    result = await _runner.run_benchmark(Benchmark(), None, MagicMock(tokenizer=words), config)
    return {"score": result.score, "errors": result.num_errors, "examples": result.num_examples}


print(json.dumps({"means": training(), "evaluation": asyncio.run(evaluation())}))
