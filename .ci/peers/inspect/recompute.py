"""Computes the results of logs again, as Inspect AI does after scores are edited, and writes each log again: recompute.py FOLDER FILE...

Prints a JSON object by file: the results and reductions that the log states and those that are computed, the limit of each
sample that ended at one, and where the log was written again.
"""

import json
import os
import sys

from inspect_ai.log import read_eval_log, recompute_metrics, write_eval_log


def results(log):
    return {
        "results": log.results.model_dump(mode="json"),
        "reductions": {
            f"{r.scorer} {r.reducer}": {str(s.sample_id): s.value for s in r.samples} for r in log.reductions or []
        },
    }


out = {}
for file in sys.argv[2:]:
    log = read_eval_log(file)
    again = os.path.join(sys.argv[1], "again-" + os.path.basename(file))
    write_eval_log(log, again)
    stated = results(log)
    recompute_metrics(log)
    out[file] = {
        "stated": stated,
        "computed": results(log),
        "limits": {f"{s.id} {s.epoch}": s.limit.type for s in log.samples if s.limit},
        "again": again,
    }
json.dump(out, sys.stdout)
