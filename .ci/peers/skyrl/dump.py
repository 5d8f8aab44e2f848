"""Has SkyRL dump evaluations of a step, and prints the metrics that it computes of the same rollouts: dump.py FOLDER

SkyRL imports Ray and PyTorch with its modules, so its functions are taken from their files, and what they use of NumPy is made up."""

import __future__
import ast
import importlib.util
import json
import os
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

PACKAGE = Path(importlib.util.find_spec("skyrl").submodule_search_locations[0])


def functions(file, *names, **world):
    """The functions of a file of the package, without what else it imports."""
    tree = ast.parse((PACKAGE / file).read_text())
    tree.body = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in names]
    for f in tree.body:
        f.decorator_list = []
    exec(compile(tree, file, "exec", flags=__future__.annotations.compiler_flag), world)  # annotations name what is not imported
    return [world[n] for n in names]


np = SimpleNamespace(mean=lambda list: sum(list) / len(list), maximum=lambda list, least: [max(v, least) for v in list])
(measure,) = functions("train/generators/utils.py", "get_metrics_from_generator_output", np=np, defaultdict=defaultdict, MetricsOutput=dict)
dump, _, metrics_of = functions(
    "train/utils/trainer_utils.py", "dump_per_dataset_eval_results", "sanitize_data_source", "calculate_per_dataset_metrics",
    json=json, Path=Path, logger=MagicMock(), get_metrics_from_generator_output=measure,
)  # fmt: skip

texts = []
tokenizer = SimpleNamespace(decode=lambda ids: "".join(texts[i] for i in ids))


def ids(text):
    texts.append(text)
    return [len(texts) - 1]


def evaluate(step, rows, step_wise=False):
    """What evaluate() of skyrl/train/evaluate.py hands on: metrics of the last step of each trajectory, a dump of all steps."""
    output = {
        "prompt_token_ids": [ids(r["prompt"]) for r in rows],
        "response_ids": [ids(r["response"]) for r in rows],
        "rewards": [r["reward"] for r in rows],
        "stop_reasons": [r["stop"] for r in rows],
    }
    last = [i for i, r in enumerate(rows) if not step_wise or r["last"]]
    scored = {k: [v[i] for i in last] for k, v in output.items()}
    metrics = metrics_of(scored, [rows[i]["uid"] for i in last], [rows[i]["source"] for i in last], 2)
    folder = Path(sys.argv[1]) / "dumped_evals" / f"global_step_{step}_evals"
    os.makedirs(folder, exist_ok=True)
    dump(folder, tokenizer, output, [r["source"] for r in rows], ["gsm8k"] * len(rows), [{"reward_spec": {"ground_truth": r["answer"]}} for r in rows], metrics)
    return metrics


def row(uid, response, reward, answer="5", stop="stop", source="openai/gsm8k", prompt=None, last=True):
    prompt = prompt or f"<|im_start|>user\n{uid}<|im_end|>\n<|im_start|>assistant\n"
    return {"uid": uid, "prompt": prompt, "response": response, "reward": reward, "answer": answer, "stop": stop, "source": source, "last": last}


def step_wise(uid, reward):
    first = row(uid, "<tool_call>look</tool_call><|im_end|>", 0.0, last=False)
    return [first, row(uid, "5<|im_end|>", reward, prompt=first["prompt"] + first["response"] + "<|im_start|>user\nfive<|im_end|>\n<|im_start|>assistant\n")]


if __name__ == "__main__":
    plain = [
        row("2+3?", "5<|im_end|>", 1.0), row("2+3?", "let me th", 0.0, stop="length"), row("3+3?", "5<|im_end|>", 0.0, "6"), row("3+3?", "6<|im_end|>", 1.0, "6"),
        row("1+1?", "2<|im_end|>", [0.0, 0.25, 0.5], "2", source="turns"), row("1+1?", "3<|im_end|>", [0.0, 0.25, 0.0], "2", source="turns"),
    ]  # fmt: skip
    said = {"5": evaluate(5, plain), "10": evaluate(10, step_wise("2+3?", 1.0) + step_wise("2+3?", 0.0) + [row("3+3?", "6<|im_end|>", 1.0, "6")], True)}
    print(json.dumps(said))
