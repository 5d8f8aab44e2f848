"""Has TRL's GRPOTrainer train in environments, and writes what each of them was asked and paid: environment.py FILE

The weights are random and tiny; what the model says is scripted: it is the tools, the rewards and the log that are TRL's.
"""

import json
import random
import sys
from pathlib import Path

import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

MARKS = ["<pad>", "<|im_end|>", "<|im_start|>"]
letters = sorted(pre_tokenizers.ByteLevel.alphabet())
tokenizer = Tokenizer(models.BPE({c: i for i, c in enumerate(MARKS + letters)}, []))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
tokenizer.add_special_tokens(MARKS)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<|im_end|>", padding_side="left")
tokenizer.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
rng = random.Random(3)
seen = []  # each rollout: what reset was given, the calls, the reward


class Scripted(GPT2LMHeadModel):
    def generate(self, input_ids, **kwargs):
        said = []
        for ids in input_ids:
            text = tokenizer.decode(ids)
            call = {"name": rng.choice(["guess", "guess", "peek"]), "arguments": {}}
            if call["name"] == "guess":
                call["arguments"] = {"number": rng.randrange(4)}
            if "<tool_response>" in text.rsplit("<|im_start|>assistant", 2)[-1] or text.count("<tool_response>") > 1 or rng.random() < 0.2:
                said.append("It is done.<|im_end|>")
            else:
                said.append("<tool_call>\n" + json.dumps(call) + "\n</tool_call><|im_end|>")
        ids = [tokenizer.encode(s, add_special_tokens=False) for s in said]
        longest = max(map(len, ids))
        return torch.cat([input_ids, torch.tensor([i + [0] * (longest - len(i)) for i in ids])], dim=1)


class Number:
    """An environment that pays by itself."""

    def reset(self, secret, **kwargs):
        self.rollout = {"secret": secret, "calls": [], "reward": 0.0}  # the instance is used again
        seen.append(self.rollout)
        return f" The number is below {secret + 2}."

    def guess(self, number: int) -> str:
        """Guesses the number.

        Args:
            number: The guess.
        """
        self._call(number, float(number == self.rollout["secret"]))
        if number == 3:
            raise ValueError("3 is too many")
        return "yes" if number == self.rollout["secret"] else "no"

    def peek(self) -> str:
        """Shows the number, which costs half of the reward."""
        self._call("peek", 0.5)
        return str(self.rollout["secret"])

    def _call(self, what, reward):
        self.rollout["calls"].append(what)
        self.rollout["reward"] = max(self.rollout["reward"], reward)

    def get_reward(self) -> float:
        return self.rollout["reward"]


def short(completions, **kwargs):
    return [None if len(c) == 1 else 0.25 * (len(c) < 4) for c in completions]


if __name__ == "__main__":
    torch.manual_seed(1)
    model = Scripted(GPT2Config(vocab_size=len(tokenizer), n_embd=16, n_layer=1, n_head=2, n_positions=4096, eos_token_id=1, pad_token_id=0, bos_token_id=1))
    data = Dataset.from_list([{"prompt": [{"role": "user", "content": f"Guess number {n}."}], "secret": n} for n in range(3)])
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=[short],
        train_dataset=data,
        environment_factory=Number,
        args=GRPOConfig(
            output_dir=sys.argv[1] + ".out", per_device_train_batch_size=8, num_generations=4, max_completion_length=1024, max_steps=3, report_to=[],
            use_cpu=True, logging_steps=1, save_strategy="no", bf16=False, disable_tqdm=True, seed=3, log_completions=True,
        ),
    )  # fmt: skip
    trainer.train()
    json.dump({"rollouts": seen, "log": [h for h in trainer.state.log_history if "reward" in h]}, open(sys.argv[1], "w"))
