# Has one of the three packages audit a reward function, and prints what its own report calls paid though it should not be.
#
#   side_by_side.py PACKAGE FOLDER
import importlib.util, json, os, re, sys


def load(folder):
    spec = importlib.util.spec_from_file_location("reward", os.path.join(folder, "reward.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reward


def rows(folder):
    with open(os.path.join(folder, "train.jsonl")) as f:
        return [json.loads(line) for line in f]


def envdoctor(folder):
    from envdoctor.checks import run_checks
    from envdoctor.runner import scan
    from envdoctor.targets import FunctionTarget
    from envdoctor.types import Case, Severity

    reward, cases = load(folder), [Case(id=r["id"], prompt=r["prompt"], answer=r["reference_answer"], info=r) for r in rows(folder)]
    call = lambda completion, info: reward([completion], **{k: [v] for k, v in info.items()})[0]
    report = run_checks(scan(FunctionTarget(call, cases), n_cases=len(cases)))
    worse = [f for f in report.findings if Severity.rank(f.severity) <= Severity.rank(Severity.MEDIUM)]
    return {"found": sorted({f.check for f in worse}), "note": "; ".join(f.title for f in worse)}


def falsepass(folder):
    from pathlib import Path
    from falsepass import report, runner

    audit = os.path.join(folder, "falsepass")
    os.makedirs(audit, exist_ok=True)
    keys = {"id": "local/reward", "framework": "reward", "task": os.path.join(folder, "reward.py"),
            "dataset": os.path.join(folder, "train.jsonl"), "functions": ["reward"]}  # as falsepass init writes them
    with open(os.path.join(audit, "env.toml"), "w") as f:
        f.write("[env]\n" + "".join("%s = %s\n" % (k, json.dumps(v)) for k, v in keys.items()))
    said = report.digest(runner.run(Path(audit), n=len(rows(folder))))
    return {"found": [f["probe"] + "/" + f["variant"] for f in said["failing"] if f["expected"] == "zero"],
            "note": said.get("reason", "") + "; ".join(said.get("facts_that_hold", []))}


def reward_doctor(folder):
    from reward_doctor import audit, corpus

    reward, number = load(folder), re.compile(r"-?\d+(\.\d+)?")
    cases = [c for c in corpus.load() if number.fullmatch(c.reference)]  # its cases bring references of their own, and no rows
    row = lambda text: {"reference_answer": [text], "figure": [text], "value": [float(text)], "unit": ["ratio"]}
    found = audit(lambda completion, reference: reward([completion], **row(reference))[0], cases=cases, threshold=0.9)  # partial credit is no hole
    return {"found": sorted(found.attacks_that_work), "note": found.headline}


print(json.dumps({"rl-envdoctor": envdoctor, "falsepass": falsepass, "reward-doctor": reward_doctor}[sys.argv[1]](os.path.abspath(sys.argv[2]))))
