"""Grades an answer by the assertions of its row, as promptfoo does: the mean of their scores, by weight."""

import functools
import json
import re

MODULES = {}  # Python files that assertions call


def grade(sample, item):
    output, total, weights = sample.get("output_text") or "", 0.0, 0.0
    for check in item["assert"]:
        weight = check.get("weight", 1)
        total += weight * score(check, output, item["vars"])
        weights += weight
    return total / weights


def score(check, output, variables):
    kind, value = check["type"], check.get("value")
    denied = kind.startswith("not-")
    kind = kind.removeprefix("not-")
    if kind == "python":
        got = called(check, output, {"vars": variables})
        if isinstance(got, dict):
            return float(got["score"])
        if isinstance(got, str) and got.lower() in ("true", "false"):
            got = got.lower() == "true"
        return float(got != denied) if isinstance(got, bool) else float(got)
    return float(holds(kind, value, output, check.get("threshold")) != denied)


def holds(kind, value, output, threshold):
    low = output.lower()
    if kind == "equals":
        if isinstance(value, (dict, list)):
            try:
                return json.loads(output) == value
            except ValueError:
                return False
        return output == text(value)
    if kind == "contains":
        return text(value) in output
    if kind == "icontains":
        return text(value).lower() in low
    if kind == "contains-any":
        return any(v in output for v in values(value))
    if kind == "contains-all":
        return all(v in output for v in values(value))
    if kind == "icontains-any":
        return any(v.lower() in low for v in values(value))
    if kind == "icontains-all":
        return all(v.lower() in low for v in values(value))
    if kind == "starts-with":
        return output.startswith(text(value))
    if kind == "regex":
        return re.search(re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", text(value)), output) is not None
    if kind == "is-json":
        try:
            json.loads(output, parse_constant=refuse)
            return True
        except ValueError:
            return False
    if kind == "levenshtein":
        return distance(output, text(value)) <= (5 if threshold is None else threshold)
    raise ValueError(f"an assertion of type {kind} has no counterpart here")


def refuse(name):
    raise ValueError(f"{name} is no JSON")


def text(value):
    """Writes a value as JavaScript's String does."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value)


def values(value):
    if isinstance(value, list):
        return [text(v) for v in value]
    return [v.strip() for v in text(value).split(",") if v.strip()]


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


@functools.cache
def loaded(path):
    names = {"__name__": path.removesuffix(".py")}
    exec(compile(MODULES[path], path, "exec"), names)
    return names


def called(check, output, context):
    if check.get("function"):
        path, _, name = check["function"].rpartition(":")
        return loaded(path)[name](output, context)
    code = check["value"]
    if "\n" in code:
        lines = "".join(f"    {line}\n" for line in code.splitlines())
    else:
        lines = f"    return {code}\n"
    names = {"json": json, "re": re}
    exec(f"def main(output, context):\n{lines}", names)
    return names["main"](output, context)
