"""The parts that maintained agree sets are made of, each against what it is said to compute.

Sections of the papers: DynASt 2, 3, 4, 4.1, 4.2, 4.3, 5.1, 5.2, 6, 7.5.
"""

import numpy as np
import pyarrow as pa
import pytest
from oracle.cover_check import check_cover
from oracle.strategies import COLUMNS, DOMAINS

from profiling_core.algorithms.dependencies import from_agree_sets
from profiling_core.algorithms.dependencies.agree_sets import agree_set_table, compressed_relation, pair_counting
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import AgreeSetTable
from profiling_core.algorithms.dependencies.agree_sets.compressed_relation import CompressedRelation
from profiling_core.algorithms.dependencies.covers import approximate_covers, narrow_covers
from profiling_core.algorithms.dependencies.covers.approximate_covers import ApproximateCovers
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import in_order
from profiling_core.algorithms.dependencies.search import search_space
from profiling_core.algorithms.dependencies.upkeep.engine import AgreeSetEngine
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.column_dictionary import UNUSED_HALF, ColumnDictionary
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.errors import InputError, StateError
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics


def multiset(table):
    return {tuple(k): c for k, c in zip(table.keys.tolist(), table.counts.tolist(), strict=True) if c}


def relation_of(codes, *, nullable):
    own = CompressedRelation(codes.shape[1], nullable=nullable)
    own.insert(codes, range(len(codes)))
    return own


def test_codes_compare_by_both_halves():
    codes = np.array([[1, 5], [65_537, 5], [65_537, 6], [131_073, 6]], np.int32)
    kept = relation_of(codes, nullable=False)
    table = AgreeSetTable(1)
    pair_counting.count_all(table, kept)
    assert multiset(table) == {(0b10,): 2, (0b01,): 1}


def test_dictionary_gives_codes_of_vanished_values_again():
    own = ColumnDictionary("a", pa.int64())
    first = own.encode(pa.chunked_array([pa.array(range(70_000))]))
    assert len(set(first.tolist())) == 70_000
    assert not (first & UNUSED_HALF == UNUSED_HALF).any()
    live = np.zeros(own.largest + 1, np.bool_)
    live[first[:10]] = True
    own.clean(live)
    assert len(own) == 10
    second = own.encode(pa.chunked_array([pa.array([0, 5, 80_000, 80_001])]))
    assert second[:2].tolist() == first[[0, 5]].tolist()
    assert not set(second[2:].tolist()) & set(first[:10].tolist())
    assert own.largest == first.max()
    values, codes = own.to_arrow()
    again = ColumnDictionary.from_arrow("a", values, codes)
    assert again.encode(pa.chunked_array([pa.array([0, 5, 80_000, 80_001])])).tolist() == second.tolist()


def test_cleaned_tables_hold_what_they_held(monkeypatch):
    monkeypatch.setattr(agree_set_table, "_CLEAN_FROM", 4)
    monkeypatch.setattr(compressed_relation, "_COMPACT_FROM", 4)
    rows, names = wide_rows(1, rows=30, columns=24)
    engine = bootstrap(rows[:10], names, CoverBounds(2, 2))
    engine.apply([], arrow(rows[10:], names), range(10, 30))
    engine.apply(range(5, 28), None, [])
    kept = [*rows[:5], *rows[28:]]
    scratch = bootstrap(kept, names, CoverBounds(2, 2))
    assert engine.functional_dependencies() == scratch.functional_dependencies()
    assert engine.unique_column_combinations() == scratch.unique_column_combinations()
    assert len(engine.state.table.keys) < 4 * len(scratch.state.table.keys)


@pytest.mark.parametrize("nulls", NullSemantics)
def test_values_of_every_type_keep_their_codes_through_persistence(nulls):
    columns = tuple(c for c in COLUMNS if c.name in "ACDFGHI")
    random = np.random.default_rng(3)
    rows = [{c.name: DOMAINS[c.type][int(random.integers(len(DOMAINS[c.type])))] for c in columns} for _ in range(40)]
    types = {"D": pa.decimal128(10, 2), "C": pa.float64(), "H": pa.timestamp("us", "UTC")}
    table = pa.table({c.name: pa.array([row[c.name] for row in rows], types.get(c.name)) for c in columns})
    space = predicate_space.equality_only(TableSchema("r", columns), nulls)
    first = AgreeSetState.bootstrapped(table.slice(0, 20), range(20), space)
    again = AgreeSetEngine(AgreeSetState.from_arrays(first.arrays(), space), CoverBounds())
    again.apply(range(5), table.slice(20), range(20, 40))
    whole = AgreeSetEngine(AgreeSetState.bootstrapped(table.slice(5), range(35), space), CoverBounds())
    expected = from_agree_sets.agree_sets_of_rows(encode(table.slice(5), space), space)
    for found in (again.state.agree_sets(), whole.state.agree_sets()):
        assert masks_of_pairs(found) == masks_of_pairs(expected)
    assert again.functional_dependencies() == whole.functional_dependencies()


def masks_of_pairs(agree):
    return {
        (tuple(e), tuple(d)): c
        for e, d, c in zip(agree.equal.tolist(), agree.different.tolist(), agree.counts.tolist(), strict=True)
    }


def wide_rows(seed, rows, columns):
    """Rows in which some columns follow from others, some are nearly constant, and some nearly keys."""
    random = np.random.default_rng(seed)
    names = [f"c{i}" for i in range(columns)]
    distinct = random.choice([1, 2, 2, 3, 5, 12, rows], columns)
    table = [{c: int(random.integers(d)) for c, d in zip(names, distinct, strict=True)} for _ in range(rows)]
    for row in table:
        row[names[3]] = row[names[1]] % 2
        row[names[5]] = row[names[2]] * 10 + row[names[4]]
    return table, names


def arrow(rows, names):
    return pa.table({c: pa.array([row[c] for row in rows], pa.int64()) for c in names})


def space_of(names, nulls=NullSemantics.EQUAL):
    schema = TableSchema("r", tuple(Column(c, LogicalType.INTEGER, ordered=False) for c in names))
    return predicate_space.equality_only(schema, nulls)


def bootstrap(rows, names, bounds):
    return AgreeSetEngine(AgreeSetState.bootstrapped(arrow(rows, names), range(len(rows)), space_of(names)), bounds)


def sides_of(measured, rhs):
    return [m.constraint.lhs.columns for m in measured if rhs is None or m.constraint.rhs.columns == (rhs,)]


@pytest.mark.parametrize("seed", range(3))
def test_covers_of_wide_tables_are_valid_minimal_and_complete(seed):
    rows, names = wide_rows(seed, rows=70, columns=66)
    engine = bootstrap(rows[:50], names, CoverBounds(3, 3))
    current = dict(enumerate(rows[:50]))
    for batch in range(2):
        gone = list(current)[batch::9]
        new = dict(enumerate(rows[50 + 10 * batch : 60 + 10 * batch], start=50 + 10 * batch))
        engine.apply(gone, arrow(list(new.values()), names), list(new))
        current = {i: row for i, row in current.items() if i not in gone} | new
        table = list(current.values())
        random = np.random.default_rng(seed)
        fds, uccs = engine.functional_dependencies(), engine.unique_column_combinations()
        assert all(m.violations == 0 for m in fds + uccs)
        check_cover(table, names, None, sides_of(uccs, None), 3, random)
        # Few of the right sides, for the check goes pair by pair; other ones each time, the last word's among them.
        for rhs in names[65 - 2 * seed - batch :: -22]:
            check_cover(table, names, rhs, sides_of(fds, rhs), 3, random)


@pytest.mark.parametrize("most_seconds", [-1.0, 10.0], ids=["frontiers", "levels"])
def test_approximate_covers_of_wide_tables_survive_persistence(most_seconds, monkeypatch):
    monkeypatch.setattr(approximate_covers, "MOST_SECONDS", most_seconds)
    rows, names = wide_rows(4, rows=40, columns=24)
    bounds = CoverBounds(2, 2, 0.02, 0.01)
    engine = bootstrap(rows[:30], names, bounds)
    engine.apply([1, 2, 3], arrow(rows[30:], names), range(30, 40))
    again = AgreeSetEngine(AgreeSetState.from_arrays(engine.state.arrays(), space_of(names)), bounds)
    scratch = bootstrap([rows[0], *rows[4:]], names, bounds)
    found = engine.functional_dependencies()
    assert found == again.functional_dependencies() == scratch.functional_dependencies()
    assert any(0 < m.error <= 0.02 for m in found)
    unique = engine.unique_column_combinations()
    assert unique == again.unique_column_combinations() == scratch.unique_column_combinations() != []


def test_only_right_sides_whose_frontier_crossed_the_threshold_are_searched_again(monkeypatch):
    monkeypatch.setattr(approximate_covers, "MOST_SECONDS", -1.0)
    rows, names = wide_rows(4, rows=60, columns=24)
    space = space_of(names)
    state = AgreeSetState.bootstrapped(arrow(rows[:59], names), range(59), space)
    searched = []

    def search_all(tasks, pairs):
        searched.append(len(tasks))
        search_space.search_all(tasks, pairs)

    monkeypatch.setattr(approximate_covers, "search_all", search_all)
    covers = ApproximateCovers(range(24), 2)
    before, again = covers.find(state, 20), covers.find(state, 20)
    assert searched == [24]
    assert in_lists(again) == in_lists(before)
    state.apply([], arrow(rows[59:], names), [59])
    after = covers.find(state, 20)
    assert 0 < searched[1] < 24
    assert len(after[0]) != len(before[0])
    assert in_lists(after) == in_lists(ApproximateCovers(range(24), 2).find(state, 20))


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("rights", [range(0, 66, 13), [NO_RHS]], ids=["fds", "uccs"])
def test_levels_and_frontiers_find_the_same_after_a_batch(nulls, rights, monkeypatch):
    monkeypatch.setattr(approximate_covers, "MOST_SECONDS", -1.0)
    rows, names = wide_rows(7, rows=50, columns=66)
    space = space_of(names, nulls)
    state = AgreeSetState.bootstrapped(arrow(rows[:40], names), range(40), space)
    covers = ApproximateCovers(rights, 2)
    assert in_lists(covers.find(state, 30)) == in_lists(approximate_covers.by_levels(state.agree_sets(), rights, 2, 30))
    state.apply([5, 6], arrow(rows[40:], names), range(40, 50))
    by_frontiers = in_lists(covers.find(state, 30))
    assert len(by_frontiers[1]) > 0
    assert by_frontiers == in_lists(approximate_covers.by_levels(state.agree_sets(), rights, 2, 30))


def in_lists(found):
    """Left and right sides in the order in which they are listed."""
    order = in_order(*found)
    return [side[order].tolist() for side in found]


def test_what_does_not_fit_changes_nothing():
    rows, names = wide_rows(2, rows=12, columns=4 + 2)
    engine = bootstrap(rows, names, CoverBounds())
    before = engine.functional_dependencies()
    more = arrow(rows[:1], names)
    with pytest.raises(StateError, match="no row has the id 99"):
        engine.apply([99], None, [])
    with pytest.raises(StateError, match="the row id 3 is taken"):
        engine.apply([], more, [3])
    with pytest.raises(StateError, match="comes twice among the deleted"):
        engine.apply([3, 3], None, [])
    with pytest.raises(InputError, match="lack the columns c1"):
        engine.apply([0], more.drop_columns(["c1"]), [50])
    with pytest.raises(InputError, match="1 rows are inserted, with 2 ids"):
        engine.apply([0], more, [50, 51])
    text = more.set_column(0, "c0", pa.array(["no number"]))
    with pytest.raises(InputError, match="column 'c0' has values of type string"):
        engine.apply([0], text, [50])
    assert engine.state.relation.rows == 12
    assert engine.functional_dependencies() == before
    engine.apply([3], more, [3])  # an id that goes may come again
    assert engine.state.relation.rows == 12


def test_pairs_beside_a_null_violate_when_those_without_have_gone(monkeypatch):
    monkeypatch.setattr(narrow_covers, "WIDEST", 0)
    state = AgreeSetState.bootstrapped(pa.table({"a": [1, 1, None, 2]}), range(4), space_of(["a"], NullSemantics.SQL))
    engine = AgreeSetEngine(state, CoverBounds())
    found = [engine.unique_column_combinations()]
    for gone in (1, 3):
        engine.apply([gone], None, [])
        found.append(engine.unique_column_combinations())
    assert [[m.constraint.lhs.columns for m in uccs] for uccs in found] == [[], [("a",)], [("a",)]]


def test_state_of_no_rows():
    empty = AgreeSetState.bootstrapped(pa.table({"c0": pa.array([], pa.int64())}), [], space_of(["c0"]))
    assert (empty.pairs, len(empty.agree_sets())) == (0, 0)
    assert empty.apply([], pa.table({"c0": [1, 1]}), [0, 1]).after.tolist() == [1]


@pytest.mark.parametrize("nulls", NullSemantics)
def test_table_of_no_profiled_columns(nulls):
    space = space_of([], nulls)
    engine = AgreeSetEngine(AgreeSetState.bootstrapped(pa.table({"a": [1]}), [0], space), CoverBounds())
    assert [m.constraint.lhs.columns for m in engine.unique_column_combinations()] == [()]
    engine.apply([], pa.table({"a": [1, 2]}), [1, 2])
    again = AgreeSetEngine(AgreeSetState.from_arrays(engine.state.arrays(), space), CoverBounds())
    assert engine.unique_column_combinations() == again.unique_column_combinations() == []
    assert again.state.agree_sets().counts.tolist() == [3]
