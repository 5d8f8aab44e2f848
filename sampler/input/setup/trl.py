"""Reads a training script of TRL without running it: trl.py FILE prints what its trainer is called with, as JSON."""

import ast
import json
import symtable
import sys
import tokenize

with tokenize.open(sys.argv[1]) as file:
    source = file.read()
tree = ast.parse(source, sys.argv[1])
METHODS = (
    "add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort", "update",
)  # fmt: skip
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def bound(node):
    """Returns the names that a statement binds or changes, but not those that are local to a definition."""
    if isinstance(node, DEFINITIONS):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(a.asname or a.name).split(".")[0] for a in node.names]
    if isinstance(node, ast.Expr):
        call = node.value
        changes = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in METHODS
        return [call.func.value.id] if changes and isinstance(call.func.value, ast.Name) else []
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.value, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.value.id]
    if isinstance(node, ast.If) and "__main__" in ast.dump(node.test):
        return []
    return [name for child in ast.iter_child_nodes(node) for name in bound(child)]


# The statements at the top level that bind or change each name.
top = {}
for node in tree.body:
    for name in bound(node):
        top.setdefault(name, []).append(node)
defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}

# What each name is assigned anywhere, for values inside main(); twice if it is changed.
assigned = {}
for node in ast.walk(tree):
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        assigned.setdefault(node.targets[0].id, []).append(node.value)
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr)):
        for name in bound(node):
            assigned.setdefault(name, []).append(node)


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
        value = ast.literal_eval(resolved(node))
        json.dumps(value)
        return value
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


SAMPLING = ("temperature", "top_p", "top_k", "min_p", "max_completion_length", "num_generations", "reward_weights")


def configure(keywords):
    """Keeps the arguments of a configuration, and the names of those that are computed."""
    keys = {k.arg: k.value for k in keywords if k.arg}
    out["config"] = {k: literal(v) for k, v in keys.items() if literal(v) is not None}
    out["computed"] = [k for k in SAMPLING if k in keys and k not in out["config"] and ast.dump(keys[k]) != NONE]
    out["computed"] += ["**" + ast.unparse(k.value) for k in keywords if not k.arg]


CHANGES = (
    "add_column", "cast", "cast_column", "concatenate_datasets", "filter", "interleave_datasets", "map", "remove_columns",
    "rename_column", "rename_columns", "select", "select_columns", "shard", "shuffle", "skip", "sort", "take", "train_test_split",
)  # fmt: skip
NONE = ast.dump(ast.Constant(None))
out = {"config": {}, "functions": [], "missing": [], "source": "", "train": None, "hub": None, "model": None}
trainers, configs = 0, []
for node in ast.walk(tree):
    if not isinstance(node, ast.Call):
        continue
    keys = {k.arg: k.value for k in node.keywords if k.arg}
    if called(node).endswith("Config") and ("num_generations" in keys or called(node) in ("GRPOConfig", "RLOOConfig")):
        configs.append(node)
    if not called(node).endswith("Trainer") or "reward_funcs" not in keys:
        continue
    trainers += 1
    args = resolved(keys.get("args"))
    model = keys.get("model", node.args[0] if node.args else None)
    if model is not None:
        model = resolved(model)
        if isinstance(model, ast.Call) and called(model) == "from_pretrained" and model.args:
            model = model.args[0]
        value = literal(model)
        out["model"] = value if isinstance(value, str) else None
    functions = resolved(keys["reward_funcs"])
    for f in functions.elts if isinstance(functions, (ast.List, ast.Tuple)) else [functions]:
        if isinstance(f, ast.Name) and f.id in defined:
            out["functions"].append(f.id)
        else:
            out["missing"].append(ast.get_source_segment(source, f))
    if "eval_dataset" in keys:
        held = resolved(keys["eval_dataset"])
        words = {k.arg: k.value for k in held.keywords} if isinstance(held, ast.Call) else {}
        files = literal(words["data_files"]) if "data_files" in words else None
        if isinstance(held, ast.Call) and called(held) in ("from_json", "from_parquet") and held.args:
            files = literal(held.args[0])
        out["eval"] = files if isinstance(files, str) else None
        out["held"] = ast.get_source_segment(source, keys["eval_dataset"])
    data = resolved(keys["train_dataset"]) if "train_dataset" in keys else None
    for call in [n for n in ast.walk(data) if isinstance(n, ast.Call)] if data is not None else []:
        words = {k.arg: k.value for k in call.keywords if k.arg}
        if called(call) == "load_dataset" and call.args:
            name = literal(call.args[0])
            split = literal(words["split"]) if "split" in words else None
            if isinstance(split, str) and ("[" in split or "+" in split):
                out.setdefault("changed", []).append(f"split={split}")
            if name in ("json", "parquet"):
                files = literal(words["data_files"]) if "data_files" in words else None
                out["train"] = files.get("train") if isinstance(files, dict) else files
            else:
                out["hub"] = name
        elif called(call) in ("from_json", "from_parquet") and call.args:
            out["train"] = literal(call.args[0])
        elif called(call) in CHANGES:
            out.setdefault("changed", []).append(called(call))
out["trainers"] = trainers
if trainers == 1 and isinstance(args, ast.Call) and called(args).endswith("Config"):
    configs = [args]
out["configs"] = len(configs)
if len(configs) == 1:
    configure(configs[0].keywords)


def text(node):
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return "\n".join(source.split("\n")[first - 1 : node.end_lineno])


def globals_of(table):
    """Returns the names of a scope and of those in it that are looked up at the top level."""
    names = [s.get_name() for s in table.get_symbols() if s.is_global() or table.get_type() == "module" and s.is_referenced()]
    return names + [name for inner in table.get_children() for name in globals_of(inner)]

# The functions with what they need of the rest of the file, in its order.
needed, todo, keep = set(), list(out["functions"]), {}
keep = {n.lineno: n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module == "__future__"}
while todo:
    name = todo.pop()
    if name in needed:
        continue
    needed.add(name)
    for node in top.get(name, []):
        keep[node.lineno] = node
        todo += globals_of(symtable.symtable(text(node), sys.argv[1], "exec"))

parts = [text(keep[line]) for line in sorted(keep)]
out["source"] = "\n\n".join(parts) + "\n" if out["functions"] else ""
json.dump(out, sys.stdout)
