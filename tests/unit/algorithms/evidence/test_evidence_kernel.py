"""The kernel beyond one block, one tile, one word, one thread and one hash table, against plain NumPy."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from profiling_core.algorithms.evidence import cell_counts, changed_rows, contexts, multiset, pairs, tile_kernel
from profiling_core.algorithms.evidence.keys import KeyLayout
from profiling_core.algorithms.evidence.multiset import (
    changed_evidence,
    combine,
    cross_difference,
    cross_evidence,
    self_evidence,
)
from profiling_core.algorithms.values.encoding import encode, encode_together
from profiling_core.model.evidence import EvidenceSet
from profiling_core.model.predicate import Operand, PredicateGroup, PredicateSpace
from profiling_core.model.types import NullSemantics


def space_over(columns, ordered, nulls):
    groups = [PredicateGroup(Operand("t", c), Operand("s", c), o) for c, o in zip(columns, ordered, strict=True)]
    return PredicateSpace("r", nulls, tuple(groups))


def random_table(rows, columns, values, seed, share_of_nulls=0.1):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, values, (columns, rows))
    missing = rng.random((columns, rows)) < share_of_nulls
    missing[::3] = False
    return pa.table({f"c{i}": pa.array(cells[i], mask=missing[i]) for i in range(columns)})


def by_numpy(table, space):
    """Evidence keys and counts from the whole matrix of pairs, without canonical keys' fast paths."""
    words = -(-len(space.groups) // 32)
    rows = table.num_rows
    keys = np.zeros((words, rows, rows), np.uint64)
    for slot, group in enumerate(space.groups):
        column = table[group.left.column]
        values = column.fill_null(0).to_numpy()
        null = column.is_null().to_numpy()
        t, s = values[:, None], values[None, :]
        outcome = np.where(t == s, 2, np.where(t < s, 1, 3 if group.ordered else 1))
        some, both = null[:, None] | null[None, :], null[:, None] & null[None, :]
        if space.nulls is NullSemantics.SQL:
            outcome[some] = 0
        else:
            outcome[some] = 0 if group.ordered else 1
            outcome[both] = 2
        keys[slot // 32] |= outcome.astype(np.uint64) << np.uint64(2 * (slot % 32))
    upper = np.triu_indices(rows, 1)
    forward, backward = (matrix[(slice(None), *upper)].T for matrix in (keys, keys.transpose(0, 2, 1)))
    canonical = [min(a, b) for a, b in zip(map(tuple, forward.tolist()), map(tuple, backward.tolist()), strict=True)]
    found, counts = np.unique(np.array(canonical, np.uint64).reshape(-1, words), axis=0, return_counts=True)
    return found, counts


def assert_is(found: EvidenceSet, keys, counts):
    assert np.array_equal(found.keys, keys)
    assert np.array_equal(found.counts, counts)


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize(
    ("rows", "columns", "values"),
    [(700, 3, 4), (400, 9, 50), (300, 32, 3), (300, 33, 3), (200, 70, 2)],
    ids=["duplicates", "two lanes", "one full word", "two words", "three words"],
)
def test_all_pairs(nulls, rows, columns, values, monkeypatch):
    monkeypatch.setattr(tile_kernel, "TILE_ROWS", 130)
    monkeypatch.setattr(pairs, "LEFT_ROWS", 90)
    monkeypatch.setattr(pairs, "PAIRS_PER_THREAD", 1_000)
    table = random_table(rows, columns, values, seed=columns)
    space = space_over(table.column_names, [i % 2 == 0 for i in range(columns)], nulls)
    keys, counts = by_numpy(table, space)
    for threads in (1, 2, 3):
        assert_is(self_evidence(encode(table, space), space, threads=threads), keys, counts)


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("against", [100, 1_000_000], ids=["in order", "as they come"])
def test_cross_pairs_are_what_the_parts_leave_of_the_whole(nulls, against, monkeypatch):
    monkeypatch.setattr(multiset, "COLLAPSE_AGAINST", against)
    monkeypatch.setattr(tile_kernel, "TILE_ROWS", 70)
    monkeypatch.setattr(tile_kernel, "MOST_TILE_ROWS", 700)
    monkeypatch.setattr(pairs, "LEFT_ROWS", 90)
    monkeypatch.setattr(pairs, "PAIRS_PER_THREAD", 100_000)
    table = random_table(3_000, 5, 9, seed=1)
    space = space_over(table.column_names, [True, False, True, False, True], nulls)
    left, right = encode_together([table.slice(0, 2_900), table.slice(2_900)], space)
    whole = self_evidence(encode(table, space), space)
    rest = combine([(whole, 1), (self_evidence(left, space), -1), (self_evidence(right, space), -1)])
    assert_is(cross_evidence(left, right, space), rest.keys, rest.counts)
    assert_is(cross_evidence(right, left, space, threads=1), rest.keys, rest.counts)


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("columns", [8, 40], ids=["one word", "two words"])
@pytest.mark.parametrize("ordered", [0, 1, 3])
def test_contexts_are_chosen_where_columns_have_many_values_or_few(nulls, columns, ordered):
    """Clusters of two or three rows in half of the columns, three values in the rest; some columns are ordered."""
    rng = np.random.default_rng(columns)
    cells = rng.integers(0, [[1_000 if i % 2 else 3] for i in range(columns)], (columns, 2_500))
    cells[8:] = cells[rng.integers(0, 8, len(cells[8:]))]
    table = pa.table({f"c{i}": row for i, row in enumerate(cells)})
    space = space_over(table.column_names, [i % 2 == 0 and i < 2 * ordered for i in range(columns)], nulls)
    layout = KeyLayout(space)
    side = pairs.collapsed(encode(table, space), layout)
    assert contexts.plan(side, layout)
    compared = pairs.count(side, side, list(pairs.triangle(side.rows)), layout, 1, same=True)
    expected = combine((layout.canonical(part), 1) for part in (compared, pairs.keys_with_itself(side, layout)))
    for threads in (1, 2):
        assert_is(self_evidence(encode(table, space), space, threads=threads), expected.keys, expected.counts)


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize("columns", [5, 20, 34], ids=["one lane", "three lanes", "two words"])
def test_updates_count_what_deletes_and_inserts_do(nulls, columns, monkeypatch):
    """More rows than a block; some stand for several; changes that concern few pairs, many, all and none."""
    monkeypatch.setattr(multiset, "COLLAPSE_AGAINST", 50)
    monkeypatch.setattr(pairs, "LEFT_ROWS", 90)
    table = random_table(2_500, columns, 40, seed=columns)
    space = space_over(table.column_names, [i % 2 == 0 for i in range(columns)], nulls)
    kept, gone = pa.concat_tables([table.slice(300), table.slice(300, 200)]), table.slice(0, 300)
    rng = np.random.default_rng(columns)
    changed = {}
    for i, name in enumerate(table.column_names):
        others = gone[name].take(rng.permutation(300))
        chosen = pa.array(rng.random(300) < (0.9 if i == 1 else 1 / columns))
        changed[name] = pc.if_else(chosen, others, gone[name])
    came = pa.table(changed).take(rng.permutation(300)[:280])
    parts = encode_together([kept, gone, came], space)
    signed = combine((cross_evidence(parts[0], part, space), sign) for part, sign in ((parts[1], -1), (parts[2], 1)))
    counted = []
    count_changes = pairs.count_changes
    monkeypatch.setattr(multiset, "count_changes", lambda *a: counted.append(a[0].rows) or count_changes(*a))
    for threads, most in ((1, 0.3), (2, 0.3), (1, 1.0)):
        monkeypatch.setattr(multiset, "MOST_CHANGING", most)
        assert_is(cross_difference(*parts, space, threads=threads), signed.keys, signed.counts)
    assert 140 < counted[0] == counted[1] < counted[2] == 280


def test_rows_that_changed_little_are_found_again():
    rng = np.random.default_rng(2)
    gone = rng.integers(0, [[1_000], [5], [5], [50], [5], [5]], (6, 400)).astype(np.int32)
    came = gone.copy()
    came[rng.integers(0, 6, 400), np.arange(400)] = 7
    moved = rng.permutation(400)
    left, right = changed_rows.paired(gone, came[:, moved][:, :390])
    assert sorted(left) == list(range(400))
    assert sorted(right) == list(range(390))
    assert ((gone[:, left[:390]] != came[:, moved[right]]).sum(axis=0) <= 1).mean() > 0.95


def test_cross_pairs_by_contexts_are_those_compared_one_by_one(monkeypatch):
    rng = np.random.default_rng(3)
    cells = rng.integers(0, [[1_500], [3], [1_500], [3]], (4, 3_000))
    table = pa.table({f"c{i}": row for i, row in enumerate(cells)})
    space = space_over(table.column_names, [False] * 4, NullSemantics.SQL)
    left, right = encode_together([table.slice(0, 2_000), table.slice(2_000)], space)
    compared = cross_evidence(left, right, space)
    monkeypatch.setattr(multiset, "PAIRS_WORTH_A_PLAN", 1)
    # Pairs that are compared one by one would now be lost.
    monkeypatch.setattr(multiset, "rectangle", lambda *_: [])
    assert_is(cross_evidence(left, right, space), compared.keys, compared.counts)


@pytest.mark.parametrize("came", [300, 500], ids=["too few rows to plan for", "many"])
def test_changed_evidence_is_found_anew_where_contexts_cost_less(came):
    rng = np.random.default_rng(4)
    cells = rng.integers(0, [[1_500], [3], [1_500], [3]], (4, 3_000))
    table = pa.table({f"c{i}": row for i, row in enumerate(cells)})
    space = space_over(table.column_names, [False] * 4, NullSemantics.SQL)
    kept, gone, come = encode_together([table.slice(came), table.slice(0, 0), table.slice(0, came)], space)
    whole, before = self_evidence(encode(table, space), space), self_evidence(kept, space)
    after = changed_evidence(before, kept, gone, come, space)
    assert_is(after, whole.keys, whole.counts)
    # Where it is found anew, what was before takes no part.
    unaware = changed_evidence(combine([(before, 0)]), kept, gone, come, space)
    assert np.array_equal(unaware.counts, whole.counts) == (came == 500)


@pytest.mark.parametrize("nulls", NullSemantics)
@pytest.mark.parametrize(
    ("columns", "values", "cells", "given_up"),
    [
        (3, 4, 1 << 21, False),
        (9, 30, 1 << 21, False),
        (19, 3, 1 << 21, False),
        (32, 3, 1 << 21, False),
        (9, 3, 3_000, False),
        (20, 3, 8_000, False),
        (20, 40, 5_000, True),
    ],
    ids=["one lane", "two", "three", "four", "emptied often", "emptied, three lanes", "given up"],
)
def test_pairs_are_counted_in_cells(nulls, columns, values, cells, given_up, monkeypatch):
    """Duplicates give rows a weight; where values are few, columns beyond the fourth equal one of these."""
    made = []
    monkeypatch.setattr(pairs, "new_cells", lambda *a, **b: made.append(cell_counts.new_cells(*a, **b)) or made[-1])
    monkeypatch.setattr(cell_counts, "CELLS", cells)
    monkeypatch.setattr(pairs, "PAIRS_WORTH_CELLS", 1)
    monkeypatch.setattr(pairs, "LEFT_ROWS", 130)
    monkeypatch.setattr(tile_kernel, "TILE_ROWS", 170)
    table = random_table(250, columns, values, seed=columns)
    if values == 3:
        table = pa.table({name: table.column(i % 4) for i, name in enumerate(table.column_names)})
    table = pa.concat_tables([table, table.slice(0, 150)])
    space = space_over(table.column_names, [i % 2 == 0 for i in range(columns)], nulls)
    keys, counts = by_numpy(table, space)
    assert_is(self_evidence(encode(table, space), space, threads=1), keys, counts)
    assert [bool(found.state[cell_counts.GIVEN_UP]) for found in made] == [given_up]


def test_cells_hand_over_what_they_might_not_hold(monkeypatch):
    """Rows that stand for many: the number of their pairs needs more than the 31 bits of a cell."""
    monkeypatch.setattr(pairs, "PAIRS_WORTH_CELLS", 1)
    monkeypatch.setattr(tile_kernel, "TILE_ROWS", 2)
    table = random_table(7, 2, 5, seed=1)
    space = space_over(table.column_names, [True, False], NullSemantics.EQUAL)
    layout = KeyLayout(space)
    side = pairs.Side(encode(table, space).codes, np.array([3, 2, 40_000, 30_000, 1, 2, 3], np.uint64))
    found = pairs.count(side, side, list(pairs.triangle(7)), layout, 1, same=True)
    total = int(side.weights.sum())
    assert found.counts.sum() == (total * total - int((side.weights**2).sum())) // 2


def test_contexts_are_not_chosen_where_every_row_is_one():
    table = random_table(2_500, 4, 1_000_000, seed=1, share_of_nulls=0)
    space = space_over(table.column_names, [True] * 4, NullSemantics.SQL)
    layout = KeyLayout(space)
    assert contexts.plan(pairs.collapsed(encode(table, space), layout), layout) is None


def test_more_rows_than_a_block_and_more_keys_than_the_first_table():
    table = random_table(tile_kernel.BLOCK + 700, 12, 1_000_000, seed=5, share_of_nulls=0.3)
    space = space_over(table.column_names, [True] * 12, NullSemantics.SQL)
    found = self_evidence(encode(table, space), space, threads=1)
    assert len(found) > 1 << 12
    assert found.counts.sum() == table.num_rows * (table.num_rows - 1) // 2
    keys, counts = by_numpy(table.slice(0, 600), space)
    assert_is(self_evidence(encode(table.slice(0, 600), space), space), keys, counts)


def test_equal_rows_are_pairs_too():
    table = pa.table({"a": [1, 1, 1, 2], "b": pa.array([None, None, None, 1])})
    space = space_over(["a", "b"], [True, True], NullSemantics.SQL)
    found = self_evidence(encode(table, space), space)
    assert dict(zip(found.keys[:, 0].tolist(), found.counts.tolist(), strict=True)) == {0b0010: 3, 0b0001: 3}


def test_pairs_of_a_space_without_predicates_share_the_empty_evidence():
    space = PredicateSpace("r", NullSemantics.SQL, ())
    found = self_evidence(encode(pa.table({"a": [1, 2, 3]}), space), space)
    assert_is(found, np.zeros((1, 1), np.uint64), np.array([3]))


@pytest.mark.parametrize("rows", [0, 1])
def test_without_pairs_there_is_no_evidence(rows):
    table = random_table(rows, 2, 3, seed=0)
    space = space_over(table.column_names, [True, False], NullSemantics.EQUAL)
    assert len(self_evidence(encode(table, space), space)) == 0


def test_columns_of_many_distinct_values_keep_their_order_within_a_tile():
    values = np.random.default_rng(7).permutation(5_000) * 1_000_003
    space = space_over(["a", "b"], [True, True], NullSemantics.SQL)
    found = self_evidence(encode(pa.table({"a": values, "b": np.sort(values)}), space), space)
    inversions = sum(int((values[:i] > values[i]).sum()) for i in range(len(values)))
    pairs = len(values) * (len(values) - 1) // 2
    # Less in both columns, or less in one and greater in the other; the smaller of a key and its mirror is canonical.
    assert dict(zip(found.keys[:, 0].tolist(), found.counts.tolist(), strict=True)) == {
        0b0101: pairs - inversions,
        0b0111: inversions,
    }
