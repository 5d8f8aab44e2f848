"""A training script of TRL, which gonogo init --from reads."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def named(completions, answer, **kwargs):
    return [float(a.lower() in c[-1]["content"].lower()) for c, a in zip(completions, answer)]


trainer = GRPOTrainer(
    model="HuggingFaceTB/SmolLM2-135M-Instruct",
    reward_funcs=named,
    args=GRPOConfig(output_dir="out", num_generations=4, temperature=0.8, max_completion_length=32),
    train_dataset=load_dataset("json", data_files="train.jsonl", split="train"),
)
trainer.train()
