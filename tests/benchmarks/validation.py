"""What suites cost on Spark, and their queries in PostgreSQL, at a million rows: ``make bench-validation``.

Every kind of expectation is run by Great Expectations over a Parquet file of a million orders, beside one full scan of
it, which reads every value once and adds up their hashes. A hundred rows are wrong in every column, so that there are
rows to find and to name; one order DC holds almost nowhere. Scan and checks are run twice, and the second is shown:
the first compiles.
"""

import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.datasets import REPOSITORY
from benchmarks.pages import seconds, table, write_page
from benchmarks.validation_postgres import measured
from profiling_core.emit.suites import SuiteRequest, emit_suites
from profiling_core.model.change import ChangeSet, LifecycleState
from profiling_core.model.constraint import (
    ColumnList,
    Constraint,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    Measured,
    UniqueColumnCombination,
)
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.source import Source
from profiling_core.model.types import LogicalType
from profiling_core.spark.session import spark_session
from profiling_core.validate.execution import execute_suite
from profiling_core.validate.in_spark import SparkTables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 1_000_000
WRONG = 100
CUSTOMERS = 50_000
_INTEGER, _FLOAT, _TEXT = LogicalType.INTEGER, LogicalType.FLOAT, LogicalType.STRING
_TICKS = os.sysconf("SC_CLK_TCK")
SCHEMAS = {
    "orders": TableSchema(
        "orders",
        (
            Column("id", _INTEGER, ordered=True),
            Column("customer", _INTEGER, ordered=True),
            Column("zip", _INTEGER, ordered=True),
            Column("city", _TEXT, ordered=False),
            Column("placed", _INTEGER, ordered=True),
            Column("shipped", _INTEGER, ordered=True),
            Column("price", _FLOAT, ordered=True),
            Column("code", _TEXT, ordered=False),
            Column("state", _TEXT, ordered=False),
        ),
    ),
    "customers": TableSchema("customers", (Column("id", _INTEGER, ordered=True),)),
}


def _dc(*texts: str) -> DenialConstraint:
    """A denial constraint of predicates such as ``id < s.id``; ``s`` is another row."""
    parts = (text.split() for text in texts)
    sides = ((left, Operator(op), right.removeprefix("s."), right.startswith("s.")) for left, op, right in parts)
    predicates = (Predicate(Operand("t", left), op, Operand("ts"[other], right)) for left, op, right, other in sides)
    return DenialConstraint("orders", tuple(predicates))


def _of(*columns: str, of: str = "orders") -> ColumnList:
    return ColumnList(of, columns)


CONSTRAINTS: dict[str, Constraint] = {
    "FD": FunctionalDependency(_of("zip"), _of("city")),
    "FD of two columns": FunctionalDependency(_of("zip", "state"), _of("city")),
    "key": UniqueColumnCombination(_of("id")),
    "key of two columns": UniqueColumnCombination(_of("customer", "placed")),
    "IND": InclusionDependency(_of("customer"), _of("id", of="customers")),
    "order DC": _dc("id < s.id", "placed > s.placed"),
    "order DC that most rows break": _dc("id < s.id", "shipped > s.shipped"),
    "order DC in groups": _dc("state = s.state", "id < s.id", "placed > s.placed"),
    "order DC of ≤ and ≥": _dc("id ≤ s.id", "placed ≥ s.placed"),
    "DC of two columns in groups": _dc("state = s.state", "id < s.id", "placed > s.shipped"),
    "DC of an order and a difference": _dc("zip = s.zip", "id ≤ s.id", "city ≠ s.city"),
    "DC of two differences": _dc("zip = s.zip", "city ≠ s.city", "price ≠ s.price"),
    "single-row DC": _dc("placed > shipped"),
    "not null": ColumnRule("orders", "price", Rule.NOT_NULL),
    "set of values": ColumnRule("orders", "state", Rule.VALUES, values=("CA", "NJ", "NY", "TX")),
    "range": ColumnRule("orders", "price", Rule.RANGE, "0.0", "1000.0"),
    "pattern": ColumnRule("orders", "code", Rule.PATTERN, values=("A9",)),
}


def orders(count: int) -> pa.Table:
    """Orders that obey every constraint but for a hundred that are wrong in every column."""
    rng = np.random.default_rng(0)
    ids = np.arange(count)
    zips, states = rng.integers(0, 20_000, count), rng.integers(0, 4, count)
    placed = ids * 3
    shipped = placed + rng.integers(0, 100, count)
    customers, price = rng.integers(0, CUSTOMERS, count), rng.random(count) * 1000
    city = np.char.add("city ", (zips // 3).astype(str)).astype(object)
    code = np.char.add("AB", rng.integers(100, 10**6, count).astype(str)).astype(object)
    state = np.array(["CA", "NJ", "NY", "TX"], object)[states]
    wrong = rng.choice(np.arange(10, count), WRONG, replace=False)
    # each was placed when the row seven before it was, and the first two by its customer
    ids[wrong], placed[wrong], customers[wrong] = ids[wrong - 1], placed[wrong - 7], CUSTOMERS + 1
    customers[wrong[:2] - 7] = CUSTOMERS + 1
    shipped[wrong], price[wrong], city[wrong], code[wrong] = -1, -1.0, "elsewhere", "b-1"
    state[wrong[: WRONG // 2]] = "XX"  # the others stay in their groups, to be found there
    missing = np.zeros(count, bool)
    missing[rng.choice(wrong, WRONG // 2, replace=False)] = True
    named = {"id": ids, "customer": customers, "zip": zips, "city": city, "placed": placed, "shipped": shipped}
    named |= {"price": pa.array(price, mask=missing), "code": code, "state": state, "_row_id": np.arange(count)}
    return pa.table(named)


class Clock:
    """CPU seconds of this process and of Spark's."""

    def __init__(self, pid: int) -> None:
        self._stat = Path(f"/proc/{pid}/stat")

    def of(self, work: Callable[[], object]) -> tuple[float, float]:
        """CPU seconds, and seconds on the wall."""
        gc.collect()
        cpu, wall = self._now(), time.monotonic()
        work()
        return self._now() - cpu, time.monotonic() - wall

    def _now(self) -> float:
        user, system = self._stat.read_text("ascii").rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / _TICKS + time.process_time()


def scan(frame: "DataFrame") -> None:
    """Reads every value of a table once."""
    frame.selectExpr("sum(xxhash64(*) % 1000)").collect()


def _suite(folder: Path, constraints: list[Constraint]) -> Path:
    tracked = [
        Tracked(Measured(c, 1, ROWS, ROWS), "orders", LifecycleState.VIOLATED, "1", 9, 1, 1.0, 1) for c in constraints
    ]
    source = TableConfig(source=Source(path="."))
    config = DatasetConfig(dataset="shop", tables=dict.fromkeys(SCHEMAS, source))
    emitted = emit_suites(folder, SuiteRequest("shop", 1, tracked, ChangeSet("shop", 1, "", {}, ()), SCHEMAS, config))
    (made,) = (suite for suite in emitted.tables if suite.table == "orders")
    if made.expectations != len(constraints):
        raise ValueError(made.left_out)
    return folder / made.path


def main() -> None:
    """Runs each expectation alone and all together, and writes the page unless it is over another number of rows."""
    count = int(sys.argv[1]) if sys.argv[1:] else ROWS
    with tempfile.TemporaryDirectory() as place:
        rows = _measured(Path(place), count)
        own = {"orders": orders(count), "customers": pa.table({"id": range(CUSTOMERS), "_row_id": range(CUSTOMERS)})}
    head = ("expectation", "CPU", "in scans", "wall", "rows found")
    body = table(head, rows)
    there = table(head, measured(own, SCHEMAS, CONSTRAINTS))
    sys.stdout.write(f"{body}\n{there}\n")
    intro = (__doc__ or "").partition("\n\n")[2].strip()
    notes = "Scans are compared in CPU seconds of Spark and Python together."
    if count == ROWS:
        page = REPOSITORY / "docs" / "benchmarks" / "validation.md"
        write_page(page, "Validation", "make bench-validation", (intro, notes, body, _ON_POSTGRES, there))


_ON_POSTGRES = """\
## The same queries in PostgreSQL

Over the same rows in tables without an index, one process, `work_mem` of 256 MB. The scan hashes every row as text."""


def _measured(place: Path, count: int) -> list[tuple[object, ...]]:
    pq.write_table(orders(count), place / "orders.parquet")
    pq.write_table(pa.table({"id": np.arange(CUSTOMERS), "_row_id": np.arange(CUSTOMERS)}), place / "customers.parquet")
    spark = spark_session("validation")
    frames = {name: spark.read.parquet(str(place / f"{name}.parquet")) for name in SCHEMAS}
    clock = Clock(int(spark._jvm.java.lang.ProcessHandle.current().pid()))
    scan(frames["orders"])
    alone, wall = clock.of(lambda: scan(frames["orders"]))
    rows: list[tuple[object, ...]] = [("one full scan", seconds(alone), "1.0", seconds(wall), "")]
    every = {name: [constraint] for name, constraint in CONSTRAINTS.items()} | {"all together": [*CONSTRAINTS.values()]}
    for name, constraints in every.items():
        path = _suite(place / name, constraints)
        run = partial(execute_suite, path, "orders", SparkTables(frames), max_rows=20)
        found = run()
        cpu, wall = clock.of(run)
        counts = [_count(result) for result in found]
        rows.append((name, seconds(cpu), f"{cpu / alone:.1f}", seconds(wall), counts[0] if len(counts) == 1 else ""))
        sys.stdout.write(f"{rows[-1]}\n")
        sys.stdout.flush()
    spark.stop()
    return rows


def _count(result: dict[str, object]) -> object:
    """How many rows an expectation found; what it says where it failed to run."""
    if (result.get("exception_info") or {}).get("raised_exception"):
        return "failed to run"
    found = result["result"]
    return found.get("unexpected_count", found.get("observed_value"))


if __name__ == "__main__":
    main()
