"""Attributes of one and several columns that come and go between deltas: what they share equals plain counting.

Sections of the papers: Attribute clustering 5.2, 5.3.
"""

import hypothesis.strategies as st
import pyarrow as pa
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle.predicates import plain

from profiling_core.algorithms.inclusions.attribute_clustering import attribute_of, coverage
from profiling_core.algorithms.inclusions.orphan_values import Inclusion, orphans_of
from profiling_core.algorithms.inclusions.value_clusters import Clusters, combine, merge
from profiling_core.algorithms.inclusions.value_generator import (
    attribute_entries,
    joined,
    no_entries,
    rows_holding,
    summed,
)
from profiling_core.maintain.inclusion_level import LevelFigures
from profiling_core.maintain.inclusion_state import InclusionState, with_attributes
from profiling_core.model.constraint import ColumnList
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

TYPES = {"r": {"a": "integer", "b": "string", "c": "integer"}, "s": {"a": "float", "b": "string", "c": "integer"}}
SCHEMAS = {
    table: TableSchema(table, tuple(Column(c, LogicalType(t), t != "string") for c, t in columns.items()))
    for table, columns in TYPES.items()
}
ARROW = {"integer": pa.int64(), "string": pa.string(), "float": pa.float64()}
VALUES = {
    "integer": [None, 0, 1, 2**40],
    "float": [None, -0.0, 1.0, 0.5, float("nan")],
    "string": [None, "", "1", "1\x00"],
}
SIDES = {
    1: [ColumnList(t, (c,)) for t in TYPES for c in "abc"],
    2: [ColumnList(t, pair) for t in TYPES for pair in [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("c", "b")]],
    3: [ColumnList(t, three) for t in TYPES for three in [("a", "b", "c"), ("c", "b", "a")]],
}
ROWS = {
    table: st.fixed_dictionaries({c: st.sampled_from(VALUES[t]) for c, t in columns.items()})
    for table, columns in TYPES.items()
}
DELTA = {t: st.tuples(st.lists(r, max_size=4), st.lists(st.integers(0, 40), max_size=3)) for t, r in ROWS.items()}


@st.composite
def walks(draw):
    arity = draw(st.sampled_from([1, 2, 2, 3]))
    steps = draw(st.integers(1, 3))
    wanted = st.lists(st.sampled_from(SIDES[arity]), unique=True, max_size=6)
    return arity, [(draw(st.fixed_dictionaries(DELTA)), draw(wanted)) for _ in range(steps)]


def arrow(table, rows):
    return pa.table({c: pa.array([row[c] for row in rows], ARROW[t]) for c, t in TYPES[table].items()})


def entries(attribute, number, rows, sign):
    data = arrow(attribute.table, rows)
    return attribute_entries([data[c] for c in attribute.columns], number, "typed", sign)


def combinations(tables, side):
    found = [tuple(plain(row[c]) for c in side.columns) for row in tables[side.table]]
    return [combination for combination in found if None not in combination]


def applied(rows, change):
    inserted, positions = change
    gone = {p % len(rows) for p in positions} if rows else set()
    return [row for i, row in enumerate(rows) if i not in gone] + inserted, [rows[i] for i in sorted(gone)]


@settings(max_examples=examples(700), deadline=None, suppress_health_check=list(HealthCheck))
@given(walk=walks())
def test_what_attributes_share_equals_counting(walk):
    arity, steps = walk
    tables = {table: [] for table in TYPES}
    state, files = InclusionState(arity, "typed", 0, (), Clusters({}), ()), no_entries()
    for delta, sides in steps:
        wanted = [attribute_of(side, SCHEMAS[side.table], "typed") for side in sides]
        before, attributes = with_attributes(state, wanted)
        files = files if before.attributes else no_entries()
        files = files.filter(
            pa.array([before.attributes[i] is not None for i in files["attribute"].to_pylist()], pa.bool_())
        )
        parts, after = [], {}
        for table, change in delta.items():
            after[table], deleted = applied(tables[table], change)
            for i, attribute in enumerate(attributes):
                if attribute and attribute.table == table:
                    new = i >= len(before.attributes)
                    parts += [entries(attribute, i, tables[table], 1)] if new else []
                    parts += [entries(attribute, i, change[0], 1), entries(attribute, i, deleted, -1)]
        merged = merge(files, summed(joined(parts)))
        assert merged.is_consistent
        files = summed(joined([files, *parts]))
        clusters = combine([(before.clusters, 1), (merged.change, 1)])
        figures = LevelFigures.of(clusters, attributes, wanted)
        for i, one in enumerate(sides):
            for j, other in enumerate(sides):
                if wanted[i].comparable == wanted[j].comparable:
                    held, known = combinations(after, one), set(combinations(after, other))
                    assert figures.shared.values[i, j] == len(set(held) & known)
                    assert figures.shared.rows[i, j] == sum(value in known for value in held)
                    _check_orphans(merged, figures, tables, after, (one, other), before)
        state = InclusionState(arity, "typed", 1, attributes, clusters, ())
        tables = after


def _check_orphans(merged, figures, tables, after, pair, before):
    included, referenced = (figures.stored[figures.places[side]] for side in pair)
    if max(included, referenced) >= len(before.attributes):
        return
    (found,) = orphans_of(merged, [Inclusion(included, referenced)])
    old, new = (set(combinations(t, pair[0])) - set(combinations(t, pair[1])) for t in (tables, after))
    orphaned = new - old
    rows = [row for row in after[pair[0].table] if tuple(plain(row[c]) for c in pair[0].columns) in orphaned]
    assert (found.values, found.rows) == (len(orphaned), len(rows))
    data = arrow(pair[0].table, after[pair[0].table])
    holding = rows_holding([data[c] for c in pair[0].columns], "typed", found.examples)
    assert [row for row, held in zip(after[pair[0].table], holding, strict=True) if held] == rows


def test_the_state_is_given_up_where_nothing_of_it_is_wanted():
    one, other = (attribute_of(side, SCHEMAS["r"], "typed") for side in SIDES[1][:2])
    state = InclusionState(1, "typed", 4, (one,), Clusters({(0,): (1, (1,))}), ())
    assert with_attributes(state, [other]) == (InclusionState(1, "typed", 0, (), Clusters({}), ()), (other,))
    assert with_attributes(state, [one, other]) == (state, (one, other))


def test_nothing_shared_by_no_attributes():
    assert coverage(Clusters({}), 0).values.shape == (0, 0)
