"""Loads a configuration as a script of TRL's user does, and prints what GRPOConfig makes of it: config.py FILE"""

import dataclasses
import json
import sys

import yaml
from trl import GRPOConfig, TrlParser

# What a machine without a GPU needs, on top of the file.
(config,) = TrlParser(GRPOConfig).parse_args_and_config(["--config", sys.argv[1], "--use_cpu", "true", "--bf16", "false", "--report_to", "none"])
asked = yaml.safe_load(open(sys.argv[1]))
print(json.dumps({"asked": asked, "got": {k: getattr(config, k) for k in asked}, "fields": [f.name for f in dataclasses.fields(config)], "generation_batch_size": config.generation_batch_size}, default=str))
