"""Both modes beside each other: over random histories each keeps the oracle's cover, and counts what the rows say.

A history is a small table and deltas that delete, insert and update some of its rows. Both null semantics, every value
type, ties, duplicates, cross-column and single-row predicates take turns. Histories are drawn from seeds, which costs a
fraction of what drawing them with shrinking in mind would: 500 with each change, 2,000 each night, 20,000 at length.

Sections of the papers: IncDC 4, 8.
"""

import random
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from helpers.examples import blocks
from oracle import denial
from oracle import predicates as naive
from oracle.strategies import COLUMNS, DOMAINS

from profiling_core.algorithms.denial.indexed.table import IndexedTable
from profiling_core.algorithms.evidence.changes import changed_masks
from profiling_core.algorithms.evidence.multiset import changed_evidence, ordered_masks, self_evidence
from profiling_core.algorithms.hitting_sets import inversion, updating
from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.algorithms.values.encoding import encode, encode_together
from profiling_core.model.predicate import Operator, Predicate, PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics

BLOCKS, BLOCK = 8, 250
LONG_BLOCKS, LONG_BLOCK = 10, 2_000
MOST_GROUPS = 4


class Counted:
    """The counted mode's state without its files."""

    def __init__(self, space: PredicateSpace, bound: int | None, rows: pa.Table):
        self.space, self.bound = space, bound
        self.evidence = self_evidence(encode(rows, space), space, threads=1)
        self.masks, self.counts = ordered_masks(self.evidence, space)
        self.cover = inversion.maximal_cover(self.masks, space, max_predicates=bound)

    def apply(self, kept: pa.Table, gone: pa.Table, came: pa.Table) -> None:
        """Adds the signed evidence of a delta, and updates the cover."""
        rows, before = encode_together([kept, gone, came], self.space), self.evidence
        self.evidence = changed_evidence(before, *rows, self.space, threads=1)
        changed = changed_masks(before, self.evidence, self.space)
        self.masks, self.counts = ordered_masks(self.evidence, self.space)
        self.cover = updating.update(self.cover, *changed, self.space, max_predicates=self.bound, maximal=True)


@dataclass(frozen=True)
class History:
    """A schema, the first rows, and per delta the positions of rows that go and the rows that come."""

    schema: TableSchema
    first: list[dict]
    deltas: list[tuple[list[int], list[dict]]]

    @classmethod
    def drawn(cls, rng: random.Random) -> "History":
        columns = tuple(sorted(rng.sample(COLUMNS, rng.randint(1, 3)), key=lambda c: c.name))
        most = rng.choice([3, 6])  # values per column: few make ties and duplicates

        def row() -> dict:
            return {c.name: rng.choice(DOMAINS[c.type][:most]) for c in columns}

        deltas = []
        for _ in range(rng.randint(1, 3)):
            gone, came = rng.choice([(0, 2), (2, 0), (1, 1), (3, 3)])
            deltas.append(([rng.randrange(30) for _ in range(gone)], [row() for _ in range(came)]))
        return cls(TableSchema("r", columns), [row() for _ in range(rng.randint(0, 7))], deltas)


def walk(seed: int) -> tuple[list[Predicate], bool]:
    """Asserts both modes' covers after the last delta; the predicates of the cover, and whether rows were equal."""
    rng = random.Random(seed)
    history = History.drawn(rng)
    nulls, cross = list(NullSemantics)[seed % 2], seed % 4 < 2
    bound = rng.choice([1, 2, 3, None])
    space = naive.predicate_space(history.schema, history.first, nulls, cross=cross)
    if len(space.groups) > MOST_GROUPS:  # the oracle tries every set of predicates
        bound = min(bound or 2, 2)
    arrow = pa.schema({c.name: arrow_type(c) for c in history.schema.columns})
    live = dict(enumerate(history.first))
    rows = pa.Table.from_pylist(history.first, schema=arrow)
    counted = Counted(space, bound, rows)
    indexed = IndexedTable.bootstrap(rows, np.arange(len(live)), space, max_predicates=bound)
    taken = len(live)
    for positions, came in history.deltas:
        gone = sorted({sorted(live)[p % len(live)] for p in positions}) if live else []
        kept, left = ({i: r for i, r in live.items() if (i in gone) is out} for out in (False, True))
        parts = [pa.Table.from_pylist(list(part), schema=arrow) for part in (kept.values(), left.values(), came)]
        counted.apply(*parts)
        ids = np.arange(taken, taken + len(came))
        indexed.apply(np.array(gone, np.int64), parts[2], ids)
        taken += len(came)
        live = kept | dict(zip(ids.tolist(), came, strict=True))
    evidence = naive.evidence(list(live.values()), space)
    expected = denial.set_minimal_cover(evidence, space, bound)
    assert counted.cover == denial.weakest(expected, space), seed
    assert indexed.cover == expected, seed
    masks, counts = naive.masks(evidence, space)
    assert pairs_by_mask(counted.masks, counted.counts) == pairs_by_mask(masks, counts), seed
    equal = len({repr(row) for row in live.values()}) < len(live)
    return [space.predicates[i] for dc in expected for i in dc], equal


def pairs_by_mask(masks: np.ndarray, counts: np.ndarray) -> dict[bytes, int]:
    return {bytes(mask): int(count) for mask, count in zip(masks, counts, strict=True)}


@pytest.mark.parametrize("block", blocks(BLOCKS))
def test_histories(block: int):
    seen = [walk(seed) for seed in range(BLOCK * block, BLOCK * (block + 1))]
    kinds = {(p.op, p.is_same_column, p.is_single_row) for predicates, _ in seen for p in predicates}
    sorts = ((True, False), (False, False), (False, True))
    assert kinds == {(op, *sort) for op in Operator for sort in sorts}
    assert sum(equal for _, equal in seen) > BLOCK // 10


@pytest.mark.long
@pytest.mark.parametrize("block", range(LONG_BLOCKS))
def test_many_histories(block: int):
    for seed in range(1_000_000 + LONG_BLOCK * block, 1_000_000 + LONG_BLOCK * (block + 1)):
        walk(seed)
