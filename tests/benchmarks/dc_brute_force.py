"""Whether the denial constraints of a table are right, by brute force over all pairs: ``make bench-dc-brute-force``.

An evaluator of its own compares all ordered pairs of rows with numpy, by the predicates of the semantics page. Each
constraint of the reduced cover must hold, and none of its predicates may be left out. That nothing is missing is told
by random constraints that hold and are minimal: each must follow from the cover. The table is in the normal form, so
that no value is missing.
"""

import argparse
import csv
import functools
import operator
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from oracle import denial
from oracle.predicates import predicate_space

from benchmarks import datasets
from profiling_core.ingest.files import read_table
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operator, PredicateSpace
from profiling_core.model.types import NullSemantics
from profiling_core.pipeline.discover import DiscoveryRequest, discover

TYPES = {"String": str, "Integer": int, "Double": float}
# Rows whose pairs with all others are held at once, and bits of a comparison's outcome.
ROWS_AT_ONCE, BITS = 64, 2
Keys = NDArray[np.uint64]


def main(arguments: Sequence[str] | None = None) -> None:
    """Checks the tables and prints a line for each; ends with an error where a constraint is wrong or missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a directory of CSV files in the normal form")
    parser.add_argument("--tables", nargs="+", required=True, help="these files, by their names without .csv")
    parser.add_argument("--samples", type=int, default=300, help="random constraints that must follow")
    options = parser.parse_args(arguments)
    for name in options.tables:
        for cross in (False, True):
            told = checked(datasets.normal_form(options.data / f"{name}.csv"), options.samples, cross=cross)
            sys.stdout.write(f"{name}, {'across' if cross else 'same'}: {told}\n")
            sys.stdout.flush()


def checked(path: Path, samples: int, *, cross: bool) -> str:
    """Checks one table.

    Raises:
        AssertionError: a constraint is violated or not minimal, or one that holds does not follow from those found.
    """
    schema, _ = read_table(path, typed_header=True)
    columns = values_of(path)
    rows = [dict(zip(schema.names, row, strict=True)) for row in zip(*columns, strict=True)]
    space = predicate_space(schema, rows, NullSemantics.EQUAL, cross=cross)
    keys = evidence_keys(columns, schema.names, space)
    hits = hits_of(keys, space)
    request = DiscoveryRequest(nulls=NullSemantics.EQUAL, cross=cross, max_predicates=None, typed_header=True)
    found = [measured.constraint for measured in discover([path], request).constraints]
    dcs = [positions_of(constraint, space) for constraint in found]
    for dc in dcs:
        assert not violating(dc, hits), f"{dc} is violated"
        for position in dc:
            assert violating([p for p in dc if p != position], hits), f"{dc} holds without {position}"
    random = np.random.default_rng(0)
    implied_by = Implied(dcs, space)
    held = [dc for dc in (minimal(space, hits, random) for _ in range(samples)) if not denial.is_trivial(dc, space)]
    for dc in held:
        assert dc in implied_by, f"{dc} holds and does not follow"
    pairs = len(rows) * (len(rows) - 1)
    return (
        f"{len(dcs):,} constraints hold in all {pairs:,} ordered pairs ({len(keys):,} evidences), and are minimal;"
        f" {len(set(held)):,} of {len(set(held)):,} random minimal ones follow from them"
    )


def values_of(path: Path) -> list[list[object]]:
    """The columns of a file in the normal form."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    types = [TYPES[name.rpartition("(")[2].rstrip(")")] for name in header]
    return [[kind(cell) for cell in column] for kind, column in zip(types, zip(*rows, strict=True), strict=True)]


def evidence_keys(columns: Sequence[Sequence[object]], names: Sequence[str], space: PredicateSpace) -> Keys:
    """What all ordered pairs of different rows are by the groups: 2 bits each, 0 equal, 1 less or other, 2 greater."""
    ranks: dict[str, NDArray[np.int64]] = {}
    for kind in (str, float):
        alike = [i for i, column in enumerate(columns) if isinstance(column[0], str) == (kind is str)]
        rank = {value: at for at, value in enumerate(sorted({value for i in alike for value in columns[i]}))}
        ranks |= {names[i]: np.array([rank[value] for value in columns[i]]) for i in alike}
    words = -(-len(space.groups) * BITS // 64)
    known = np.empty((0, words), np.uint64)
    size = len(columns[0])
    for start in range(0, size, ROWS_AT_ONCE):
        rows = np.arange(start, min(size, start + ROWS_AT_ONCE))
        keys = np.zeros((words, len(rows), size), np.uint64)
        for number, group in enumerate(space.groups):
            left = ranks[group.left.column][rows, None]
            right = ranks[group.right.column]
            right = right[rows, None] if group.right.tuple == "t" else right[None, :]
            outcome = (left != right).astype(np.uint64)
            if group.ordered:
                outcome += left > right
            word, shift = divmod(number * BITS, 64)
            keys[word] |= outcome << np.uint64(shift)
        different = (rows[:, None] != np.arange(size)[None, :]).ravel()
        known = distinct(np.concatenate([known, distinct(keys.reshape(words, -1)[:, different].T)]))
    return known


def distinct(keys: Keys) -> Keys:
    """The distinct rows: sorted by words."""
    ordered = keys[np.lexsort(keys.T)]
    return ordered[np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])] if len(ordered) else ordered


def hits_of(keys: Keys, space: PredicateSpace) -> list[int]:
    """Per predicate the evidences that satisfy it, as a set of bits."""
    holding = {
        Operator.EQ: (0,),
        Operator.NE: (1, 2),
        Operator.LT: (1,),
        Operator.LE: (0, 1),
        Operator.GT: (2,),
        Operator.GE: (0, 2),
    }
    hits = []
    for predicate, group in zip(space.predicates, space.group_of, strict=True):
        word, shift = divmod(group * BITS, 64)
        outcome = keys[:, word] >> np.uint64(shift) & np.uint64(3)
        bits = np.packbits(np.isin(outcome, np.array(holding[predicate.op], np.uint64)), bitorder="little")
        hits.append(int.from_bytes(bits.tobytes(), "little"))
    return hits


def positions_of(constraint: DenialConstraint, space: PredicateSpace) -> tuple[int, ...]:
    """A constraint as places of predicates."""
    return tuple(sorted(space.index[predicate] for predicate in constraint.predicates))


def violating(dc: Sequence[int], hits: Sequence[int]) -> int:
    """The evidences that satisfy all predicates, as a set of bits; without predicates a set that is not empty."""
    return functools.reduce(operator.and_, (hits[p] for p in dc)) if dc else -1


def minimal(space: PredicateSpace, hits: Sequence[int], random: np.random.Generator) -> tuple[int, ...]:
    """A random constraint that holds, and no longer does without any of its predicates."""
    chosen: list[int] = []
    left, groups = -1, set[int]()
    for position in random.permutation(len(space.predicates)).tolist():
        group = space.group_of[position]
        if left and group not in groups and left & hits[position] != left:
            chosen.append(position)
            groups.add(group)
            left &= hits[position]
    if left:
        return minimal(space, hits, random)
    for position in list(chosen):
        if not violating([p for p in chosen if p != position], hits):
            chosen.remove(position)
    return tuple(sorted(chosen))


class Implied:
    """The candidates that constraints imply: their closure has all predicates of one of these, or of its mirror."""

    def __init__(self, dcs: Sequence[tuple[int, ...]], space: PredicateSpace) -> None:
        self.space = space
        self.atoms = [frozenset(self._atoms(dc)) for dc in dcs]

    def _atoms(self, dc: Sequence[int]) -> Iterator[denial.Atom]:
        return ((p.left, p.op, p.right) for p in (self.space.predicates[i] for i in dc))

    def __contains__(self, dc: tuple[int, ...]) -> bool:
        closed = denial.closure(dc, self.space) or frozenset()
        swapped = frozenset((left.swapped, op, right.swapped) for left, op, right in closed)
        return any(atoms <= closed or atoms <= swapped for atoms in self.atoms)


if __name__ == "__main__":
    main()
