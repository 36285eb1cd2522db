"""Which way finds a table's FDs and UCCs from scratch: agree sets of its pairs of rows, or partitions of its rows.

All pairs cost what the columns' distinct values and their frequencies say, whatever dependencies there are. Partitions
cost counts of rows for each dependency found. How many there are, the agree sets of a few rows tell; distinct values do
not, for columns that follow from each other look as if they had nothing in common (docs/tried/engines.md, 31).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from profiling_core.algorithms.dependencies.agree_sets.agreement import AgreeSets
from profiling_core.algorithms.dependencies.covers import narrow_covers
from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds, violations_limit
from profiling_core.algorithms.dependencies.from_agree_sets import agree_sets_of_rows, cover_of
from profiling_core.algorithms.dependencies.search import levelwise
from profiling_core.algorithms.evidence.multiset import AllPairs
from profiling_core.algorithms.ground.column_sets import NO_RHS
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.constraint import Kind
from profiling_core.model.predicate import PredicateSpace

# Pairs that are compared before anything is estimated: some hundredths of a second.
FEW_PAIRS = 10_000_000
# With more pairs a wide table goes by partitions, and comparing a narrow one's pairs is not considered.
MOST_PAIRS = 2_000_000_000
SAMPLED_ROWS = 1_000
# Seconds of one core, as measured on ten tables of 4,000 to 337,000 rows: a compared pair, per column; a column set and
# column of the sums over all sets; a row of the lattice of all column sets; a row, per dependency that Pyro finds.
PAIR_AND_COLUMN = 0.2e-9
SET_AND_COLUMN = 45e-9
ROW_AND_SET = 2.5e-9
ROW_AND_DEPENDENCY = 15e-9
# The least share of the pairs that is compared, but for rare cases.
LEAST_COMPARED = 0.1
# Approximate dependencies of wide tables. DEPENDENCY: seconds that Pyro takes per dependency of hundreds of columns.
# MOST_PAIRS_AND_COLUMNS: agree sets take about a byte per pair and column, if no two pairs agree on the same columns.
# MOST_SETS: column sets that are visited in a sample before costs are compared. FEW_SECONDS: a search by level that
# takes at most this time needs no sample of rows.
DEPENDENCY = 70e-6
MOST_PAIRS_AND_COLUMNS = 1 << 32
MOST_SETS = 500_000
FEW_SECONDS = 5.0
SAMPLED_ROWS_OF_WIDE = 200


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
    """The question: FDs or UCCs, of at most ``longest`` columns on the left, up to an error (g1)."""

    kind: Kind
    longest: int | None = None
    max_error: float = 0.0

    def rights(self, columns: int) -> Sequence[int]:
        """The right sides in a table of ``columns`` columns."""
        return range(columns) if self.kind is Kind.FD else [NO_RHS]

    @property
    def bounds(self) -> CoverBounds:
        """The bounds of the dependencies of the kind; the other kind has none."""
        if self.kind is Kind.FD:
            return CoverBounds(self.longest, 0, self.max_error, 0.0)
        return CoverBounds(0, self.longest, 0.0, self.max_error)


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
    if columns > narrow_covers.WIDEST:
        if pairs > MOST_PAIRS:
            return Choice(Way.PARTITIONS, f"{shape}: {pairs:,} pairs of rows are too many to compare")
        if question.max_error > 0:
            return _choose_approximate(rows, space, question, shape)
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


def _choose_approximate(rows: Encoded, space: PredicateSpace, question: Question, shape: str) -> Choice:
    """The way to approximate dependencies of a wide table: level by level over agree sets, or by partitions."""
    columns = len(rows.columns)
    pairs = rows.rows * (rows.rows - 1) // 2
    if pairs * columns > MOST_PAIRS_AND_COLUMNS:
        return Choice(Way.PARTITIONS, f"{shape}: {pairs:,} pairs of rows may have too many agree sets to keep")
    rights = columns if question.kind is Kind.FD else 1
    sets = levelwise.most_sets(columns, question.longest)
    by_levels = levelwise.seconds(sets, rights, pairs)
    if by_levels < FEW_SECONDS:
        return Choice(
            Way.AGREE_SETS,
            f"{shape}: {sets:,} sets of columns take at most about {by_levels:.2g} s of a core, by level",
        )
    sets, expected = _expected_visits(rows, space, question)
    by_levels = levelwise.seconds(sets, rights, pairs)
    by_partitions = expected * (rows.rows * ROW_AND_DEPENDENCY + DEPENDENCY)
    way = Way.AGREE_SETS if by_levels <= by_partitions else Way.PARTITIONS
    return Choice(
        way,
        f"{shape}: some {expected:,} dependencies by partitions take about {by_partitions:.2g} s of a core,"
        f" {'' if sets <= MOST_SETS else 'the first '}{sets:,} sets of columns by level {by_levels:.2g} s",
    )


def _expected_visits(rows: Encoded, space: PredicateSpace, question: Question) -> tuple[int, int]:
    """The column sets that the first levels of a sample visit, and the dependencies that they find; at least 1 each."""
    agree = _sampled(rows, space, SAMPLED_ROWS_OF_WIDE)
    columns = len(rows.columns)
    visited = found = 0
    longest = columns if question.longest is None else question.longest
    limit = violations_limit(question.max_error, agree.population)
    for sets, satisfied in levelwise.levels(agree, question.rights(columns), longest, limit):
        visited += len(sets)
        found += int(np.bitwise_count(satisfied).sum())
        if visited > MOST_SETS:
            break
    return max(1, visited), max(1, found)


def expected_dependencies(rows: Encoded, space: PredicateSpace, question: Question) -> int:
    """How many minimal dependencies a sample of the rows has, at least 1; of at most 20 columns."""
    agree = _sampled(rows, space, SAMPLED_ROWS)
    return max(1, len(cover_of(agree, question.bounds, question.rights(len(rows.columns)))))


def _sampled(rows: Encoded, space: PredicateSpace, size: int) -> AgreeSets:
    """The agree sets of ``size`` rows."""
    chosen = np.random.default_rng(0).permutation(rows.rows)[:size]
    sample = Encoded(rows.columns, np.ascontiguousarray(rows.codes[:, np.sort(chosen)]))
    return agree_sets_of_rows(sample, space)


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
        compared = AllPairs(rows, space).cost * columns * PAIR_AND_COLUMN
    return sums + min(lattice, compared)
