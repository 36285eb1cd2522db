"""The indexed mode: after every delta its cover is the oracle's set-minimal cover of the rows that are left.

Sections of the papers: IncDC 4, 5.2, 5.3, 6.1, 6.2, 6.3, 6.4, 7, 8.
"""

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from helpers.constraints import arrow
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from oracle import denial
from oracle import predicates as naive
from oracle.strategies import COLUMNS, DOMAINS

from profiling_core.algorithms.denial.indexed import equal_runs, first_rows, given_rows, labels, rows, searching
from profiling_core.algorithms.denial.indexed import segments as run_segments
from profiling_core.algorithms.denial.indexed import table as incdc_table
from profiling_core.algorithms.denial.indexed.table import IndexedTable
from profiling_core.algorithms.denial.sampled import parts
from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
from profiling_core.algorithms.hitting_sets import inversion
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.errors import HoldfastError
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics

MOST_GROUPS = 4


@st.composite
def histories(draw):
    """A schema, the first rows, and deltas of inserted rows, positions of deleted ones, and whether to save first."""
    columns = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3, unique_by=lambda c: c.name))
    cells = [st.sampled_from(DOMAINS[column.type]) for column in columns]
    row = st.fixed_dictionaries({column.name: cell for column, cell in zip(columns, cells, strict=True)})
    delta = st.tuples(st.lists(row, max_size=4), st.lists(st.integers(0, 30), max_size=4), st.booleans())
    first = draw(st.lists(row, max_size=7))
    return TableSchema("r", tuple(columns)), first, draw(st.lists(delta, min_size=2, max_size=5))


def reloaded(table, space):
    """The table from its own arrays, which are read-only."""
    arrays = {name: array.copy() for name, array in table.arrays().items()}
    for array in arrays.values():
        array.setflags(write=False)
    return IndexedTable.from_arrays(space, arrays)


def walk(history, nulls, bound, *, cross=True):
    """Applies the deltas, comparing cover, differences and the counts of violated constraints after each."""
    schema, first, deltas = history
    space = naive.predicate_space(schema, first, nulls, cross=cross)
    if len(space.groups) > MOST_GROUPS:  # the oracle tries every set of predicates
        bound = 2
    live = dict(enumerate(first))
    table = IndexedTable.bootstrap(arrow(first, schema), np.arange(len(first)), space, max_predicates=bound)
    monitored = list(denial.set_minimal_cover(naive.evidence(first, space), space, 2))[:4]
    taken = len(first)
    for inserted, positions, saved in deltas:
        before = naive.evidence(list(live.values()), space)
        assert table.cover == denial.set_minimal_cover(before, space, bound)
        counts = table.count_violations(monitored)
        assert counts == [sum(n for found, n in before.items() if set(dc) <= found) for dc in monitored]
        if saved:
            table = reloaded(table, space)
        gone = sorted({sorted(live)[p % len(live)] for p in positions}) if live else []
        ids = np.arange(taken, taken + len(inserted))
        taken += len(inserted)
        old = set(table.cover)
        outcome = table.apply(np.array(gone, np.int64), arrow(inserted, schema), ids)
        live = {i: row for i, row in live.items() if i not in gone} | dict(zip(ids.tolist(), inserted, strict=True))
        assert (set(outcome.added), set(outcome.gone)) == (set(table.cover) - old, old - set(table.cover))
        after = naive.evidence(list(live.values()), space)
        assert table.cover == inversion.minimal_cover(table.known.masks, space, max_predicates=bound)
        held = list(outcome.gone)[:3]
        assert table.count_violations(held) == [sum(n for e, n in after.items() if set(dc) <= e) for dc in held]
    evidence = naive.evidence(list(live.values()), space)
    assert table.cover == denial.set_minimal_cover(evidence, space, bound)
    assert table.count_violations(monitored) == [
        sum(n for found, n in evidence.items() if set(dc) <= found) for dc in monitored
    ]


HISTORIES = {
    "history": histories(),
    "nulls": st.sampled_from(NullSemantics),
    "bound": st.sampled_from([1, 2, 3, None]),
    "cross": st.booleans(),
}
SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@pytest.fixture(scope="module", autouse=True)
def small_measures():
    """Gaps so small that labels are often given anew; orders, runs and lookups of a few rows, as large tables have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labels, "GAP", 3)
        patch.setattr(rows, "LEAF", 1)
        patch.setattr(first_rows, "LEAF", 1)
        patch.setattr(rows, "MOST_ROWS", 4)
        patch.setattr(run_segments, "MOST_ROWS", 4)
        patch.setattr(equal_runs, "_LONGEST_RUN", 2)
        patch.setattr(given_rows, "_ASKING", 0)
        patch.setattr(given_rows, "_ASKING_AT_ALL", 0)
        patch.setattr(incdc_table, "_LOOKED_UP", 0)
        patch.setattr(parts, "_SOME", 2)
        patch.setattr(parts, "_GROWING", 2)
        patch.setattr(parts, "_FEW", 1)
        yield


@settings(max_examples=examples(350), **SETTINGS)
@given(**HISTORIES)
def test_deltas_equal_the_oracle(history, nulls, bound, cross):
    walk(history, nulls, bound, cross=cross)


@settings(max_examples=examples(40), **SETTINGS)
@given(budget=st.integers(0, 40), **HISTORIES)
def test_deltas_equal_the_oracle_where_searches_are_given_up(budget, history, nulls, bound, cross):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "_CHECK", 0)
        patch.setattr(searching, "_LEAST_BUDGET", budget)
        patch.setattr(rows, "_CHECK", 0)
        walk(history, nulls, bound, cross=cross)


@settings(max_examples=examples(100), **SETTINGS)
@given(**HISTORIES)
def test_deltas_equal_the_oracle_where_new_rows_are_held_against_all(history, nulls, bound, cross):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_LOOK", -1)
        patch.setattr(rows, "_CHECKS", 1)
        walk(history, nulls, bound, cross=cross)


@settings(max_examples=examples(40), **SETTINGS)
@given(**HISTORIES)
def test_deltas_equal_the_oracle_where_all_rows_are_swept(history, nulls, bound, cross):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incdc_table, "_LOOKED_UP", 1 << 20)
        walk(history, nulls, bound, cross=cross)


def test_a_delete_leaves_evidences_with_their_mirrors_where_predicates_speak_of_one_row():
    """Rows 1 and 2 give row 0 the same evidence (row 1 is its witness), and are given different ones."""
    columns = tuple(column for column in COLUMNS if column.name in "AB")
    rows = [{"A": None, "B": 0}, {"A": 1, "B": 1}, {"A": 1, "B": 2}, {"A": None, "B": None}]
    history = TableSchema("r", columns), rows, [([], [1], False), ([], [], False)]
    walk(history, NullSemantics.SQL, None)


@pytest.mark.long
@settings(max_examples=examples(7_000), **SETTINGS)
@given(**HISTORIES)
def test_many_deltas_equal_the_oracle(history, nulls, bound, cross):
    walk(history, nulls, bound, cross=cross)


def columns_of(random, rows):
    """Eight columns with ties, nulls and dependencies between them."""
    base = random.integers(0, 300, rows)
    null = random.random(rows) < 0.02
    return pa.table(
        {
            "A": pa.array(base),
            "B": pa.array(base * 2 + random.integers(0, 2, rows)),
            "D": pa.array(random.integers(0, 6, rows)),
            "C": pa.array(random.integers(0, 50, rows).astype(float), mask=null),
            "E": pa.array([f"{v % 40}" for v in base.tolist()]),
            "I": pa.array(base % 2 == 0),
            "J": pa.array(random.integers(0, 9, rows)),
            "G": pa.array(random.integers(0, 9, rows)),
        }
    )


@pytest.mark.parametrize("nulls", list(NullSemantics))
def test_two_thousand_rows_equal_counting_all_pairs(monkeypatch, nulls):
    """Trees with depth, several segments and merges of them: the cover is that of the exhaustive evidence."""
    monkeypatch.setattr(rows, "MOST_ROWS", 700)
    monkeypatch.setattr(run_segments, "MOST_ROWS", 700)
    chosen = {column.name: column for column in COLUMNS}
    schema = TableSchema("r", tuple(chosen[name] for name in ("A", "B", "E", "I", "J", "C")))
    random = np.random.default_rng(7)
    whole = columns_of(random, 2_400).select([c.name for c in schema.columns])
    space = naive.predicate_space(schema, [], nulls, cross=False)
    live = np.arange(2_000)
    table = IndexedTable.bootstrap(whole.slice(0, 2_000), live, space, max_predicates=3)
    monitored = [(space.index[p],) for p in space.groups[0].predicates]
    table.count_violations(monitored)
    for start, size in ((2_000, 10), (2_010, 90), (2_100, 0), (2_100, 300)):
        gone = random.choice(live, 25, replace=False)
        added = np.arange(start, start + size)
        table.apply(gone, whole.slice(start, size), added)
        live = np.concatenate([np.setdiff1d(live, gone), added])
        evidence = self_evidence(encode(whole.take(live), space), space, threads=1)
        masks, counts = ordered_masks(evidence, space)
        assert table.cover == inversion.minimal_cover(masks, space, max_predicates=3)
        assert table.count_violations(monitored) == [
            int(counts[(masks[:, p // 64] >> np.uint64(p % 64)) & np.uint64(1) != 0].sum()) for (p,) in monitored
        ]
        table = reloaded(table, space)
    assert any(len(segment.ids) > run_segments.LEAF * 8 for segment in table.rows.segments)


def test_a_delta_leaves_the_arrays_of_old_rows_alone(monkeypatch):
    """What is mapped from files and not changed is the same object afterwards, so that its files are kept."""
    monkeypatch.setattr(run_segments, "MOST_ROWS", 1_000)
    chosen = {column.name: column for column in COLUMNS}
    schema = TableSchema("r", tuple(chosen[name] for name in ("A", "B", "E", "C")))
    whole = columns_of(np.random.default_rng(3), 1_010).select([c.name for c in schema.columns])
    space = naive.predicate_space(schema, [], NullSemantics.SQL, cross=False)
    first = IndexedTable.bootstrap(whole.slice(0, 1_000), np.arange(1_000), space, max_predicates=2)
    state = first.arrays()
    table = IndexedTable.from_arrays(space, state)
    table.apply(np.array([], np.int64), whole.slice(1_000, 10), np.arange(1_000, 1_010))
    after = table.arrays()
    large = [name for name in state if name.startswith(("segment0.", "dictionary")) and state[name].size > 100]
    assert all(after[name] is state[name] for name in large)
    assert {"segment0.ids", "segment0.codes", "segment0.alive", "segment0.index0.low"} <= set(large)
    assert any(name.startswith("dictionary") for name in large)


def test_ids_that_are_missing_or_taken_are_refused():
    schema = TableSchema("r", (COLUMNS[0],))
    space = naive.predicate_space(schema, [], NullSemantics.SQL)
    rows = arrow([{"A": 1}, {"A": 2}], schema)
    table = IndexedTable.bootstrap(rows, np.array([3, 4]), space, max_predicates=None)
    with pytest.raises(HoldfastError, match="not in the table's state"):
        table.apply(np.array([5]), rows.slice(0, 0), np.array([], np.int64))
    with pytest.raises(HoldfastError, match="taken or repeated"):
        table.apply(np.array([], np.int64), rows, np.array([4, 6]))
    with pytest.raises(HoldfastError, match="have type string"):
        table.apply(np.array([], np.int64), pa.table({"A": ["x"]}), np.array([7]))
    table.apply(np.array([4]), rows, np.array([4, 6]))
    assert table.rows.rows == 3
