"""A dataset file of three tables, for projects that have hundreds."""

_DATASET = """\
dataset: {name}
description: One of many
start_date: "2024-01-01"
retries: 3
timeout_minutes: 20
tables:
  orders:
    source: {{path: landing/{name}/orders, format: csv, kind: changes}}
    key: [id]
  items:
    source: {{path: landing/{name}/items, format: parquet, kind: append}}
    errors: {{fd: 0.01}}
  customers:
    source: {{path: landing/{name}/customers, format: jsonl, kind: snapshot}}
alerts: {{min_held_deltas: 3}}
"""


def dataset_file(name: str) -> str:
    """The file of a dataset of that name."""
    return _DATASET.format(name=name)
