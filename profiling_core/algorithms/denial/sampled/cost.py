"""Whether Hydra or the evidence of all pairs finds a table's constraints sooner, from a sample of the table.

All pairs cost what the evidence expects to compare, n²/2 at worst, whatever constraints hold. Hydra costs a check of
each constraint of the cover, and of its parts for their support, each about linear in n; the cost depends on how many
constraints there are, and that follows from the sampled evidences.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.denial.cover import reduced_cover_masks
from profiling_core.algorithms.denial.sampled.known_evidences import KnownEvidences
from profiling_core.algorithms.denial.sampled.sampling import USUAL, planned
from profiling_core.algorithms.evidence.multiset import AllPairs, self_evidence
from profiling_core.algorithms.evidence.tile_kernel import key_words
from profiling_core.algorithms.ground.bit_words import WORD, Masks, counts
from profiling_core.algorithms.ground.effort import Effort
from profiling_core.algorithms.hitting_sets.inversion import maximal_cover_masks, minimal_cover_masks
from profiling_core.algorithms.values.encoding import Encoded, encode
from profiling_core.model.errors import CapacityError, EffortError
from profiling_core.model.predicate import PredicateSpace

# Seconds of one core; `make fit-dc-costs` measures all of them again. By tall tables: a compared pair, per group of the
# space (0.10 to 0.13 ns: adult, lineitem, weather, claims; 10 to 16 groups); a row in the check of a constraint (25 ns:
# flights, 23: claims) and in a count of what satisfies all its predicates but one, per predicate (4 ns: lineitem; 8:
# flights). By that command on twelve tables of up to 15,000 rows: a distinct evidence beside its pair, per word of its
# key; a sampled pair, and each group by which it is compared; each check and each count beside its rows; 64 evidences
# in a count by evidences, per predicate.
PAIR_AND_GROUP = 0.11e-9
NEW_EVIDENCE = 0.12e-6
SAMPLED = 0.064e-6
SAMPLED_GROUP = 0.014e-6
CHECKED = 0.11e-3
CHECKED_ROW = 0.025e-6
COUNTED = 0.11e-3
COUNTED_ROW = 0.008e-6
COUNTED_WORD = 24e-9
# Inverting n times as many evidences of a table takes n to this power times as long (0.67: weather, 0.73:
# dynast_adult, each at most 4 predicates; less where all evidences are nearly known).
INVERSION_GROWS = 0.7
# All pairs that take less, whatever they bring, are compared at once: a look takes milliseconds.
LEAST_SECONDS = 0.02
# Pairs times groups that are compared to see how evidences grow, and the least number of rows.
_GLANCED_WORK, _LEAST_ROWS = 30_000_000, 100
# What a look at Hydra's cost may take at each step, as a share of what all pairs cost at least, in the work that is
# counted, which is up to four times what looks take; an hour at most. Where inverting the known evidences takes longer,
# Hydra inverts for too long.
LOOK_SHARE, LONGEST_LOOK = 0.2, 3600.0
# A sample that costs less than this share of comparing all pairs is drawn without a look beforehand: inverting and
# counting take as long again.
CHEAP = 0.2
# What a look tells of Hydra's cost is up to about this many times what the whole sample tells later (1 to 3: lineitem,
# adult, airport; 24: weather): as evidences grow, covers of bounded length fall.
VAGUE = 10
# How they fall is seen by the cover of this part of the known evidences, the first ones.
FEWER = 4


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated seconds of one core by each way; Hydra takes too long to tell where its figure is infinite.

    ``cover``: that of the sampled evidences, which the estimate is made by; maximal if the reduced cover is wanted.
    """

    pairs: float
    hydra: float
    cover: Masks | None = None

    @property
    def hydra_is_cheaper(self) -> bool:
        """Whether to go Hydra's way."""
        return self.hydra < self.pairs

    def may_pay(self, sampling: float) -> bool:
        """Whether to sample on at this cost: the random pairs so far do not rule it out."""
        return self.hydra < VAGUE * (self.pairs - sampling)


def seconds_of_pairs(all_pairs: AllPairs) -> float:
    """The estimated cost of comparing all pairs, without what distinct evidences cost."""
    return all_pairs.cost * len(all_pairs.space.groups) * PAIR_AND_GROUP


def seconds_of_evidences(evidences: float, space: PredicateSpace) -> float:
    """The estimated cost of distinct evidences, beside that of comparing their pairs."""
    return evidences * key_words(space) * NEW_EVIDENCE


def are_few(all_pairs: AllPairs) -> bool:
    """Whether comparing all pairs costs less than Hydra's random pairs, or next to nothing, whatever they bring."""
    rows, space = all_pairs.rows, all_pairs.space
    pairs = rows.rows * (rows.rows - 1) / 2
    at_most = pairs * len(space.groups) * PAIR_AND_GROUP + seconds_of_evidences(pairs, space)
    return at_most < max(LEAST_SECONDS, seconds_of_sampling(rows, space))


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
    rows = encode(sample, space)
    some = Encoded(rows.columns, np.ascontiguousarray(rows.codes[:, :: max(1, -(-rows.rows // most))]))
    half = Encoded(some.columns, np.ascontiguousarray(some.codes[:, ::2]))
    fewer, more = (n * (n - 1) / 2 for n in (half.rows, some.rows))
    try:
        few, many = (len(self_evidence(part, space)) for part in (half, some))
    except CapacityError:
        return all_pairs
    if fewer < 1 or not few:
        return all_pairs
    power = min(1.0, math.log(many / few) / math.log(more / fewer))
    return float(many * (all_pairs / more) ** power)


@dataclass(frozen=True, slots=True)
class Growth:
    """How distinct evidences grow with the pairs that are looked at, from random pairs: less with each doubling.

    ``evidences`` of ``pairs`` are known. The last doubling of the pairs multiplied the evidences by 2 to the ``power``;
    each next one has a power that is ``falls`` times that of the one before, as it was last. From a random pair per row
    of 25 tables and spaces this told 1/4 to 6 times the evidences of all pairs; a power that stays, up to 53 times.
    """

    evidences: int
    pairs: int
    power: float
    falls: float = 1.0

    @classmethod
    def of(cls, known: KnownEvidences) -> "Growth":
        """The growth of evidences of random pairs."""
        seen = known.seen.astype(np.float64)
        quarter, half = (float((1 - (1 - share) ** seen).sum()) for share in (0.25, 0.5))
        powers = [math.log2(more / fewer) if fewer else 1.0 for fewer, more in ((quarter, half), (half, len(seen)))]
        falls = min(1.0, powers[1] / powers[0]) if powers[0] else 1.0
        return cls(len(seen), max(1, int(known.seen.sum()) // 2), powers[1], falls)

    def expected(self, rows: int) -> float:
        """About how many evidences all pairs of the rows have, at least those that are known."""
        doublings = math.log2(max(1.0, rows * (rows - 1) / 2 / self.pairs))
        summed = doublings if self.falls == 1 else (1 - self.falls**doublings) / (1 - self.falls)
        return float(self.evidences * 2 ** (self.power * self.falls * summed))

    def needed(self, evidences: float) -> float:
        """The pairs that are needed to know that number of evidences; infinite if they never are."""
        wanted, next_power = math.log2(max(1.0, evidences / max(1, self.evidences))), self.power * self.falls
        try:
            doublings = (
                wanted / next_power
                if self.falls == 1
                else math.log(1 - wanted * (1 - self.falls) / next_power) / math.log(self.falls)
            )
            return float(self.pairs * 2**doublings)
        except (OverflowError, ValueError, ZeroDivisionError):
            return math.inf


def seconds_of_sampling(rows: Encoded, space: PredicateSpace, growth: Growth | None = None) -> float:
    """The estimated cost of sampling as usual: random pairs and each focus once, unless enough is known sooner.

    Args:
        rows: the rows, encoded for the space.
        space: the predicate space.
        growth: of evidences; None: unknown, the random pairs alone, at most one per pair that there is.
    """
    if growth is None:
        pairs = float(USUAL.random_pairs(rows.rows))
    else:
        pairs = min(planned(rows, space, USUAL), growth.needed(USUAL.evidences(rows.rows)))
    return pairs * seconds_of_sampled(space)


def seconds_of_sampled(space: PredicateSpace) -> float:
    """The estimated cost of a sampled pair."""
    return SAMPLED + len(space.groups) * SAMPLED_GROUP


def asked_counts(lengths: NDArray[np.int64], predicates: int) -> Iterator[tuple[int, int]]:
    """About how many conjunctions of each length are all predicates of a constraint but one, and that length."""
    for length, number in zip(*np.unique(lengths, return_counts=True), strict=True):
        yield min(int(number * length), math.comb(predicates, int(length) - 1)), int(length) - 1


def seconds_of_counts(lengths: NDArray[np.int64], rows: int, predicates: int) -> float:
    """The estimated cost of counting the supports of constraints of these lengths from rows."""
    return sum(
        number * (COUNTED + length * rows * COUNTED_ROW)
        for number, length in asked_counts(lengths, predicates)
        if length
    )


def rows_tell_supports_sooner(dcs: Sequence[tuple[int, ...]], rows: int, evidences: float, predicates: int) -> bool:
    """Whether counting the supports of constraints from rows is estimated to cost less than from evidences."""
    lengths = np.fromiter(map(len, dcs), np.int64, len(dcs))
    return seconds_of_counts(lengths, rows, predicates) < _by_evidences(lengths, evidences)


def _by_evidences(lengths: NDArray[np.int64], evidences: float) -> float:
    return float(lengths.sum()) * evidences / WORD * COUNTED_WORD


def estimate(
    known: KnownEvidences,
    all_pairs: AllPairs,
    compared: float,
    growth: Growth,
    *,
    max_predicates: int | None,
    reduced: bool = True,
    decides: bool = True,
) -> Estimate:
    """The remaining cost of both ways after sampling.

    Args:
        known: the sampled evidences.
        all_pairs: of the table.
        compared: :func:`seconds_of_pairs`.
        growth: of evidences with random pairs.
        max_predicates: the bound on length; None or 0: unbounded.
        reduced: whether only the reduced cover's supports are counted.
        decides: whether what is told decides; else more is sampled where it :meth:`Estimate.may_pay`.
    """
    rows, space = all_pairs.rows.rows, all_pairs.space
    evidences = growth.expected(rows)
    invert = partial(
        maximal_cover_masks if reduced else minimal_cover_masks, space=space, max_predicates=max_predicates
    )
    pairs = compared + seconds_of_evidences(evidences, space)
    more = max(1.0, evidences / max(1, len(known)))
    grows = more**INVERSION_GROWS
    allowed = LONGEST_LOOK
    if LOOK_SHARE * grows < 1:
        # All pairs take at least what comparing them does, and inverting more evidences than are looked at.
        allowed = min(allowed, LOOK_SHARE * pairs / (1 - LOOK_SHARE * grows))
    effort = Effort(allowed, "the look at a cover")
    try:
        cover = invert(known.masks, effort=effort)
    except EffortError:
        return Estimate(pairs + grows * allowed, float("inf"))
    checked = cover if reduced and space.is_same_column else reduced_cover_masks(cover, space)
    lengths = counts(checked if reduced else cover)
    supports = seconds_of_counts(lengths, rows, len(space.predicates))
    pairs += grows * (allowed - effort.left) + min(supports, _by_evidences(lengths, evidences))
    hydra = len(checked) * (CHECKED + rows * CHECKED_ROW) + supports
    if decides and pairs <= hydra < VAGUE * pairs:
        hydra *= _lasting(len(cover), len(invert(known.masks[: len(known) // FEWER])), more)
    return Estimate(pairs, hydra, cover)


def _lasting(members: int, of_fewer: int, more: float) -> float:
    """The share of a cover that more evidences leave, as it fell since a part of these was known; 1 where it grew."""
    return float(min(1.0, members / max(1, of_fewer)) ** math.log(more, FEWER))
