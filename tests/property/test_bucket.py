"""What a Spark task does with one bucket, on real Arrow columns: equal values are equal, whatever their type."""

import json
import math
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle.deltas import fold_bag_changes, fold_keyed_changes

from profiling_core.ingest.normalize import _keep_answered
from profiling_core.spark.bucket import SHOWN, DeltaFrame, WrittenPart, reduce_bucket
from profiling_core.spark.delta import Tally
from profiling_core.spark.sources import typed_schema

TYPES = (
    pa.int64(),
    pa.string(),
    pa.float64(),
    pa.decimal128(38, 2),
    pa.date32(),
    pa.timestamp("us", tz="UTC"),
    pa.bool_(),
    pa.binary(),
)
KEY = (0, 1)
ROW = st.tuples(
    st.sampled_from([2**53, 2**53 + 1, -1]),
    st.sampled_from(["a", "a ", "A", "", "ä"]),
    st.sampled_from([None, 0.0, 1e300, math.inf]),
    st.sampled_from([None, Decimal("0.10"), Decimal("99999999999999999999.99")]),
    st.sampled_from([None, date(1, 1, 1), date(2013, 3, 1)]),
    st.sampled_from([None, datetime(2013, 3, 1, tzinfo=UTC), datetime(2013, 3, 1, 0, 0, 0, 1, UTC)]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, b"", b"\0"]),
)
Values = tuple[Any, ...]
Deltas = list[list[tuple[str, Values]]]


def frame(folder: Path, deltas: Deltas, *, keyed: bool) -> DeltaFrame:
    folders = {part: folder / part.value for part in WrittenPart}
    for path in folders.values():
        path.mkdir(exist_ok=True)
    return DeltaFrame(
        names=tuple(f"column {i}" for i in range(len(TYPES))),
        types=TYPES,
        key=KEY if keyed else (),
        snapshots=False,
        delta_ids=tuple(f"d{i}" for i in range(len(deltas))),
        files=tuple(f"d{i}.csv" for i in range(len(deltas))),
        first_ids=tuple(1000 * (i + 1) for i in range(len(deltas))),
        folders=folders,
    )


def tables(stored: list[Values], deltas: Deltas) -> tuple[pa.Table, pa.Table]:
    schema = typed_schema(TYPES)
    names = schema.names[-len(TYPES) :]
    rows = [
        {"file": step, "step": step, "ordinal": i, "line": i + 2, "op": ["insert", "delete", "update"].index(op)}
        | {"reason": -1, "source": f"{step} {i}"}
        | dict(zip(names, values, strict=True))
        for step, delta in enumerate(deltas)
        for i, (op, values) in enumerate(delta)
    ]
    base = pa.schema([pa.field("_row_id", pa.int64()), *(schema.field(name) for name in names)])
    olds = [{"_row_id": i, **dict(zip(names, values, strict=True))} for i, values in enumerate(stored)]
    # Tasks see the rows of a bucket in any order.
    return pa.Table.from_pylist(rows[::-1], schema), pa.Table.from_pylist(olds[::-1], base)


@settings(deadline=None, max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.booleans(),
    st.lists(ROW, max_size=5),
    st.lists(
        st.lists(st.tuples(st.sampled_from(["insert", "delete", "update"]), ROW), max_size=8), min_size=1, max_size=4
    ),
)
def test_a_bucket_equals_a_fold(tmp_path: Path, keyed: bool, stored: list[Values], deltas: Deltas) -> None:
    if keyed:
        stored = list({row[:2]: row for row in stored}.values())
        keyed_rows = [[(op, row[:2], row) for op, row in delta] for delta in deltas]
        expected = fold_keyed_changes({row[:2]: row for row in stored}, keyed_rows)
    else:
        deltas = [[(op, row) for op, row in delta if op != "update"] for delta in deltas]
        expected = fold_bag_changes(stored, [[(op, row, row) for op, row in delta] for delta in deltas])
    made = frame(tmp_path, deltas, keyed=keyed)
    answer = reduce_bucket(*tables(stored, deltas), made)
    tally = Tally()
    tally.add(json.loads(json.dumps(answer)))
    _keep_answered(made, tally)
    parts = {part: pq.read_table(folder) for part, folder in made.folders.items()}

    come, gone = (values_of(parts[part]) for part in (WrittenPart.INSERTED, WrittenPart.DELETED))
    assert Counter(stored) - gone + come == expected.rows
    for row in parts[WrittenPart.DELETED].to_pylist():
        assert stored[row["_row_id"]] == tuple(row.values())[1:]
    for row in parts[WrittenPart.INSERTED].to_pylist():
        step = int(row["_delta_id"][1:])
        place = row["_row_id"] - 1000 * (step + 1)
        assert deltas[step][place][1] == tuple(row.values())[1:-1]
    assert tally.last_row_id == max(parts[WrittenPart.INSERTED]["_row_id"].to_pylist(), default=-1)
    places = [(step, i) for step, delta in enumerate(deltas) for i in range(len(delta))]
    assert sorted(
        (row["delta_id"], row["line"], row["row"], row["reason"]) for row in parts[WrittenPart.QUARANTINE].to_pylist()
    ) == sorted(
        (f"d{places[p][0]}", places[p][1] + 2, f"{places[p][0]} {places[p][1]}", reason.value)
        for p, reason in expected.rejects.items()
    )
    assert tally.rejects.total() == len(expected.rejects)
    if keyed:
        came = [Counter(row[:2] for _, row in delta) for delta in deltas]
        again = sum(count - 1 for delta in came for count in delta.values())
        assert len(tally.repeated) == min(again if tally.superseded else 0, SHOWN)
        assert tally.alike <= again
    else:
        assert (tally.repeated, tally.alike) == ([], 0)


def values_of(table: pa.Table) -> Counter[Values]:
    names = [name for name in table.column_names if name not in ("_row_id", "_delta_id")]
    return Counter(tuple(row.values()) for row in table.select(names).to_pylist())


def test_files_that_no_answer_names_are_left_out(tmp_path: Path) -> None:
    made = frame(tmp_path, [[]], keyed=True)
    for part, folder in made.folders.items():
        pq.write_table(made.row_schema(part).empty_table(), folder / "of-a-task-that-spark-gave-up.parquet")
    _keep_answered(made, Tally())
    for part, folder in made.folders.items():
        assert pq.read_table(folder).schema.equals(made.row_schema(part))
        assert [path.name for path in folder.iterdir()] == ["part-none.parquet"]
