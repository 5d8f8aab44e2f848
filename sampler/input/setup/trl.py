"""Reads a training script of TRL without running it: trl.py FILE prints what its trainer is called with, as JSON."""

import ast
import json
import sys

source = open(sys.argv[1], encoding="utf-8").read()
tree = ast.parse(source, sys.argv[1])

# What each name at the top level is, the last assignment, import or definition.
top = {}
for node in tree.body:
    names = []
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names = [node.name]
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [(a.asname or a.name).split(".")[0] for a in node.names]
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
    for name in names:
        top[name] = node

# What each name is assigned anywhere, for values inside main().
assigned = {}
for node in ast.walk(tree):
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        assigned.setdefault(node.targets[0].id, []).append(node.value)


def called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def resolved(node):
    """Follows a name that is assigned once."""
    for _ in range(8):
        if not isinstance(node, ast.Name) or len(assigned.get(node.id, [])) != 1:
            break
        node = assigned[node.id][0]
    return node


def literal(node):
    try:
        return ast.literal_eval(resolved(node))
    except ValueError:
        return None


out = {"config": {}, "functions": [], "missing": [], "source": "", "train": None, "hub": None, "model": None}
trainers = 0
for node in ast.walk(tree):
    if not isinstance(node, ast.Call):
        continue
    keys = {k.arg: k.value for k in node.keywords if k.arg}
    if called(node).endswith("Config") and ("num_generations" in keys or called(node) in ("GRPOConfig", "RLOOConfig")):
        out["config"] = {k: literal(v) for k, v in keys.items() if literal(v) is not None}
    if not called(node).endswith("Trainer") or "reward_funcs" not in keys:
        continue
    trainers += 1
    model = keys.get("model", node.args[0] if node.args else None)
    if model is not None:
        model = resolved(model)
        if isinstance(model, ast.Call) and called(model) == "from_pretrained" and model.args:
            model = model.args[0]
        value = literal(model)
        out["model"] = value if isinstance(value, str) else None
    functions = resolved(keys["reward_funcs"])
    for f in functions.elts if isinstance(functions, (ast.List, ast.Tuple)) else [functions]:
        if isinstance(f, ast.Name) and isinstance(top.get(f.id), (ast.FunctionDef, ast.AsyncFunctionDef)):
            out["functions"].append(f.id)
        else:
            out["missing"].append(ast.get_source_segment(source, f))
    data = resolved(keys["train_dataset"]) if "train_dataset" in keys else None
    for call in [n for n in ast.walk(data) if isinstance(n, ast.Call)] if data is not None else []:
        words = {k.arg: k.value for k in call.keywords if k.arg}
        if called(call) == "load_dataset" and call.args:
            name = literal(call.args[0])
            if name in ("json", "parquet"):
                files = literal(words["data_files"]) if "data_files" in words else None
                out["train"] = files.get("train") if isinstance(files, dict) else files
            else:
                out["hub"] = name
        elif called(call) in ("from_json", "from_parquet") and call.args:
            out["train"] = literal(call.args[0])
        elif called(call) in ("map", "filter", "select", "shuffle", "rename_column", "rename_columns", "remove_columns"):
            out.setdefault("changed", []).append(called(call))
out["trainers"] = trainers

# The functions with what they need of the rest of the file, in its order.
needed, todo = set(), list(out["functions"])
while todo:
    name = todo.pop()
    if name in needed or name not in top:
        continue
    needed.add(name)
    todo += [n.id for n in ast.walk(top[name]) if isinstance(n, ast.Name)]
keep = {id(top[n]): top[n] for n in needed}
keep |= {id(n): n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module == "__future__"}


def text(node):
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return "\n".join(source.splitlines()[first - 1 : node.end_lineno])


parts = [text(n) for n in sorted(keep.values(), key=lambda n: n.lineno)]
out["source"] = "\n\n".join(parts) + "\n" if out["functions"] else ""
json.dump(out, sys.stdout)
