"""Which of thousands of constraints a person should see first.

A row constraint is *surprising* when many violations would be expected and none is seen. Leave one predicate p out:
some pairs satisfy the rest; if p were independent of the rest, a share sel(p) of them would satisfy p too and be a
violation. The least such expectation over all p is what the constraint is worth: every predicate must earn its place,
so that neither a key column on the left nor a rare value can make a constraint look strong. The logarithm of how many
times as many are expected as are seen is the score.
A constraint of one predicate has no other parts. That a value of a row is never greater than another of it, as of two
dates, would be violated as often as values of different rows are, were the columns independent; a key of one column, by
as many pairs as rows (without null), were its values drawn from as many. Single measured numbers rarely repeat, and
are no keys.
Constraints on single rows are expected to be violated by rows, and there are as many rows as the square root of the
pairs: squares make the two comparable. Pairs that few rows can be part of are not expected either.
Compare: coverage and succinctness in Chu et al., "Discovering Denial Constraints" (VLDB 2013), section 5.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from profiling_core.algorithms.ground.bit_weights import weights_of_bits
from profiling_core.algorithms.ground.bit_words import popcount
from profiling_core.algorithms.ground.kernel import kernel
from profiling_core.algorithms.ground.weight_slices import WeightSlices, weight_slices
from profiling_core.model.constraint import Constraint, Measured, RowConstraint, as_denial_constraint
from profiling_core.model.predicate import Operator, PredicateSpace

C_co = TypeVar("C_co", bound=Constraint, covariant=True, default=Constraint)


@dataclass(frozen=True, slots=True)
class Ranked(Generic[C_co]):
    """A constraint with its figures and the score that its rank goes by (higher comes first)."""

    measured: Measured[C_co]
    score: float


def rank_rows(
    constraints: Sequence[RowConstraint],
    masks: NDArray[np.uint64],
    counts: NDArray[np.int64],
    space: PredicateSpace,
    rows: int,
    *,
    names: Collection[str] = (),
    candidates: int = 2_000,
) -> list[Ranked[RowConstraint]]:
    """Row constraints by falling score, measured exactly.

    Args:
        constraints: FDs, UCCs and DCs over the space's predicates.
        masks: uint64[e, w], the distinct predicate masks of ordered pairs.
        counts: int64[e], ordered pairs per mask.
        space: the predicate space.
        rows: the table's number of rows.
        names: the columns whose values may name a row (:attr:`~profiling_core.model.schema.TableSchema.naming`).
        candidates: how many constraints, the best by an estimate from single selectivities, are measured.
    """
    selectivity = _selectivities(masks, counts, len(space.predicates))
    alone = _selectivities_alone(selectivity, space, rows, names)
    indices = [_indices(constraint, space) for constraint in constraints]
    shares = [(alone if len(i) == 1 else selectivity)[i] for i in indices]
    estimates = np.array([np.prod(share) for share in shares])
    best = np.argsort(-estimates, kind="stable")[:candidates]
    chosen = [indices[i] for i in best]
    offsets = np.cumsum([0, *(len(i) for i in chosen)], dtype=np.int64)
    flat = np.concatenate(chosen) if chosen else np.empty(0, np.int64)
    slices = weight_slices(masks, counts, len(space.predicates))
    violating, near = _near_misses(slices, flat, offsets)
    pairs = rows * (rows - 1)
    ranked = [
        _ranked(constraints[i], int(violating[c]), near[offsets[c] : offsets[c + 1]], shares[i], pairs, rows)
        for c, i in enumerate(best.tolist())
    ]
    return sorted(ranked, key=lambda r: (-r.score, r.measured.constraint.text))


def _ranked(
    constraint: RowConstraint,
    violating: int,
    near: NDArray[np.int64],
    selectivity: NDArray[np.float64],
    pairs: int,
    rows: int,
) -> Ranked[RowConstraint]:
    support = near + violating
    if not len(support):  # of a table of one row not even a pair can break what says nothing
        return Ranked(Measured(constraint, violating, pairs, 0), 0.0)
    predicates = as_denial_constraint(constraint).predicates
    single_row = all(p.is_single_row for p in predicates) and rows > 1
    if single_row:
        # A row's single-row predicates are counted once for each of the other rows.
        violating, support, pairs = violating // (rows - 1), support // (rows - 1), rows
    expected = float(np.min(support * selectivity))
    if not single_row:  # Few rows with many partners each are no more than few rows.
        alike = [(rows * s) ** 2 for p, s in zip(predicates, selectivity.tolist(), strict=True) if p.is_single_row]
        expected = min([expected, *alike])
    score = surprise(expected, violating, single_row=single_row)
    return Ranked(Measured(constraint, violating, pairs, int(support.min())), score)


def surprise(expected: float, seen: float, *, single_row: bool) -> float:
    """The score of ``expected`` and ``seen`` violating pairs (or single rows)."""
    power = 2 if single_row else 1
    return math.log10((1 + expected**power) / (1 + seen**power))


def expected_of(score: float, seen: float, *, single_row: bool) -> float:
    """The violating pairs (or single rows) expected behind a score."""
    power = 2 if single_row else 1
    return float(max(0.0, 10**score * (1 + seen**power) - 1) ** (1 / power))


def _indices(constraint: RowConstraint, space: PredicateSpace) -> NDArray[np.int64]:
    return np.array([space.index[p] for p in as_denial_constraint(constraint).predicates], np.int64)


def _selectivities_alone(
    selectivity: NDArray[np.float64], space: PredicateSpace, rows: int, names: Collection[str]
) -> NDArray[np.float64]:
    """The share of pairs that each predicate would hold for by chance, where it is a constraint's only one."""
    alone = np.zeros(len(space.predicates))
    for i, predicate in enumerate(space.predicates):
        if predicate.is_single_row:
            between = replace(predicate, right=predicate.right.swapped)
            alone[i] = selectivity[space.index[between]] if between in space.index else 0.0
        elif predicate.op is Operator.EQ and predicate.is_same_column and predicate.left.column in names:
            both_there = selectivity[i] + selectivity[space.index[replace(predicate, op=Operator.NE)]]
            alone[i] = math.sqrt(both_there) / max(1, rows)
    return alone


def _selectivities(masks: NDArray[np.uint64], counts: NDArray[np.int64], predicates: int) -> NDArray[np.float64]:
    return weights_of_bits(masks, counts)[:predicates] / max(1, int(counts.sum()))


@kernel
def _near_misses(
    slices: WeightSlices, flat: NDArray[np.int64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per constraint the pairs that satisfy all its predicates; per predicate the pairs that satisfy all but it."""
    bits, every, bounds, weights = slices
    violating = np.zeros(len(offsets) - 1, np.int64)
    near = np.zeros(len(flat), np.int64)
    for c in range(len(offsets) - 1):
        own = flat[offsets[c] : offsets[c + 1]]
        for b in range(weights.size):
            for w in range(bounds[b], bounds[b + 1]):
                satisfied, but_one = every[w], np.uint64(0)
                for p in own:
                    word = bits[p, w]
                    but_one = (but_one & word) | (satisfied & ~word)
                    satisfied &= word
                    if not satisfied | but_one:
                        break
                if satisfied:
                    violating[c] += popcount(satisfied) * weights[b]
                if but_one:
                    for k in range(own.size):
                        near[offsets[c] + k] += popcount(but_one & ~bits[own[k], w]) * weights[b]
    return violating, near
