"""A tiny model with random weights, and its tokenizer; as a program it leaves them in a folder: tiny.py FOLDER"""

import sys

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

WORDS = "<pad> <eos> <unk> user assistant : what is one two three four five plus minus and it".split()

tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left")
tokenizer.chat_template = (
    "{% for m in messages %}{{ m['role'] }} : {{ m['content'] }} <eos> {% endfor %}{% if add_generation_prompt %}assistant : {% endif %}"
)
torch.manual_seed(1)
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(WORDS), n_embd=16, n_layer=1, n_head=2, n_positions=256, eos_token_id=1, pad_token_id=0, bos_token_id=1))

if __name__ == "__main__":
    model.save_pretrained(sys.argv[1])
    tokenizer.save_pretrained(sys.argv[1])
