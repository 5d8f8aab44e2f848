"""Prints the number of items, of graded rollouts and the mean of the items' means of each split of a file of
rollouts, as read by DuckDB, by polars or, in pieces, by pandas: what one would write to look at a run."""

import json
import sys


def by_duckdb(path):
    import duckdb

    return duckdb.execute(
        """
        select split, count(*), sum(n), avg(mean) from (
          select split, item, count(*) as n, avg(reward) as mean
          from read_json(?, format = 'newline_delimited',
                         columns = {item: 'VARCHAR', split: 'VARCHAR', outcome: 'VARCHAR', reward: 'DOUBLE'})
          where outcome = 'graded' group by split, item)
        group by split""",
        [path],
    ).fetchall()


def by_polars(path):
    import polars as pl

    rows = pl.scan_ndjson(
        path, schema={"item": pl.String, "split": pl.String, "outcome": pl.String, "reward": pl.Float64}
    )
    items = (
        rows.filter(pl.col("outcome") == "graded")
        .group_by("split", "item")
        .agg(pl.len().alias("n"), pl.col("reward").mean().alias("mean"))
    )
    splits = items.group_by("split").agg(pl.len().alias("items"), pl.col("n").sum(), pl.col("mean").mean())
    return splits.collect(engine="streaming").rows()


def by_pandas(path):
    import pandas as pd

    pieces = pd.read_json(path, lines=True, chunksize=2000)
    rows = pd.concat(p.loc[p.outcome == "graded", ["split", "item", "reward"]] for p in pieces)
    items = rows.groupby(["split", "item"]).reward.agg(["count", "mean"]).reset_index()
    splits = items.groupby("split").agg(items=("item", "size"), n=("count", "sum"), mean=("mean", "mean"))
    return [(split, int(s["items"]), int(s["n"]), float(s["mean"])) for split, s in splits.iterrows()]


read = {"duckdb": by_duckdb, "polars": by_polars, "pandas": by_pandas}[sys.argv[1]]
print(json.dumps({split: [items, n, mean] for split, items, n, mean in read(sys.argv[2])}))
