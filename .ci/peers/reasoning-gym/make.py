"""Writes rows of reasoning-gym's datasets as its users train on them, and what the package says of answers: make.py ROWS

With a second file, JSON lines of {"row", "answer"}, it prints the package's score of each answer instead: make.py ROWS ANSWERS
"""

import json
import sys

import reasoning_gym

DATASETS = {"chain_sum": 6, "leg_counting": 6, "number_sorting": 4, "basic_arithmetic": 4}

entries = [entry for name, size in DATASETS.items() for entry in reasoning_gym.create_dataset(name, size=size, seed=7)]
if len(sys.argv) == 2:
    with open(sys.argv[1], "w") as rows:
        for i, e in enumerate(entries):
            row = {"id": f"row-{i}", "messages": [{"role": "user", "content": e["question"]}], "answer": e["answer"], "metadata": e["metadata"]}
            print(json.dumps(row), file=rows)
else:
    scores = []
    for line in open(sys.argv[2]):
        said = json.loads(line)
        entry = entries[int(said["row"].removeprefix("row-"))]
        score = reasoning_gym.get_score_answer_fn(entry["metadata"]["source_dataset"])
        scores.append(score(said["answer"], entry))
    print(json.dumps(scores))
