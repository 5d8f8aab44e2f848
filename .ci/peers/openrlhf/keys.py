"""Prints the flags of OpenRLHF's train_ppo_ray, one a line, without those whose names it puts together"""

import ast
import importlib.util
from pathlib import Path

PACKAGE = Path(importlib.util.find_spec("openrlhf").submodule_search_locations[0])
tree = ast.parse((PACKAGE / "cli/train_ppo_ray.py").read_text())
added = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "add_argument"]
flags = [a.value for n in added for a in n.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
print("\n".join(sorted(f.removeprefix("--") for f in flags)))
