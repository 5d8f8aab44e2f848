"""Has TRL's GRPOTrainer take steps with a tiny model, and writes what it handed the reward functions and got: train.py FILE

The model is made here and has random weights: what it says is noise, which is all that the rewards need.
"""

import functools
import inspect
import json
import sys

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

import rewards

WORDS = "<pad> <eos> <unk> user assistant : what is one two three four five plus minus and it".split()
ROWS = [("one plus two", "three", "easy"), ("one plus three", "four", "hard"), ("two plus three", "five", "easy"), ("four minus two", "two", "hard")]
FUNCTIONS, WEIGHTS = ["correct", "brief", "polite"], [1.0, 0.5, 0.25]

tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left")
tokenizer.chat_template = (
    "{% for m in messages %}{{ m['role'] }} : {{ m['content'] }} <eos> {% endfor %}{% if add_generation_prompt %}assistant : {% endif %}"
)
torch.manual_seed(1)
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(WORDS), n_embd=16, n_layer=1, n_head=2, n_positions=64, eos_token_id=1, pad_token_id=0, bos_token_id=1))

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
