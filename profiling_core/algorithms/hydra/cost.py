"""Whether Hydra or the evidence of all pairs finds a table's constraints sooner, from a sample of the table.

All pairs cost what the evidence expects to compare, n²/2 at worst, whatever constraints hold. Hydra costs a check of
each constraint of the cover, and of its parts for their support, each about linear in n; so much depends on how many
constraints there are, and that follows from the sampled evidences.
"""

from dataclasses import dataclass

from profiling_core.algorithms.denial.inversion import minimal_cover
from profiling_core.algorithms.evidence.multiset import compared_pairs
from profiling_core.algorithms.hydra.known_evidences import KnownEvidences
from profiling_core.algorithms.values.encoding import Encoded
from profiling_core.model.predicate import PredicateSpace

# Seconds of one core, as measured: a compared pair, per group of the space (11 to 17 groups); a row in the check of a
# constraint, and in the count of what satisfies all its predicates but one (6 to 40 ns: lineitem, 10⁶
# rows, and airport, 30,000; 0.4 µs: airport).
PAIR_AND_GROUP = 0.3e-9
CHECKED_ROW = 0.02e-6
COUNTED_ROW = 0.5e-6
# All pairs that take less are compared before a sample is drawn.
LEAST_SECONDS = 2.0
# Unbounded covers from more evidences than these take so long to invert that inverting twice does not pay.
_INVERTED_TWICE = 20_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated seconds of one core by each way; Hydra is not possible where its figure is infinite."""

    pairs: float
    hydra: float

    @property
    def hydra_is_cheaper(self) -> bool:
        """Whether to go Hydra's way."""
        return self.hydra < self.pairs


def seconds_of_pairs(rows: Encoded, space: PredicateSpace) -> float:
    """The estimated cost of the evidence of all pairs."""
    return compared_pairs(rows, space) * len(space.groups) * PAIR_AND_GROUP


def estimate(
    known: KnownEvidences, rows: int, space: PredicateSpace, *, max_predicates: int | None, pairs: float
) -> Estimate:
    """Both ways' cost after sampling.

    Args:
        known: the sampled evidences.
        rows: the table's number of rows.
        space: the predicate space.
        max_predicates: the bound on length; None or 0: unbounded.
        pairs: :func:`seconds_of_pairs`.
    """
    if not max_predicates and len(known) > _INVERTED_TWICE:
        return Estimate(pairs, float("inf"))
    cover = minimal_cover(known.masks, space, max_predicates=max_predicates)
    return Estimate(pairs, rows * (len(cover) * CHECKED_ROW + sum(map(len, cover)) * COUNTED_ROW))
