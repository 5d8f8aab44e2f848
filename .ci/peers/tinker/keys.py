"""Prints the keys of tinker-cookbook's rl.train.Config, one a line, with those of the dataset builder of its recipe rl_basic"""

import ast
import importlib.util
from pathlib import Path

PACKAGE = Path(importlib.util.find_spec("tinker_cookbook").submodule_search_locations[0])


def classes(file):
    return {c.name: c for c in ast.parse((PACKAGE / file).read_text()).body if isinstance(c, ast.ClassDef)}


def fields(cls):
    return [f.target.id for f in cls.body if isinstance(f, ast.AnnAssign)]


builders = classes("recipes/math_rl/math_env.py")
recipe = ast.parse((PACKAGE / "recipes/rl_basic.py").read_text())
(used,) = {n.id for n in ast.walk(recipe) if isinstance(n, ast.Name)} & set(builders)
keys = fields(classes("rl/train.py")["Config"]) + ["dataset_builder." + f for f in fields(builders[used])]
print("\n".join(sorted(keys)))
