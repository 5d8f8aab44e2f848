"""Prints the configuration that verl's package ships, as JSON, and another one next to it: config.py FILE"""

import importlib.util
import json
import os
import sys

import yaml

package = importlib.util.find_spec("verl").submodule_search_locations[0]
with open(os.path.join(package, "trainer", "config", "_generated_ppo_trainer.yaml")) as shipped, open(sys.argv[1]) as ours:
    print(json.dumps({"shipped": yaml.safe_load(shipped), "ours": yaml.safe_load(ours)}))
