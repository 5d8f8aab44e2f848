"""Writes the traces of a run as prime-rl's training does: samples.py TRACES STEP FOLDER

FOLDER/rollouts gets them as its file monitor has them, and FOLDER/samples.json the page that `prime train rollouts` prints, of the rows that
prime-runs uploads of a hosted training. The table is kept from pyarrow, which is not installed.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import verifiers.v1 as vf

rows = []
arrow = SimpleNamespace(
    schema=lambda columns: columns, string=str, int64=int, float64=float, timestamp=lambda *a, **k: str,
    Table=SimpleNamespace(from_pylist=lambda list, schema: rows.extend(list)), parquet=SimpleNamespace(write_table=lambda *a, **k: None),
)  # fmt: skip
sys.modules.update({"pyarrow": arrow, "pyarrow.parquet": arrow.parquet})

from prime_runs.projection import episodes_to_parquet_bytes  # noqa: E402

traces, step, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
episodes = [vf.WireEpisode.model_validate_json(line) for line in open(traces)]
for n, episode in enumerate(episodes):
    episode.id = f"{episode.id}-{step}"
    kind = vf.EvalWorkInfo if n % 4 == 3 else vf.TrainWorkInfo
    episode.run = vf.TrainRunInfo(id="r", work=kind(step=step, policy=vf.PolicySpan(start=step - 1, end=step)))
    for subset in ["all", "effective"] if episode.ok else ["all"]:
        path = folder / "rollouts" / f"step_{step}" / episode.run.work.type / subset
        path.mkdir(parents=True, exist_ok=True)
        with open(path / "traces.jsonl", "a") as f:
            f.write(json.dumps(episode.to_record(), default=str) + "\n")
trained = [e for e in episodes if e.run.work.type == "train"]
episodes_to_parquet_bytes(trained, "r", step)
page = {"run_id": "r", "samples": rows, "total": len(rows), "page": 1, "limit": 100, "total_pages": 1}
(folder / "samples.json").write_text(json.dumps(page, default=str))
