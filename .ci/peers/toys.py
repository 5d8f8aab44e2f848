# Writes graders whose defects are known as gonogo takes them: rows, a reward function of TRL, and rollouts of a made-up
# model that is right more often on some items than on others.
import json, os, random


def write(folder, cases, grader, score):
    """cases has an id, a prompt and an answer each; grader is source that defines it(completion, answer), and score calls it."""
    os.makedirs(folder)
    with open(os.path.join(folder, "train.jsonl"), "w") as f:
        for id, prompt, answer in cases:
            f.write(json.dumps({"id": id, "messages": [{"role": "user", "content": prompt}], "answer": answer}) + "\n")
    with open(os.path.join(folder, "reward.py"), "w") as f:
        f.write(grader + "\n\ndef reward(completions, answer, **kwargs):\n    texts = [c if isinstance(c, str) else c[-1]['content'] for c in completions]\n")
        f.write("    return [it(t, a) for t, a in zip(texts, answer)]\n")
    rng = random.Random(1)
    with open(os.path.join(folder, "rollouts.jsonl"), "w") as f:
        for id, prompt, answer in cases:
            able = rng.random()
            form = "%s"
            if "<answer>" in prompt:
                form = "<answer>%s</answer>"
            elif "boxed" in prompt:
                form = r"So it is \boxed{%s}"
            for k in range(8):
                others = [a for _, _, a in cases if a != answer] or ["none"]
                said = form % (answer if rng.random() < 0.2 + 0.6 * able else rng.choice(others))
                if rng.random() < 0.1:
                    said = "I am not sure about this one."
                f.write(json.dumps({"item": id, "sample": k, "prompt": prompt, "output": said, "reward": score(said, answer)}) + "\n")
