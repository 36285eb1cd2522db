"""Hydra's sampling: random pairs, then pairs in the foci that still bring evidences not seen before.

A *focus* is a column and a strategy: partners *within* the same cluster of equal values, from any *other* cluster, or
from a later (*forth*) or an earlier one (*back*). The focus with the best yield is applied next, until all yield less
than the threshold. What sampling misses is only work for completion; it never changes a result.
Source: Bleifuß et al., Hydra, section 4.
"""

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences, Pairs
from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.values.encoding import NULL, Encoded, columns_of
from profiling_core.model.predicate import PredicateSpace

_PORTIONS = 8
# Where evidences abound, a sample never comes to an end, and short constraints need few of them. The fewer rows,
# the sooner checks find what is missing: 50,000 were found and completed in half the time of 200,000 on weather and
# adult (26,115 and 32,561 rows, at most 4 predicates), in the same time on lineitem (60,175), in twice that on flights
# (336,776).
LEAST_EVIDENCES, MOST_EVIDENCES = 50_000, 200_000


@dataclass(frozen=True, slots=True)
class Sampling:
    """How much is sampled; none of it changes a result.

    ``partners``: random partners per row, the paper's k; ``threshold``: the yield below which a focus is given up;
    ``most_random``: random pairs of a table at most; ``most_rows``: rows per application of a focus at most;
    ``most_focused``: pairs of all foci, about at most; ``enough``: the evidences that end the sampling. The paper has
    the first two alone. None: no bound, except that ``enough`` follows from the number of rows then.
    """

    partners: int = 20
    threshold: float = 0.005
    most_random: int | None = 400_000
    most_rows: int | None = 1 << 16
    most_focused: int | None = None
    enough: int | None = None

    def random_pairs(self, rows: int) -> int:
        """How many random pairs of a table of ``rows`` rows are looked at."""
        wanted = self.partners * rows
        return min(wanted, self.most_random or wanted)

    def evidences(self, rows: int) -> int:
        """How many evidences end the sampling of a table of ``rows`` rows."""
        return self.enough or min(max(LEAST_EVIDENCES, rows), MOST_EVIDENCES)


USUAL = Sampling()


@kernel
def _clustered(codes: Codes, greatest: int) -> tuple[Codes, Codes, Codes]:
    """Rows in order of their codes, each row's place in it, and where each code's rows begin, null's first."""
    bounds = np.zeros(greatest + 3, np.int32)
    for code in codes:
        bounds[code + 2] += 1
    for code in range(2, bounds.size):
        bounds[code] += bounds[code - 1]
    order = np.empty(codes.size, np.int32)
    place = np.empty(codes.size, np.int32)
    filled = bounds.copy()
    for row in range(codes.size):
        at = filled[codes[row] + 1]
        filled[codes[row] + 1] += 1
        order[at] = row
        place[row] = at
    return order, place, bounds


class Strategy(Enum):
    """Which rows a focus pairs a row with."""

    WITHIN = "within"
    OTHER = "other"
    FORTH = "forth"
    BACK = "back"


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """A column's rows in order of its codes: ``order`` (nulls first), and per row its cluster's bounds in it."""

    order: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    place: NDArray[np.int32]
    nulls: int

    @classmethod
    def of(cls, codes: Codes) -> "Clustering":
        """The clustering of one column."""
        order, place, bounds = _clustered(codes, int(codes.max(initial=NULL)))
        return cls(order, bounds[codes + 1], bounds[codes + 2], place, int(bounds[1]))

    def pairs(self, rows: Pairs, strategy: Strategy, random: np.random.Generator) -> Pairs:
        """One random partner of each of the rows that has any by the strategy; int64[k, 2]."""
        start, end = self.start[rows].astype(np.int64), self.end[rows].astype(np.int64)
        place = self.place[rows].astype(np.int64)
        least = np.full(len(rows), self.nulls)
        low, high = {
            Strategy.WITHIN: (start, end - 1),
            Strategy.OTHER: (np.zeros_like(start), len(self.order) - (end - start)),
            Strategy.FORTH: (end, np.where(start < self.nulls, end, len(self.order))),
            Strategy.BACK: (least, start),
        }[strategy]
        some = low < high
        rows, low, high = rows[some], low[some], high[some]
        chosen = random.integers(low, high) if len(rows) else low
        if strategy is Strategy.WITHIN:
            chosen += chosen >= place[some]
        elif strategy is Strategy.OTHER:
            chosen += np.where(chosen >= start[some], (end - start)[some], 0)
        return np.column_stack([rows, self.order[chosen]]).astype(np.int64)


def random_pairs(rows: int, random: np.random.Generator, asked: Sampling) -> Iterator[Pairs]:
    """Pairs of every row with random others, in large tables fewer, in portions; the first has a partner of each."""
    if rows < 2:
        return
    wanted, begins = asked.random_pairs(rows), 0
    for end in sorted(
        {wanted // asked.partners, *(wanted * portion // _PORTIONS for portion in range(1, _PORTIONS + 1))}
    ):
        t = np.arange(begins, end) % rows if wanted >= rows else random.integers(rows, size=end - begins)
        s = random.integers(rows - 1, size=end - begins)
        yield np.column_stack([t, s + (s >= t)])
        begins = end


def sample_randomly(known: KnownEvidences, portions: Iterable[Pairs], enough: int) -> None:
    """Look at random pairs until enough evidences are known."""
    for pairs in portions:
        known.observe(pairs)
        if len(known) >= enough:
            return


def _strategies(space: PredicateSpace) -> list[Sequence[Strategy]]:
    """What each column can be paired by: earlier and later there is only where it has an order."""
    ordered = {side.column for group in space.groups if group.ordered for side in (group.left, group.right)}
    return [list(Strategy) if name in ordered else [Strategy.WITHIN, Strategy.OTHER] for name in columns_of(space)]


def _foci(space: PredicateSpace) -> list[tuple[int, Strategy]]:
    return [(column, strategy) for column, own in enumerate(_strategies(space)) for strategy in own]


def planned(rows: Encoded, space: PredicateSpace, asked: Sampling) -> int:
    """The pairs that are looked at, at random and once by each focus, unless enough evidences are known sooner."""
    return asked.random_pairs(rows.rows) + len(_foci(space)) * min(rows.rows, asked.most_rows or rows.rows)


def sample_focused(
    known: KnownEvidences, rows: Encoded, space: PredicateSpace, random: np.random.Generator, asked: Sampling
) -> None:
    """Apply the foci of all columns, the best first, until none yields much, or enough is known or looked at."""
    if rows.rows < 2:
        return
    clusterings = [Clustering.of(codes) for codes in rows.codes]
    enough, most, looked = asked.evidences(rows.rows), asked.most_rows or rows.rows, 0
    most_looked = math.inf if asked.most_focused is None else asked.most_focused

    def goes_on() -> bool:
        return len(known) < enough and looked < most_looked

    def apply(column: int, strategy: Strategy) -> float:
        nonlocal looked
        chosen = np.arange(rows.rows)
        if rows.rows > most:
            chosen = random.integers(rows.rows, size=most)
        pairs = clusterings[column].pairs(chosen, strategy, random)
        looked += len(pairs)
        return known.observe(pairs) / len(pairs) if len(pairs) else 0.0

    queue = [(-apply(column, strategy), column, strategy.value) for column, strategy in _foci(space) if goes_on()]
    heapq.heapify(queue)
    while queue and -queue[0][0] >= asked.threshold and goes_on():
        _, column, strategy_name = heapq.heappop(queue)
        heapq.heappush(queue, (-apply(column, Strategy(strategy_name)), column, strategy_name))
