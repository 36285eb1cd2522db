"""A load's profile is the same however the load is cut into batches, and in whatever order these are merged."""

from datetime import date, datetime, timedelta
from itertools import pairwise

import pyarrow as pa
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.algorithms.batch_anomalies import profile as profiles
from profiling_core.algorithms.batch_anomalies.profile import Profile, profile
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

FIRST = datetime(2024, 1, 1)  # noqa: DTZ001 - a column without a time zone
TYPES = {
    "store": (LogicalType.STRING, pa.string(), st.sampled_from(["Ulm", "Köln", "MÃ¼nchen", ""])),
    "amount": (LogicalType.FLOAT, pa.float64(), st.sampled_from([0.0, -0.0, 1.25, -3.5, 1e6, float("nan")])),
    "pieces": (LogicalType.INTEGER, pa.int64(), st.integers(-3, 2000)),
    "paid": (LogicalType.BOOLEAN, pa.bool_(), st.booleans()),
    "on": (LogicalType.DATE, pa.date32(), st.dates(date(2024, 1, 1), date(2024, 1, 9))),
    "at": (LogicalType.TIMESTAMP, pa.timestamp("us"), st.datetimes(FIRST, FIRST + timedelta(days=2))),
}
SCHEMA = TableSchema("sales", tuple(Column(name, kind, ordered=True) for name, (kind, _, _) in TYPES.items()))
ARROW = pa.schema([(name, kind) for name, (_, kind, _) in TYPES.items()])
ROWS = st.lists(st.fixed_dictionaries({name: st.none() | some for name, (_, _, some) in TYPES.items()}), max_size=30)


def told(found: Profile) -> tuple:
    return (found.rows, found.columns, found.hashes.tolist(), found.whole.tolist(), repr(found.sample.to_pylist()))


@settings(deadline=None, max_examples=examples(60))
@given(
    rows=ROWS, cuts=st.lists(st.integers(0, 30), max_size=3), backwards=st.booleans(), most=st.sampled_from([5, 1000])
)
def test_a_profile_does_not_depend_on_batches(rows, cuts, backwards, most):
    table = pa.Table.from_pylist(rows, ARROW)
    ends = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    parts = [table.slice(a, b - a) for a, b in pairwise(ends)]
    before, profiles.SAMPLE = profiles.SAMPLE, most
    try:
        whole = profile(table, SCHEMA)
        first, *others = [profile(part, SCHEMA) for part in (reversed(parts) if backwards else parts)]
        for other in others:
            first = first.merged(other)
    finally:
        profiles.SAMPLE = before
    assert told(first) == told(whole)


def test_rows_are_known_again_in_another_process():
    row = {"store": "Ulm", "amount": 1.25, "pieces": 3, "paid": True, "on": date(2024, 1, 2), "at": None}
    (known,) = profile(pa.Table.from_pylist([row], ARROW), SCHEMA).hashes.tolist()
    assert known == KNOWN


KNOWN = 902593993272916119
