"""What tables are known to live by, and the made-up businesses that were written for it: both are data.

``data/known_rules.csv`` has a line per rule, ``data/businesses.zip`` the tables of the businesses by round;
``data/README.md`` says what their columns mean and where they come from.
"""

import csv
import io
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from profiling_core.ingest.files import read_table

DATA = Path(__file__).parent / "data"


class Known(NamedTuple):
    """A rule: its kind, its columns (those of another table with its name before them), and why it is one."""

    kind: str
    columns: frozenset[str]
    reason: str


class Table(NamedTuple):
    """What is known of one table, and what a person would sign besides."""

    known: tuple[Known, ...]
    more: tuple[Known, ...] = ()


def known_of(round_: str) -> dict[str, dict[str, Table]]:
    """The lists of a round: per business (or place of public tables), per table; empty for an unknown round."""
    found: dict[str, dict[str, Table]] = {}
    for line in _lines():
        if line["round"] == round_:
            tables = found.setdefault(line["business"], {})
            listed = tables.get(line["table"], Table((), ()))
            rule = Known(line["kind"], frozenset(line["columns"].split()), line["reason"])
            tables[line["table"]] = listed._replace(**{line["listed"]: (*getattr(listed, line["listed"]), rule)})
    return found


@cache
def _lines() -> tuple[dict[str, str], ...]:
    with (DATA / "known_rules.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def tables_of(round_: str, business: str) -> dict[str, pa.Table]:
    """A business's tables: typed ones as they are, exports as they come back from CSV files."""
    with zipfile.ZipFile(DATA / "businesses.zip") as packed, TemporaryDirectory() as directory:
        return dict(_tables(packed, f"{round_}/{business}/", Path(directory)))


def _tables(packed: zipfile.ZipFile, place: str, directory: Path) -> Iterator[tuple[str, pa.Table]]:
    for member in (name for name in packed.namelist() if name.startswith(place)):
        path = directory / Path(member).name
        if path.suffix == ".parquet":
            yield path.stem, pq.read_table(io.BytesIO(packed.read(member)))
        else:
            path.write_bytes(packed.read(member))
            yield path.stem, read_table(path, null_values=None)[1]
