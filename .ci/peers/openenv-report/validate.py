"""Reads reports with OpenEnv's own ValidationReport, and prints the verdict that its policy gives each: validate.py FILE...

Without a file it prints what CI records: fields, required fields and values of the schema, and the policy's entries of level 4."""

import importlib.util
import json
import sys
from pathlib import Path

PACKAGE = Path(importlib.util.find_spec("openenv").submodule_search_locations[0]) / "validation"


def module(name):
    """A module of the package without its __init__, which imports servers and clients."""
    full = "openenv.validation." + name
    spec = importlib.util.spec_from_file_location(full, PACKAGE / (name + ".py"))
    sys.modules[full] = made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


class Bare:
    """A package that is only a path."""

    def __init__(self, path):
        self.__path__ = [str(path)]
        self.__spec__ = None


sys.modules["openenv"], sys.modules["openenv.validation"] = Bare(PACKAGE.parent), Bare(PACKAGE)
types = module("types")
module("manifest")
report = module("report")
policy = module("policy")
severity = policy.SeverityPolicy.model_validate_json((PACKAGE / "policies" / "severity-v1.json").read_text())

if sys.argv[1:]:
    for file in sys.argv[1:]:
        ours = report.ValidationReport.model_validate_json(Path(file).read_text())
        verdict = policy.apply_policy(ours.results, severity, ours.lane)
        print(json.dumps({"file": Path(file).name, "ours": ours.verdict, "theirs": verdict, "checks": {r.check_id: r.status for r in ours.results}}))
else:
    schema = report.ValidationReport.model_json_schema()
    result = schema["$defs"]["CheckResult"]
    print(json.dumps({
        "report": sorted(schema["properties"]), "report_required": sorted(schema["required"]),
        "result": sorted(result["properties"]), "result_required": sorted(result["required"]),
        "status": [s.value for s in types.CheckStatus], "verdict": [v.value for v in types.Verdict], "lane": [v.value for v in types.Lane],
        "signature": [v.value for v in types.SignatureKind], "version": schema["properties"]["report_schema_version"]["const"],
        "level": {l.name.lower(): int(l) for l in types.Level},
        "checks": {e.check_id: e.severity for e in severity.entries if e.level == types.Level.STATISTICAL},
    }, indent=1))  # fmt: skip
