"""Has TRL's GRPOTrainer take the first steps of a plan with a tiny model: pilot.py CONFIG ROWS STEPS RUN PACKAGE

The callback of the Python package in the folder PACKAGE asks after the second step how they compare with RUN.
Writes the prompts and the learning rate of each step, and the callback's answers, into CONFIG.json. The steps are fewer than the plan's, and the model has random weights.
"""

import json
import sys

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, TrlParser

sys.path.insert(0, sys.argv[5])
from gonogo.trl import PilotCallback  # noqa: E402
from tiny import model, tokenizer  # noqa: E402

# What a machine without a GPU needs, and fewer steps, on top of the file.
(config,) = TrlParser(GRPOConfig).parse_args_and_config(
    ["--config", sys.argv[1], "--max_steps", sys.argv[3], "--use_cpu", "true", "--bf16", "false", "--report_to", "none", "--disable_tqdm", "true"]
)
rows = load_dataset("json", data_files=sys.argv[2], split="train").rename_column("messages", "prompt")


shown = []


def short(prompts, completions, **kwargs):
    shown.append([p[-1]["content"] for p in prompts])
    return [float(len(c[0]["content"].split()) < 4) for c in completions]


asked = PilotCallback(sys.argv[4], looks=[2, int(sys.argv[3])], args=["--set", "training.batch_size=2"])
trainer = GRPOTrainer(
    model=model, processing_class=tokenizer, reward_funcs=short, train_dataset=rows, args=config, callbacks=[asked]
)
trainer.train()
with open(sys.argv[1] + ".json", "w") as out:
    json.dump({"rates": [h["learning_rate"] for h in trainer.state.log_history if "learning_rate" in h], "shown": shown, "answers": asked.answers}, out)
