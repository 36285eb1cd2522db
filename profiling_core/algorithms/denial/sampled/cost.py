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
from profiling_core.algorithms.evidence.multiset import AllPairs, self_evidence
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.algorithms.hitting_sets.inversion import maximal_cover, minimal_cover
from profiling_core.algorithms.values.encoding import Encoded, encode
from profiling_core.model.errors import CapacityError, EffortError
from profiling_core.model.predicate import PredicateSpace

# Seconds of one core, as measured (`make fit-dc-costs` measures them again): a compared pair, per group of the space
# (0.10 to 0.13 ns: adult, lineitem, weather, claims; 10 to 16 groups); a distinct evidence beside it (0.5 µs: weather,
# 322,000; dynast_adult, 1.7 million); a row in the check of a constraint (25 ns: flights, 23: claims), and in counts
# of what satisfies all its predicates but one, per predicate (4 ns: lineitem; 8: flights).
PAIR_AND_GROUP = 0.11e-9
NEW_EVIDENCE = 0.5e-6
CHECKED_ROW = 0.025e-6
COUNTED_ROW = 0.008e-6
# Inverting n times as many evidences of a table takes n to this power times as long (0.67: weather, 0.73:
# dynast_adult, each at most 4 predicates; less where all evidences are nearly known).
INVERSION_GROWS = 0.7
# All pairs that take less are compared before a sample is drawn, which takes about as long. With 0.5 orders took 1.5
# and airport_inc across columns 3.4 times what Hydra takes; with 0.05 ncvoter 3.8 and flights2 1.15 times all pairs.
LEAST_SECONDS = 0.1
# Rows whose evidence is counted to see whether pairs rarely repeat each other.
GLANCED = 400
# Pairs times groups that are compared to see how evidences grow, and the least number of rows.
_GLANCED_WORK, _LEAST_ROWS = 30_000_000, 100
# What a look at Hydra's cost may take at each step: a share of what all pairs cost at least, and seconds beside; an
# hour at most. Where inverting the known evidences takes longer, Hydra inverts for too long.
LOOK_SHARE, LOOK_SECONDS, LONGEST_LOOK = 0.05, 0.05, 3600.0
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


def seconds_of_pairs(all_pairs: AllPairs) -> float:
    """The estimated cost of comparing all pairs; at most that, where it is below :data:`LEAST_SECONDS`.

    What the evidences that pairs do not share cost is told from some of the rows, and only to be below that.
    """
    rows, space = all_pairs.rows, all_pairs.space
    each = len(space.groups) * PAIR_AND_GROUP
    pairs = rows.rows * (rows.rows - 1) / 2
    if pairs * (each + NEW_EVIDENCE) < LEAST_SECONDS:
        return pairs * each
    few = pairs * each + _expected(_some(rows, GLANCED), space, pairs) * NEW_EVIDENCE < LEAST_SECONDS
    return (pairs if few else all_pairs.cost) * each


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


def evidences_of_pairs(known: KnownEvidences) -> float:
    """About how many distinct evidences all ordered pairs of the rows have, from random pairs: the order of magnitude.

    They grow with the pairs by a power, taken from these and half of them, that falls as evidences repeat: it gave 2.5
    times what there are of weather, 4 times of adult, and 25 times of dynast_adult, where half of the pairs are new.
    """
    rows, seen = known.rows.rows, known.seen
    half = float((1 - np.exp2(-seen.astype(np.float64))).sum())
    power = math.log2(len(seen) / half) if half else 1.0
    return float(len(seen) * max(1.0, rows * (rows - 1) / max(1, int(seen.sum()))) ** power)


def estimate(
    known: KnownEvidences,
    rows: int,
    space: PredicateSpace,
    *,
    max_predicates: int | None,
    reduced: bool = True,
    compared: float,
    evidences: float = 0,
) -> Estimate:
    """Both ways' cost after sampling.

    Args:
        known: the sampled evidences.
        rows: the table's number of rows.
        space: the predicate space.
        max_predicates: the bound on length; None or 0: unbounded.
        reduced: whether only the reduced cover's supports are counted.
        compared: :func:`seconds_of_pairs`.
        evidences: :func:`evidences_of_pairs`.
    """
    invert = maximal_cover if reduced else minimal_cover
    pairs, grows = compared + evidences * NEW_EVIDENCE, max(1.0, evidences / max(1, len(known))) ** INVERSION_GROWS
    allowed = LONGEST_LOOK
    if LOOK_SHARE * grows < 1:
        # All pairs take at least what comparing them does, and inverting more evidences than are looked at.
        allowed = min(allowed, (LOOK_SHARE * pairs + LOOK_SECONDS) / (1 - LOOK_SHARE * grows))
    effort = Effort(allowed, "the look at a cover")
    try:
        cover = invert(known.masks, space, max_predicates=max_predicates, effort=effort)
    except EffortError:
        return Estimate(pairs + grows * allowed, float("inf"))
    checked = (strongest if reduced else reduced_cover)(cover, space)
    counted = checked if reduced else cover
    hydra = rows * (len(checked) * CHECKED_ROW + sum(map(len, counted)) * COUNTED_ROW)
    return Estimate(pairs + grows * (allowed - effort.left), hydra, cover)
