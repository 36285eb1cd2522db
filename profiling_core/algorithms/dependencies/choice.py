"""Which way finds a table's FDs and UCCs from scratch: agree sets of its pairs of rows, or partitions of its rows.

All pairs cost what the columns' distinct values and their frequencies say, whatever dependencies there are. Partitions
cost counts of rows for each dependency found. How many there are, the agree sets of a few rows tell; distinct values do
not, for columns that follow from each other look as if they had nothing in common (ADR 31).
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from profiling_core.algorithms.dependencies import superset_sums
from profiling_core.algorithms.dependencies.agree_set_counts import NO_RHS
from profiling_core.algorithms.dependencies.agree_sets import agree_sets_of_rows
from profiling_core.algorithms.dependencies.dependency_search import minimal_masks, violations_limit
from profiling_core.algorithms.evidence.multiset import compared_pairs
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import Kind
from profiling_core.model.predicate import PredicateSpace

# Pairs that are compared before anything is estimated: some hundredths of a second.
FEW_PAIRS = 10_000_000
# With more pairs a wide table goes by partitions, and a narrow one's pairs are not even thought of.
MOST_PAIRS = 2_000_000_000
SAMPLED_ROWS = 1_000
# Seconds of one core, as measured on ten tables of 4,000 to 337,000 rows: a compared pair, per column; a column set and
# column of the sums over all sets; a row of the lattice of all column sets; a row, per dependency that Pyro finds.
PAIR_AND_COLUMN = 0.2e-9
SET_AND_COLUMN = 45e-9
ROW_AND_SET = 2.5e-9
ROW_AND_DEPENDENCY = 15e-9
# Seldom a smaller part of the pairs is compared.
LEAST_COMPARED = 0.1


class Way(StrEnum):
    """``agree_sets``: all pairs, or the lattice of all column sets, and sums over all sets of columns.

    ``maintained``: the engine that keeps wide tables' agree sets (DynASt). ``partitions``: Pyro.
    """

    AGREE_SETS = "agree sets"
    MAINTAINED = "agree sets of wide tables"
    PARTITIONS = "partitions"


@dataclass(frozen=True, slots=True)
class Choice:
    """A way and, in words, why."""

    way: Way
    reason: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for: FDs or UCCs, of at most ``longest`` columns on the left, with at most such an error (g1)."""

    kind: Kind
    longest: int | None = None
    max_error: float = 0.0


def choose(rows: Encoded, space: PredicateSpace, question: Question) -> Choice:
    """The way for a table and a question.

    Args:
        rows: the table, encoded for the space.
        space: a space of same-column groups.
        question: what is looked for.
    """
    columns = len(rows.columns)
    pairs = rows.rows * (rows.rows - 1) // 2
    shape = f"{rows.rows:,} rows by {columns} columns"
    if columns > superset_sums.WIDEST:
        if pairs > MOST_PAIRS:
            return Choice(Way.PARTITIONS, f"{shape}: {pairs:,} pairs of rows are too many to compare")
        if question.max_error > 0:
            return Choice(Way.PARTITIONS, f"{shape}: agree sets alone do not tell approximate dependencies of so many")
        return Choice(Way.MAINTAINED, f"{shape}: 2^{columns} sets of columns are too many to count all")
    if pairs <= FEW_PAIRS:
        return Choice(Way.AGREE_SETS, f"{shape}: {pairs:,} pairs of rows are few enough to compare")
    expected = expected_dependencies(rows, space, question)
    by_partitions = expected * rows.rows * ROW_AND_DEPENDENCY
    by_agree_sets = _seconds_of_agree_sets(rows, space, by_partitions)
    way = Way.PARTITIONS if by_partitions < by_agree_sets else Way.AGREE_SETS
    distinct = (rows.codes.max(axis=1) + 1).tolist()
    return Choice(
        way,
        f"{shape}, {min(distinct):,} to {max(distinct):,} distinct values: some {expected:,} dependencies by partitions"
        f" take about {by_partitions:.2g} s of a core, agree sets {by_agree_sets:.2g} s",
    )


def expected_dependencies(rows: Encoded, space: PredicateSpace, question: Question) -> int:
    """How many minimal dependencies a sample of the rows has, at least 1; of at most 20 columns."""
    chosen = np.random.default_rng(0).permutation(rows.rows)[:SAMPLED_ROWS]
    sample = Encoded(rows.columns, np.ascontiguousarray(rows.codes[:, np.sort(chosen)]))
    agree = agree_sets_of_rows(sample, space, threads=1)
    columns = len(rows.columns)
    rights = range(columns) if question.kind is Kind.FD else [NO_RHS]
    longest = columns if question.longest is None else question.longest
    limit = violations_limit(question.max_error, sample.rows * (sample.rows - 1))
    return max(1, sum(len(found) for _, found in minimal_masks(agree, rights, longest, limit)))


def _seconds_of_agree_sets(rows: Encoded, space: PredicateSpace, by_partitions: float) -> float:
    """By the cheaper of lattice and pairs; what is expected to be compared is asked for only where it can decide."""
    columns, size = len(rows.columns), rows.rows
    sets = 1 << columns
    sums = columns * SET_AND_COLUMN * sets
    lattice = size * ROW_AND_SET * sets
    pairs = size * (size - 1) / 2
    compared = pairs * columns * PAIR_AND_COLUMN
    most = sums + min(lattice, compared)
    if pairs <= MOST_PAIRS and most * LEAST_COMPARED < by_partitions < most:
        compared = compared_pairs(rows, space) * columns * PAIR_AND_COLUMN
    return sums + min(lattice, compared)
