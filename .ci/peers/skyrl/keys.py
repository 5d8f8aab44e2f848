"""Prints the keys of SkyRL's training configuration, one a line: the fields of its dataclasses, from SkyRLTrainConfig down"""

import ast
import importlib.util
from pathlib import Path

PACKAGE = Path(importlib.util.find_spec("skyrl").submodule_search_locations[0])
tree = ast.parse((PACKAGE / "train/config/config.py").read_text())
classes = {c.name: c for c in tree.body if isinstance(c, ast.ClassDef)}


def keys(name, prefix=""):
    for field in classes[name].body:
        if not isinstance(field, ast.AnnAssign):
            continue
        yield prefix + field.target.id
        for inner in {n.id for n in ast.walk(field.annotation) if isinstance(n, ast.Name)} & set(classes):
            yield from keys(inner, prefix + field.target.id + ".")


print("\n".join(sorted(keys("SkyRLTrainConfig"))))
