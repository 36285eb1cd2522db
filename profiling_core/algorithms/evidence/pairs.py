"""All pairs of two sides, tile by tile and on several threads, counted by evidence key.

Between the kernel, which compares the rows of one tile, and what uses it: whole multisets (:mod:`multiset`) and
evidence contexts (:mod:`contexts`).
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.evidence import change_kernel, tile_kernel
from profiling_core.algorithms.evidence.cell_counts import MOST_LANES, Cells, contents, new_cells
from profiling_core.algorithms.evidence.change_kernel import ChangedSide
from profiling_core.algorithms.evidence.keys import KeyLayout, outcomes
from profiling_core.algorithms.evidence.row_order import sort_keys
from profiling_core.algorithms.evidence.tile_kernel import Compared, LeftTile, RightTile
from profiling_core.algorithms.ground.arrays import Words
from profiling_core.algorithms.ground.bit_words import word_count
from profiling_core.algorithms.ground.counting_table import absorb
from profiling_core.algorithms.values.encoding import NULL, Encoded
from profiling_core.model.errors import CapacityError
from profiling_core.model.evidence import EvidenceSet

Number = TypeVar("Number", np.int16, np.uint16)

LEFT_ROWS = 8_192
# With fewer pairs a second thread, which meets the same keys again, costs more than it saves.
PAIRS_PER_THREAD = 100_000_000
FIRST_TABLE = 1 << 12
_WORD_BYTES = 8
# From this number of pairs on, setting up cells to count them in pays.
PAIRS_WORTH_CELLS = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Rows to compare: int32[m, n] codes and how many rows each stands for; a left one counts by that, modulo 2^64."""

    codes: NDArray[np.int32]
    weights: Words

    @property
    def rows(self) -> int:
        """The number of rows, equal ones counted once."""
        return len(self.weights)

    @property
    def repeated(self) -> bool:
        """Whether any row stands for several."""
        return bool((self.weights > 1).any())


@dataclass(frozen=True, slots=True)
class Tile:
    """Rows [left_start, left_end) against [right_start, right_end)."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int


def collapsed(rows: Encoded, layout: KeyLayout, weights: Words | None = None) -> Side:
    """Equal rows as one with a weight, sorted by the ordered columns first.

    Sorted so, nearly every evidence is met in one of its two directions only, which halves the distinct keys met.

    Args:
        rows: the rows.
        layout: how keys are laid out.
        weights: uint64[n], what each row counts by; None: 1.
    """
    weights = np.ones(rows.rows, np.uint64) if weights is None else weights
    if not rows.rows:
        return Side(rows.codes, weights)
    if not rows.columns:
        return Side(np.empty((0, 1), np.int32), weights.sum(keepdims=True))
    order = sorting(rows, layout)
    codes, weights = rows.codes[:, order], weights[order]
    fresh = np.ones(rows.rows, np.bool_)
    fresh[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    if fresh.all():
        return Side(codes, weights)
    starts = np.flatnonzero(fresh)
    return Side(np.ascontiguousarray(codes[:, starts]), np.add.reduceat(weights, starts))


def sorting(rows: Encoded, layout: KeyLayout) -> NDArray[np.int64]:
    """The order of rows by the ordered columns first: in it, rows one after the other meet much the same keys.

    Rows that agree on as many columns as there is room for in a word are ordered by a hash of the others.
    """
    first = sorted(range(len(rows.columns)), key=lambda i: (rows.columns[i] not in layout.ordered_columns, i))
    return np.argsort(sort_keys(rows.codes, np.array(first, np.int64)))


def triangle(rows: int) -> Iterator[Tile]:
    """Tiles that hold each unordered pair of different rows of one side."""
    for right in range(0, rows, tile_kernel.TILE_ROWS):
        end = min(right + tile_kernel.TILE_ROWS, rows)
        for left in range(0, end, LEFT_ROWS):
            yield Tile(left, min(left + LEFT_ROWS, end), right, end)


def rectangle(left_rows: int, right_rows: int) -> Iterator[Tile]:
    """Tiles that hold each pair of a left and a right row; the longer ones the fewer left rows there are."""
    # Each tile's table of keys is joined to the others', and its codes are read: few left rows are soon compared.
    even = LEFT_ROWS * tile_kernel.TILE_ROWS // max(1, left_rows)
    # Whole blocks, where there are several: a short one costs nearly as much to begin as a long one.
    step = max(1, min(even, tile_kernel.MOST_TILE_ROWS) // tile_kernel.TILE_ROWS) * tile_kernel.TILE_ROWS
    for right in range(0, right_rows, step):
        for left in range(0, left_rows, LEFT_ROWS):
            yield Tile(left, min(left + LEFT_ROWS, left_rows), right, min(right + step, right_rows))


def count(
    left: Side, right: Side, tiles: Sequence[Tile], layout: KeyLayout, threads: int, *, same: bool
) -> EvidenceSet:
    """Keys of the tiles' pairs as they are met, not canonical, with counts; a key may come once per thread.

    Args:
        left: the left rows.
        right: the right rows; with ``same`` as many, and each stands for the same rows as the left one at its place.
        tiles: what to compare.
        layout: how keys are laid out.
        threads: threads to use; 0: one per processor.
        same: pair each left row only with the right rows that come after its place.
    """
    between = _Between(left, right, layout, _code_count(left, right), same)
    pairs = left.rows * right.rows // (2 if same else 1)

    def count_one(cells: Cells, table: Words, tile: Tile) -> tuple[Words, bool]:
        return _count_tile(cells, table, tile, between)

    return _counted(count_one, tiles, pairs, layout, threads)


def count_changes(before: Side, after: Side, others: Side, layout: KeyLayout, threads: int) -> EvidenceSet:
    """Keys of pairs with other rows that rows gain by an update, less those that they lose, not canonical.

    Args:
        before: the rows before; each stands for one.
        after: at the same places the rows after.
        others: rows that stay as they are.
        layout: how keys are laid out.
        threads: threads to use; 0: one per processor.
    """
    codes = max(_code_count(before, others), _code_count(after, others))
    tiles = list(rectangle(before.rows, others.rows))

    def count_one(cells: Cells, table: Words, tile: Tile) -> tuple[Words, bool]:
        return _count_changed_tile(cells, table, (before, after), others, tile, layout, codes)

    return _counted(count_one, tiles, before.rows * others.rows, layout, threads)


def _code_count(left: Side, right: Side) -> int:
    return int(max(left.codes.max(initial=NULL), right.codes.max(initial=NULL))) + 1


def _counted(
    count_one: Callable[[Cells, Words, Tile], tuple[Words, bool]],
    tiles: Sequence[Tile],
    pairs: int,
    layout: KeyLayout,
    threads: int,
) -> EvidenceSet:
    """The total of counting each tile, on as many threads as pay for this number of pairs."""
    plain = layout.lanes <= MOST_LANES and pairs >= PAIRS_WORTH_CELLS
    queue = iter(tiles)
    workers = min(threads or os.cpu_count() or 1, len(tiles), 1 + pairs // PAIRS_PER_THREAD)
    most = most_evidences(layout) // max(1, workers)

    def work(_: int) -> EvidenceSet:
        table, used = np.zeros((FIRST_TABLE, layout.words + 1), np.uint64), 0
        own = np.zeros_like(table)
        cells = new_cells(layout.lane_values, given_up=not plain)
        for tile in queue:
            # A tile meets few of all keys, and mostly the same: its own table stays in the cache.
            own, hashed = count_one(cells, own, tile)
            if hashed:
                table, used = absorb(table, used, own)
                if used > most:
                    raise _too_many(used)
                own = np.zeros_like(own)
        keys, counts = contents(cells)
        table = table[table[:, -1] != 0]
        counts = np.concatenate([table[:, -1].astype(np.int64), counts])
        return EvidenceSet(np.concatenate([table[:, :-1], keys]), counts)

    if workers <= 1:
        return work(0)
    with ThreadPoolExecutor(workers) as pool:
        parts = list(pool.map(work, range(workers)))
    return EvidenceSet(np.concatenate([p.keys for p in parts]), np.concatenate([p.counts for p in parts]))


def most_evidences(layout: KeyLayout) -> int:
    """How many distinct evidences half of the machine's memory has room for, with what is made of each."""
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    # Tables of keys are filled by a half and beside one of half their size while they grow; masks come in two
    # directions, and are sorted.
    return half // (_WORD_BYTES * (4 * (layout.words + 1) + 4 * word_count(len(layout.space.predicates))))


def _too_many(met: int) -> CapacityError:
    return CapacityError(
        f"pairs of rows differ in more than {met:,} ways, too many to hold in memory",
        remedy="compare each column with itself alone (space: same-column), leave columns out, or keep the table by "
        "engine: indexed",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Between:
    """Two encoded sides to compare; ``same``: each left row only with the right rows behind its place."""

    left: Side
    right: Side
    layout: KeyLayout
    codes: int
    same: bool


def _count_tile(cells: Cells, table: Words, tile: Tile, between: _Between) -> tuple[Words, bool]:
    left, right, layout, same = between.left, between.right, between.layout, between.same
    rights = slice(tile.right_start, tile.right_end)
    left_codes, right_codes = left.codes[:, tile.left_start : tile.left_end], right.codes[:, rights]
    positions, right_positions, modes = _positions(left_codes, right_codes, layout, between.codes)
    weights = left.weights[tile.left_start : tile.left_end].view(np.int64)
    return tile_kernel.count_tile(
        cells,
        table,
        LeftTile(positions, layout.in_lanes(layout.left_keys(left_codes)), weights),
        _right_side(right, rights, right_positions, layout),
        Compared(layout.slots, modes, layout.outcome_bits),
        np.zeros(left_codes.shape[1], np.int64) if same else _turns(left_codes, right_codes, layout),
        tile.left_start - tile.right_start + 1 if same else -(1 << 60),
    )


def _right_side(side: Side, rows: slice, positions: NDArray[np.int16], layout: KeyLayout) -> RightTile:
    weights = side.weights[rows] if side.repeated else side.weights[:0]
    return RightTile(positions, layout.in_lanes(layout.right_keys(side.codes[:, rows])), weights)


def _turns(left: NDArray[np.int32], right: NDArray[np.int32], layout: KeyLayout) -> NDArray[np.int64]:
    """Per left row how many of the first right rows come before it by the column that rows are sorted by first.

    Counted by the mirrors of their keys, such pairs meet the same keys as the others do.
    """
    column = layout.turning
    if column is None or (right[column, 1:] < right[column, :-1]).any():
        return np.zeros(left.shape[1], np.int64)
    turns: NDArray[np.int64] = np.searchsorted(right[column], left[column])
    return turns


def _count_changed_tile(
    cells: Cells, table: Words, left: tuple[Side, Side], right: Side, tile: Tile, layout: KeyLayout, codes: int
) -> tuple[Words, bool]:
    rows = tile.left_end - tile.left_start
    rights = slice(tile.right_start, tile.right_end)
    left_codes = np.concatenate([side.codes[:, tile.left_start : tile.left_end] for side in left], axis=1)
    right_codes = right.codes[:, rights]
    positions, right_positions, modes = _positions(left_codes, right_codes, layout, codes)
    lanes = _halves(layout.in_lanes(layout.left_keys(left_codes)), rows)
    return change_kernel.count_changes(
        cells,
        table,
        ChangedSide(_halves(positions, rows), lanes),
        _right_side(right, rights, right_positions, layout),
        Compared(layout.slots, modes, layout.outcome_bits[0]),
    )


def _positions(
    left: NDArray[np.int32], right: NDArray[np.int32], layout: KeyLayout, codes: int
) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int8]]:
    """Positions of a tile's left and right codes per compared slot, and how each slot is computed."""
    compared = layout.compared
    left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)  # one code, however rows were taken
    left_positions = np.empty((len(compared), left.shape[1]), np.int16)
    right_positions = np.empty((len(compared), right.shape[1]), np.int16)
    modes = np.empty((2, len(compared)), np.int8)
    for p, slot in enumerate(compared):
        right_codes = right[slot.right]
        tile_kernel.tile_positions(left[slot.left], right_codes, codes, left_positions[p], right_positions[p])
        modes[:, p] = layout.modes(slot, nulls=bool((right_codes == NULL).any()))
    return left_positions, right_positions, modes


def _halves(values: NDArray[Number], rows: int) -> NDArray[Number]:
    """Per row its value before and its value after, one side after the other: [n, 2·rows] as [2, n, rows]."""
    return np.ascontiguousarray(np.stack([values[:, :rows], values[:, rows:]]))


def keys_with_itself(side: Side, layout: KeyLayout) -> EvidenceSet:
    """The keys of repeated rows beside others equal to them, not canonical, with counts of such pairs."""
    repeated = side.weights > 1
    codes, weights = side.codes[:, repeated], side.weights[repeated].astype(np.int64)
    keys = layout.left_keys(codes) | layout.right_keys(codes)
    for slot in layout.compared:
        outcome = outcomes(codes[slot.left], codes[slot.right], layout.nulls, ordered=slot.ordered)
        keys[:, slot.word] |= outcome << slot.shift
    return EvidenceSet(keys, weights * (weights - 1) // 2)
