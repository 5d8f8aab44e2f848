from __future__ import annotations

import re
import sys

import torch
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

MODEL = "Qwen/Qwen3-0.6B"
NUMBER = re.compile(r"-?\d+")
UNUSED = torch.zeros(1)


def last_number(text: str) -> str | None:
    found = NUMBER.findall(text)
    return found[-1] if found else None


def correct(completions, answer, **kwargs):
    return [float(last_number(c[-1]["content"]) == a) for c, a in zip(completions, answer)]


def brief(completions, **kwargs):
    return [float(len(c[-1]["content"]) < 200) for c in completions]


def main():
    rows = load_dataset("json", data_files="train.jsonl", split="train")
    held = load_dataset("json", data_files="held.jsonl", split="train")
    args = GRPOConfig(
        output_dir=sys.argv[1],
        num_generations=16,
        temperature=0.9,
        top_k=20,
        max_completion_length=256,
        reward_weights=[1.0, 0.2],
        learning_rate=1e-6,
    )
    trainer = GRPOTrainer(model=MODEL, reward_funcs=[correct, brief], args=args, train_dataset=rows, eval_dataset=held)
    trainer.train()


if __name__ == "__main__":
    main()
