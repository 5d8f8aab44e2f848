"""Prints the flags of eval-protocol's create rft, one a line, as its own parser has them"""

import argparse
import os

os.environ.setdefault("FIREWORKS_API_KEY", "none")  # its client asks for one when the parser is made
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

parsers = []
made = argparse.ArgumentParser.__init__


def remember(self, *args, **kwargs):
    made(self, *args, **kwargs)
    parsers.append(self)


argparse.ArgumentParser.__init__ = remember

from eval_protocol import cli

try:
    cli.parse_args(["create", "rft", "--dry-run"])
except SystemExit:
    pass
(rft,) = [p for p in parsers if p.prog.endswith("create rft")]
flags = {s.removeprefix("--") for a in rft._actions for s in a.option_strings if s.startswith("--")}
print("\n".join(sorted(flags)))
