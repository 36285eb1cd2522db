"""Brings a CSV file into the normal form of benchmarks/datasets.py: ``normal_form.py in.csv out.csv``."""

import csv
import sys
from datetime import date, datetime
from pathlib import Path

from profiling_core.ingest.files import read_table
from profiling_core.model.types import LogicalType

_INTEGERS = (LogicalType.INTEGER, LogicalType.DATE, LogicalType.TIMESTAMP)
_MISSING = -999999


def main(source: Path, target: Path) -> None:
    schema, table = read_table(source)
    header, columns = [], []
    for column in schema.columns:
        values = table[column.name].to_pylist()
        kind = "Integer" if column.type in _INTEGERS else "Double" if column.type.name in ("DECIMAL", "FLOAT") else ""
        header.append(f"{column.name}({kind or 'String'})")
        columns.append([_number(v) if kind else _text(v) for v in values])
    part = target.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONE, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(zip(*columns, strict=True))
    part.rename(target)


def _number(value: object) -> object:
    if isinstance(value, datetime):
        return int(value.timestamp())
    if isinstance(value, date):
        return value.toordinal()
    return _MISSING if value is None else value


def _text(value: object) -> str:
    text = "" if value is None else str(value)
    return "s" + " ".join(text.replace(",", ";").replace('"', "'").split())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
