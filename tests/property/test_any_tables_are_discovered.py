"""No tables make discovery fail: columns of one name and other types, of one value or none, without rows, infinite."""

import random
import warnings
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.rules.discovery import Rows, find_rules
from profiling_core.ingest.infer import schema_of

NAMES = ("id", "code", "level", "amount", "day", "state", "parent_id", "until", "total", "share")
KINDS: Mapping[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "counts": (pa.int64(), lambda n: n),
    "large": (pa.int64(), lambda n: 2**62 + n),
    "fractions": (pa.float64(), lambda n: n / 4),
    "infinite": (pa.float64(), lambda n: float("inf") if n == 3 else float(n)),
    "amounts": (pa.decimal128(18, 2), lambda n: Decimal(n).scaleb(-2)),
    "codes": (pa.string(), lambda n: f"C{n:03}"),
    "digits": (pa.string(), str),
    "flags": (pa.bool_(), lambda n: n % 2 == 0),
    "days": (pa.date32(), lambda n: date(2024, 1, 1) + timedelta(n)),
    "moments": (pa.timestamp("us", "UTC"), lambda n: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=n)),
    "times": (pa.string(), lambda n: time(n % 24, n % 60).isoformat()),
    "constant": (pa.int64(), lambda _: 7),
    "empty": (pa.string(), lambda _: None),
}


def some_tables(seed: int) -> list[Rows]:
    """One to four tables whose columns share names and values, but often no type."""
    rng = random.Random(seed)
    return [_table(f"t{place}", rng) for place in range(rng.randint(1, 4))]


def _table(name: str, rng: random.Random) -> Rows:
    size = rng.choice([0, 1, 2, 13, 30, 60])
    shared = [rng.randint(0, 20) for _ in range(size)]
    columns: dict[str, pa.Array] = {"id": _column(rng.choice(("counts", "codes")), range(size), 0.0, rng)}
    for column in rng.sample(NAMES, rng.randint(1, 7)):
        numbers = rng.choice([shared, [*range(size)], [rng.randint(0, 30) for _ in range(size)]])
        columns.setdefault(column, _column(rng.choice([*KINDS]), numbers, rng.choice([0, 0, 0, 0.2, 0.9]), rng))
    table = pa.table(columns)
    return Rows(schema_of(name, table.schema, name), table)


def _column(kind: str, numbers: Any, gaps: float, rng: random.Random) -> pa.Array:
    kept, make = KINDS[kind]
    return pa.array([None if rng.random() < gaps else make(n) for n in numbers], kept)


@pytest.mark.parametrize("seed", range(24))
def test_any_tables_are_discovered_without_a_warning(seed):
    tables = some_tables(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = find_rules(tables, ENDLESS)
    assert [one.name for one in found] == [rows.schema.table for rows in tables]


def test_a_number_and_a_text_of_one_name_beside_each_other_are_compared_as_nothing():
    """A child's number and its parent's text of the same name, along a reference within the table and across."""
    children = pa.table(
        {"id": range(40), "parent_id": [f"P{n % 8}" for n in range(40)], "level": [n % 5 for n in range(40)]}
    )
    parents = pa.table({"parent_id": [f"P{n}" for n in range(8)], "level": [f"{n}. OG" for n in range(8)]})
    found = find_rules(
        [Rows(schema_of(n, t.schema, n), t) for n, t in (("children", children), ("parents", parents))], ENDLESS
    )
    texts = {one.constraint.text for table in found for one in table.rules.shown}
    assert "children.parent_id ⊆ parents.parent_id" in texts
