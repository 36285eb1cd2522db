"""Whether Hydra or the evidence of all pairs finds a table's constraints sooner, from a sample of the table.

All pairs cost what the evidence expects to compare, n²/2 at worst, whatever constraints hold. Hydra costs a check of
each constraint of the cover, and of its parts for their support, each about linear in n; the cost depends on how many
constraints there are, and that follows from the sampled evidences.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.denial.cover import reduced_cover, strongest
from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences
from profiling_core.algorithms.evidence.multiset import compared_pairs, self_evidence
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.algorithms.hitting_sets.inversion import maximal_cover, minimal_cover
from profiling_core.algorithms.values.encoding import Encoded, encode
from profiling_core.model.errors import CapacityError, EffortError
from profiling_core.model.predicate import PredicateSpace

# Seconds of one core, as measured: a compared pair, per group of the space (0.10 to 0.13 ns: adult, lineitem, weather,
# claims; 10 to 16 groups), and more where it has an evidence not met before (dynast_adult); a row in the check of a
# constraint (25 ns: flights, 23: claims), and in the counts of what satisfies all its predicates but one, per predicate
# (4 ns: lineitem; 8: flights).
PAIR_AND_GROUP = 0.11e-9
NEW_EVIDENCE = 10e-9
CHECKED_ROW = 0.025e-6
COUNTED_ROW = 0.008e-6
# All pairs that take less are compared before a sample is drawn, which takes about as long.
LEAST_SECONDS = 0.5
# Rows whose evidence is counted to see whether pairs rarely repeat each other.
GLANCED = 400
# Pairs times groups that are compared to see how evidences grow, and the least number of rows.
_GLANCED_WORK, _LEAST_ROWS = 30_000_000, 100
# What a look at Hydra's cost may take at each step: a share of what all pairs cost, and seconds beside. Where inverting
# the known evidences takes longer, Hydra inverts for too long.
LOOK_SHARE, LOOK_SECONDS = 0.1, 0.05
# What random pairs alone tell of Hydra's cost is up to this many times what focused ones tell later (lineitem: 1.7).
VAGUE = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated seconds of one core by each way; Hydra takes too long to tell where its figure is infinite.

    ``cover``: that of the sampled evidences, which the estimate is made by; maximal if the reduced cover is wanted.
    """

    pairs: float
    hydra: float
    cover: Sequence[tuple[int, ...]] = ()

    @property
    def hydra_is_cheaper(self) -> bool:
        """Whether to go Hydra's way."""
        return self.hydra < self.pairs

    @property
    def hydra_may_be_cheaper(self) -> bool:
        """Whether to sample further: random pairs alone do not rule it out."""
        return self.hydra < VAGUE * self.pairs


def seconds_of_pairs(rows: Encoded, space: PredicateSpace) -> float:
    """The estimated cost of the evidence of all pairs; at most that, where it is below :data:`LEAST_SECONDS`.

    What the evidences that pairs do not share cost is told from some of the rows.
    """
    each = len(space.groups) * PAIR_AND_GROUP
    pairs = rows.rows * (rows.rows - 1) / 2
    if pairs * (each + NEW_EVIDENCE) < LEAST_SECONDS:
        return pairs * each
    new = _expected(_some(rows, GLANCED), space, pairs) * NEW_EVIDENCE
    few = pairs * each + new < LEAST_SECONDS
    return (pairs if few else compared_pairs(rows, space)) * each + new


def expected_evidences(sample: pa.Table, space: PredicateSpace, all_pairs: float) -> float:
    """About how many distinct evidences ``all_pairs`` pairs of a table's rows have: the order of magnitude.

    They grow with the pairs by a power that falls as evidences repeat. Here it is taken from a sample and half of it:
    from 1,500 rows of flights and weather it gave twice what there are.

    Args:
        sample: rows of the table, evenly drawn; if the space is large only some of them are compared.
        space: the predicate space.
        all_pairs: the number of pairs.
    """
    most = max(_LEAST_ROWS, math.isqrt(2 * _GLANCED_WORK // len(space.groups)))
    return _expected(_some(encode(sample, space), most), space, all_pairs)


def _some(rows: Encoded, most: int) -> Encoded:
    """At most ``most`` of the rows, evenly drawn."""
    return Encoded(rows.columns, np.ascontiguousarray(rows.codes[:, :: max(1, -(-rows.rows // most))]))


def _expected(sample: Encoded, space: PredicateSpace, all_pairs: float) -> float:
    half = Encoded(sample.columns, np.ascontiguousarray(sample.codes[:, ::2]))
    fewer, more = (n * (n - 1) / 2 for n in (half.rows, sample.rows))
    try:
        few, many = (len(self_evidence(part, space)) for part in (half, sample))
    except CapacityError:
        return all_pairs
    if fewer < 1 or not few:
        return all_pairs
    power = min(1.0, math.log(many / few) / math.log(more / fewer))
    return float(many * (all_pairs / more) ** power)


def estimate(
    known: KnownEvidences,
    rows: int,
    space: PredicateSpace,
    *,
    max_predicates: int | None,
    reduced: bool = True,
    pairs: float,
) -> Estimate:
    """Both ways' cost after sampling.

    Args:
        known: the sampled evidences.
        rows: the table's number of rows.
        space: the predicate space.
        max_predicates: the bound on length; None or 0: unbounded.
        reduced: whether only the reduced cover's supports are counted.
        pairs: :func:`seconds_of_pairs`.
    """
    invert = maximal_cover if reduced else minimal_cover
    effort = Effort(LOOK_SHARE * pairs + LOOK_SECONDS, "the look at a cover")
    try:
        cover = invert(known.masks, space, max_predicates=max_predicates, effort=effort)
    except EffortError:
        return Estimate(pairs, float("inf"))
    checked = (strongest if reduced else reduced_cover)(cover, space)
    counted = checked if reduced else cover
    new = len(known) / max(1, int(known.seen.sum()))
    pairs *= 1 + new * NEW_EVIDENCE / (len(space.groups) * PAIR_AND_GROUP)
    return Estimate(pairs, rows * (len(checked) * CHECKED_ROW + sum(map(len, counted)) * COUNTED_ROW), cover)
