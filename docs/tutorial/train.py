"""A stand-in for a training, for the tutorial: a script that writes verl's rollout log.

It takes the rows in the order of the file, 16 a step, with 8 rollouts each, and
leaves out fewer items from step to step: one in four at first, one in twenty at
the end. Nothing is trained.

    python3 train.py first.pilot-train.jsonl first.out/rollouts 20
"""

import json
import os
import random
import re
import sys

rows_file, out, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
rows = [json.loads(line) for line in open(rows_file)]
rng = random.Random(1)
os.makedirs(out, exist_ok=True)
for step in range(1, steps + 1):
    left_out = 0.25 - 0.2 * (step - 1) / (steps - 1)
    with open(f"{out}/{step}.jsonl", "w") as log:
        for i in range(16):
            row = rows[((step - 1) * 16 + i) % len(rows)]
            question = row["prompt"][-1]["content"]
            order = re.findall(r"(\d+) [a-z]+ at (\d+) euros", question)
            for _ in range(8):
                total = str(sum(int(count) * int(price) for count, price in order if rng.random() > left_out))
                print(json.dumps({"input": f"user\n{question}\nassistant\n", "output": total, "step": step,
                                  "gts": row["reference_answer"], "score": float(total == row["reference_answer"])}),
                      file=log)
