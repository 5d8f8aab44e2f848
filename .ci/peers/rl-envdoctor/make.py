# Writes a folder for each grader of rl-envdoctor's zoo: rows, the grader as a reward function of TRL, and rollouts of a
# made-up model that is right more often on some items than on others. Prints what the package itself finds.
import json, os, random, sys
from envdoctor import zoo

out = sys.argv[1]
for s in zoo.SPECIMENS:
    folder = os.path.join(out, s.name)
    os.makedirs(folder)
    takes = s.reward.__code__.co_argcount
    with open(os.path.join(folder, "train.jsonl"), "w") as f:
        for c in s.cases:
            f.write(json.dumps({"id": c.id, "messages": [{"role": "user", "content": c.prompt}], "answer": c.answer}) + "\n")
    with open(os.path.join(folder, "reward.py"), "w") as f:
        f.write("from envdoctor import zoo\n\nit = next(s for s in zoo.SPECIMENS if s.name == %r)\n\n\n" % s.name)
        f.write("def reward(completions, answer, **kwargs):\n    texts = [c if isinstance(c, str) else c[-1]['content'] for c in completions]\n")
        f.write("    return [it.reward(*[t, a][:%d]) for t, a in zip(texts, answer)]\n" % takes)
    rng = random.Random(1)
    with open(os.path.join(folder, "rollouts.jsonl"), "w") as f:
        for c in s.cases:
            able = rng.random()
            form = "%s"
            if "<answer>" in c.prompt:
                form = "<answer>%s</answer>"
            elif "boxed" in c.prompt:
                form = r"So it is \boxed{%s}"
            for k in range(8):
                others = [o.answer for o in s.cases if o.answer != c.answer] or ["none"]
                said = form % (c.answer if rng.random() < 0.2 + 0.6 * able else rng.choice(others))
                if rng.random() < 0.1:
                    said = "I am not sure about this one."
                reward = s.reward(*[said, c.answer][:takes])
                f.write(json.dumps({"item": c.id, "sample": k, "prompt": c.prompt, "output": said, "reward": reward}) + "\n")
found = {r["name"]: r["passed"] for r in zoo.run()}
print(json.dumps([{"name": s.name, "sound": s.healthy, "theirs": found[s.name]} for s in zoo.SPECIMENS]))
