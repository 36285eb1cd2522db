"""Merging deltas into the generator keeps clusters, figures and orphans equal to discovery on the final tables.

Sections of the papers: Attribute clustering 5.2, 5.3.
"""

import hypothesis.strategies as st
import pyarrow as pa
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle.predicates import plain

from profiling_core.algorithms.inclusions.attribute_clustering import Attribute, coverage, discover, inclusions
from profiling_core.algorithms.inclusions.orphan_values import Inclusion, Orphans, first_of, orphans_of
from profiling_core.algorithms.inclusions.value_clusters import Clusters, cluster, combine, merge
from profiling_core.algorithms.inclusions.value_generator import attribute_entries, buckets, joined, no_entries, summed
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

SCHEMAS = {
    "r": TableSchema(
        "r", (Column("a", LogicalType.INTEGER, ordered=True), Column("b", LogicalType.STRING, ordered=False))
    ),
    "s": TableSchema(
        "s",
        (
            Column("a", LogicalType.FLOAT, ordered=True),
            Column("b", LogicalType.STRING, ordered=False),
            Column("c", LogicalType.INTEGER, ordered=True),
        ),
    ),
}
ARROW = {
    "r": pa.schema({"a": pa.int64(), "b": pa.string()}),
    "s": pa.schema({"a": pa.float64(), "b": pa.string(), "c": pa.int64()}),
}
TEXT = st.sampled_from([None, "", "x", "X", "ä"])
ROWS = {
    "r": st.fixed_dictionaries({"a": st.sampled_from([None, 0, 1, 2, 3]), "b": TEXT}),
    "s": st.fixed_dictionaries(
        {
            "a": st.sampled_from([None, -0.0, 0.0, 1.0, 2.5, float("nan")]),
            "b": TEXT,
            "c": st.sampled_from([None, 0, 1, 2, 7]),
        }
    ),
}
DELTA = {t: st.tuples(st.lists(r, max_size=4), st.lists(st.integers(0, 40), max_size=4)) for t, r in ROWS.items()}
ATTRIBUTES = [
    Attribute(table, (column.name,), column.type.type_class) for table, s in SCHEMAS.items() for column in s.columns
]
PAIRS = [Inclusion(0, 4), Inclusion(4, 0), Inclusion(2, 0), Inclusion(1, 3), Inclusion(3, 1), Inclusion(0, 1)]


def entries(table, rows, sign):
    data = pa.Table.from_pylist(rows, schema=ARROW[table])
    ids = {a.columns[0]: i for i, a in enumerate(ATTRIBUTES) if a.table == table}
    return [attribute_entries([data[name]], ids[name], "typed", sign) for name in data.column_names]


def step(tables, deltas):
    """The tables after the deltas, and the deltas' entries, as inserted and deleted rows give them."""
    after, parts = {}, []
    for table, (inserted, positions) in deltas.items():
        rows = tables[table]
        gone = {p % len(rows) for p in positions} if rows else set()
        deleted = [row for i, row in enumerate(rows) if i in gone]
        after[table] = [row for i, row in enumerate(rows) if i not in gone] + inserted
        parts += entries(table, inserted, 1) + entries(table, deleted, -1)
    return after, summed(joined(parts))


def orphaned(before, after, pair):
    """Rows and values newly without partner, by plain sets."""

    def values(tables, i):
        place = ATTRIBUTES[i]
        return [v for row in tables[place.table] if (v := plain(row[place.columns[0]])) is not None]

    old, new = (set(values(t, pair.included)) - set(values(t, pair.referenced)) for t in (before, after))
    if ATTRIBUTES[pair.included].comparable != ATTRIBUTES[pair.referenced].comparable:
        old, new = (set(values(t, pair.included)) for t in (before, after))
    found = new - old
    return len(found), sum(v in found for v in values(after, pair.included))


@settings(max_examples=examples(1300), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    deltas=st.lists(st.fixed_dictionaries(DELTA), min_size=1, max_size=3),
    count=st.sampled_from([1, 2]),
    least=st.sampled_from([0.0, 0.5, 1.0]),
    compacted=st.booleans(),
)
def test_maintained_inclusions_equal_discovery_from_scratch(deltas, count, least, compacted):
    tables = {table: [] for table in SCHEMAS}
    files = [[no_entries()] for _ in range(count)]
    clusters = Clusters({})
    for delta in deltas:
        after, new = step(tables, delta)
        placed = buckets(new, count)
        orphans = [[] for _ in PAIRS]
        for number in range(count):
            part = new.filter(pa.array(placed == number))
            merged = merge(joined(files[number]), part)
            assert merged.is_consistent
            clusters = combine([(clusters, 1), (merged.change, 1)])
            files[number] = [summed(joined([*files[number], part]))] if compacted else [*files[number], part]
            for found, own in zip(orphans, orphans_of(merged, PAIRS), strict=True):
                found.append(own)
        for pair, found in zip(PAIRS, orphans, strict=True):
            whole = first_of(found)
            assert (whole.values, whole.rows) == orphaned(tables, after, pair)
        tables = after

    arrow = {table: pa.Table.from_pylist(rows, schema=ARROW[table]) for table, rows in tables.items()}
    fresh = list(discover(arrow, SCHEMAS, values="typed", min_coverage=least).inclusions)
    assert inclusions(coverage(clusters, len(ATTRIBUTES)), ATTRIBUTES, least) == fresh
    assert clusters == combine([(cluster(summed(joined(part for own in files for part in own))), 1)])


def test_extracting_what_never_came_is_noticed():
    one = summed(joined(entries("r", [{"a": 1, "b": None}], 1)))
    two = summed(joined(entries("r", [{"a": 1, "b": None}] * 2, -1)))
    assert not merge(one, two).is_consistent
    assert not merge(no_entries(), two).is_consistent


def test_orphans_of_nothing_are_none():
    assert first_of([]) == Orphans.none()
    assert orphans_of(merge(no_entries(), no_entries()), PAIRS)[0].values == 0
