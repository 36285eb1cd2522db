"""A project's files as a person would put them there: a dataset's configuration, and deltas as CSV files."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml


def write_configuration(project: Path, config: Mapping[str, Any]) -> None:
    path = project / "dags" / "datasets" / f"{config['dataset']}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(dict(config)), encoding="utf-8")


def put(root: Path, files: Mapping[str, str | Mapping[str, Any]]) -> None:
    """Writes files by their paths below a folder: texts, and columns as Parquet."""
    for name, content in files.items():
        (path := root / name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content, "utf-8")
        else:
            pq.write_table(pa.table(dict(content)), path)


def write_delta(project: Path, table: str, delta: str, *rows: Iterable[object]) -> None:
    """Lands rows; the first has the columns' names; a table without a name lands in ``landing`` itself."""
    path = project / "landing" / table / f"{delta}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
