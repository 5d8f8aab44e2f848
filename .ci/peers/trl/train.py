"""Has TRL's GRPOTrainer take steps with a tiny model, and writes what it handed the reward functions and got: train.py FILE

The model has random weights: what it says is noise, which is all that the rewards need.
"""

import functools
import inspect
import json
import sys

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

import rewards
from tiny import model, tokenizer

ROWS = [("one plus two", "three", "easy"), ("one plus three", "four", "hard"), ("two plus three", "five", "easy"), ("four minus two", "two", "hard")]
FUNCTIONS, WEIGHTS = ["correct", "brief", "polite"], [1.0, 0.5, 0.25]

calls = []


def recorded(f):
    def keep(kwargs, result):
        names = sorted(kwargs)
        plain = {k: v for k, v in kwargs.items() if k in ("prompts", "completions", "answer", "level")}
        calls.append({"function": f.__name__, "names": names, "rewards": list(result), **plain})
        return result

    if inspect.iscoroutinefunction(f):

        @functools.wraps(f)
        async def wrapper(**kwargs):
            return keep(kwargs, await f(**kwargs))
    else:

        @functools.wraps(f)
        def wrapper(**kwargs):
            return keep(kwargs, f(**kwargs))

    return wrapper


data = Dataset.from_list([{"prompt": [{"role": "user", "content": f"what is {q}"}], "answer": a, "level": l} for q, a, l in ROWS])
trainer = GRPOTrainer(
    model=model,
    processing_class=tokenizer,
    reward_funcs=[recorded(getattr(rewards, name)) for name in FUNCTIONS],
    train_dataset=data,
    args=GRPOConfig(
        output_dir=sys.argv[1] + ".out", per_device_train_batch_size=4, num_generations=4, max_completion_length=8, max_steps=4, report_to=[], use_cpu=True,
        reward_weights=WEIGHTS, logging_steps=1, save_strategy="no", bf16=False, disable_tqdm=True, seed=3,
    ),
)  # fmt: skip
trainer.train()
json.dump({"calls": calls, "log": [h for h in trainer.state.log_history if "reward" in h]}, open(sys.argv[1], "w"))
