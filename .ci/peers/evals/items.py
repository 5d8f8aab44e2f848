"""Reads output items as openai's client reads those of the API, one per line: items.py FILE

Prints as JSON what it reads of each, in order.
"""

import json
import sys

from openai.types.evals.runs import OutputItemListResponse

out = []
for line in open(sys.argv[1]):
    item = OutputItemListResponse.construct(**json.loads(line))
    out.append(
        {
            "item": item.datasource_item_id,
            "run": item.run_id,
            "status": item.status,
            "scores": {r.name: r.score for r in item.results},
            "error": item.sample.error.message if item.sample.error else None,
            "answer": item.sample.output[-1].content if item.sample.output else "",
            "output_tokens": item.sample.usage.completion_tokens if getattr(item.sample, "usage", None) else 0,
        }
    )
json.dump(out, sys.stdout)
