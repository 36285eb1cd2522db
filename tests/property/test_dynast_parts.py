"""The parts that maintained agree sets are made of, each against what it is said to compute.

Sections of the papers: DynASt 2, 3, 4, 4.1, 4.2, 4.3, 5.1, 5.2, 6, 7.5.
"""

import itertools
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from oracle.cover_check import check_cover
from oracle.strategies import COLUMNS, DOMAINS

from profiling_core.algorithms.dependencies import from_agree_sets
from profiling_core.algorithms.dependencies.agree_sets import agree_set_table, compressed_relation, pair_counting
from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
from profiling_core.algorithms.dependencies.agree_sets.agree_set_table import AgreeSetTable
from profiling_core.algorithms.dependencies.agree_sets.agree_set_tree import NONE, AgreeSetTree
from profiling_core.algorithms.dependencies.agree_sets.compressed_relation import CompressedRelation
from profiling_core.algorithms.dependencies.agree_sets.weighted_rows import WeightedRows, distinct_rows
from profiling_core.algorithms.dependencies.covers import approximate_covers, narrow_covers
from profiling_core.algorithms.dependencies.covers.approximate_covers import ApproximateCovers
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
from profiling_core.algorithms.dependencies.covers.dependency_cover import in_order
from profiling_core.algorithms.dependencies.position_lists.pair_changes import agreeing_pairs, differing_pairs
from profiling_core.algorithms.dependencies.search import search_space
from profiling_core.algorithms.dependencies.upkeep.engine import AgreeSetEngine
from profiling_core.algorithms.evidence import predicate_space
from profiling_core.algorithms.ground.bit_words import mask_of, tuples_of
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


@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_a_batch_counts_the_pairs_that_a_look_at_each_finds(seed, nullable, monkeypatch):
    random = np.random.default_rng(seed)
    columns = int(random.choice([1, 4, 15, 17, 21, 70]))
    distinct = random.integers(1, 40, columns) if seed % 4 else np.full(columns, 5_000)  # most pairs agree on nothing
    codes = random.integers(0 if seed % 2 else 1, 1 + distinct, (300, columns)).astype(np.int32)
    if seed % 3 == 0:
        codes[:, 0] *= 70_001  # beyond 16 bits, with equal lower halves for none and different ones
    monkeypatch.setattr(agree_set_table, "_MOST_COUNTS", 1 << 20 if seed % 5 else 8)
    monkeypatch.setattr(pair_counting, "ROWS_FOR_PATTERNS", 0 if seed % 4 < 3 else 1_000)
    kept, chosen = relation_of(codes, nullable=nullable), codes[random.integers(0, 300, 40)]
    come = [tuple(row) for row in np.unique(chosen, axis=0).tolist()]
    words = (columns + 63) // 64
    table = AgreeSetTable(words * (2 if nullable else 1))
    pair_counting.count_batch(
        table,
        kept,
        distinct_rows(chosen[:0], -1, nullable=nullable),
        distinct_rows(np.array(come, np.int32), 1, nullable=nullable),
    )
    expected = Counter(
        key_of(one, other, words, nullable=nullable)
        for one, other in itertools.chain(itertools.product(come, codes.tolist()), itertools.combinations(come, 2))
    )
    assert multiset(table) == {key: count for key, count in expected.items() if any(key)}


def key_of(one, other, words, *, nullable):
    """Words of the columns in which two rows agree, and of those in which one of them is null."""
    nulls = [c for c, pair in enumerate(zip(one, other, strict=True)) if nullable and 0 in pair]
    equal = [c for c, (a, b) in enumerate(zip(one, other, strict=True)) if a == b and c not in nulls]
    return tuple(np.concatenate([mask_of(s, words) for s in ([equal, nulls] if nullable else [equal])]).tolist())


def test_codes_compare_by_both_halves():
    codes = np.array([[1, 5], [65_537, 5], [65_537, 6], [131_073, 6]], np.int32)
    kept = relation_of(codes, nullable=False)
    table = AgreeSetTable(1)
    pair_counting.count_all(table, kept)
    assert multiset(table) == {(0b10,): 2, (0b01,): 1}


@pytest.mark.parametrize("seed", range(20))
def test_tree_answers_as_a_look_at_every_set(seed):
    random = np.random.default_rng(seed)
    columns = int(random.choice([3, 8, 70]))
    words = columns // 64 + 1
    bits = np.unique(random.random((120, columns)) < random.random(columns), axis=0)
    random.shuffle(bits)
    incomparable = (random.random(bits.shape) < 0.1) & ~bits
    equal = [frozenset(np.flatnonzero(row).tolist()) for row in bits]
    apart = [frozenset(np.flatnonzero(row).tolist()) for row in ~bits & ~incomparable]
    counts = random.integers(0, 4, len(equal))
    tree = AgreeSetTree(words)
    half = len(equal) // 2
    for part in (slice(0, half), slice(half, None)):
        tree.extend(
            np.array([mask_of(sorted(s), words) for s in equal[part]]).reshape(-1, words),
            np.array([mask_of(sorted(s), words) for s in apart[part]]).reshape(-1, words),
        )
    alive = [i for i in range(len(equal)) if counts[i]]
    for _ in range(30):
        lhs = frozenset(random.permutation(columns)[: random.integers(0, 4)].tolist())
        column = int(random.integers(columns))
        asked, right = mask_of(sorted(lhs), words)[None], mask_of([column], words)[None]
        together = [i for i in alive if lhs <= equal[i]]
        violating = [i for i in together if column in apart[i]]
        violator = tree.violating(asked, right, counts)[0]
        assert violator in (violating or [NONE])
        assert violator == NONE or not any(equal[violator] < equal[i] for i in violating)
    wanted = mask_of(range(columns), words)
    uncovered = tree.uncovered(np.array(alive), wanted, counts)
    for i, mask in zip(alive, uncovered, strict=True):
        greater = [apart[k] for k in alive if equal[i] < equal[k]]
        expected = apart[i].difference(*greater)
        assert tuples_of(mask[None])[0] == tuple(sorted(expected))


@pytest.mark.parametrize("nullable", [False, True])
def test_partitions_count_agreeing_and_differing_pairs(nullable):
    random = np.random.default_rng(5)
    codes = random.integers(0, 4, (60, 5)).astype(np.int32)
    own = relation_of(codes, nullable=nullable)
    own.remove(range(0, 60, 7))
    rows = [row for i, row in enumerate(codes.tolist()) if i % 7]
    sets = [s for size in range(4) for s in itertools.combinations(range(5), size)]
    masks = np.array([mask_of(s, 1) for s in sets])

    def equal(t, s, column):
        return t[column] == s[column] and not (nullable and t[column] == 0)

    def differ(t, s, column):
        return t[column] != s[column] and not (nullable and 0 in (t[column], s[column]))

    pairs = list(itertools.combinations(rows, 2))
    agree = [[p for p in pairs if all(equal(*p, c) for c in s)] for s in sets]
    codes = own.every_row()
    assert agreeing_pairs(codes, masks, comparable=not nullable).tolist() == [len(found) for found in agree]
    for column in range(5):
        expected = [sum(differ(*p, column) for p in found) for found in agree]
        found = differing_pairs(codes, masks, np.full(len(sets), column), comparable=not nullable)
        assert found.tolist() == expected


def test_positions_are_taken_again_and_gaps_closed():
    codes = np.arange(1, 6001, dtype=np.int32).reshape(3000, 2)
    own = relation_of(codes, nullable=False)
    own.remove(range(100))
    own.insert(codes[:50] + 100_000, range(3000, 3050))
    own.compact()
    assert own.used == 3000
    own.remove(range(100, 2500))
    own.compact()
    assert own.used == own.distinct == own.rows == 550
    ids, positions = own.row_ids()
    expected = {i: codes[i].tolist() if i < 3000 else (codes[i - 3000] + 100_000).tolist() for i in ids.tolist()}
    assert {i: own.codes[:, p].tolist() for i, p in zip(ids.tolist(), positions.tolist(), strict=True)} == expected
    assert own.weights[:550].tolist() == [1] * 550


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


@pytest.mark.parametrize("nulls", NullSemantics)
def test_wide_covers_are_those_of_discovery_from_agree_sets(nulls):
    rows, names = wide_rows(6, rows=40, columns=23)
    for row in rows[::3]:
        row["c4"] = row["c9"] = None
    space, table = space_of(names, nulls), arrow(rows, names)
    agree = from_agree_sets.agree_sets_of_rows(encode(table, space), space)
    engine = AgreeSetEngine(AgreeSetState.bootstrapped(table, range(40), space), CoverBounds(3, 3))
    found = [*engine.functional_dependencies(), *engine.unique_column_combinations()]
    assert found == from_agree_sets.dependencies(agree, CoverBounds(3, 3))


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


def test_weights_of_equal_rows():
    codes = np.array([[1, 0], [1, 0], [2, 3], [1, 0]], np.int32)
    rows = distinct_rows(codes, -1, nullable=True)
    assert (rows.codes.tolist(), rows.weights.tolist()) == ([[1, 0], [2, 3]], [-3, -1])
    table = AgreeSetTable(2)
    pair_counting.count_batch(
        table,
        CompressedRelation(2, nullable=True),
        rows,
        WeightedRows(codes[:0], rows.weights[:0], nullable=True),
    )
    # Three pairs of equal rows with a null in column 1; three that differ in column 0 beside a null.
    assert multiset(table) == {(0b01, 0b10): -3, (0b00, 0b10): -3}


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
