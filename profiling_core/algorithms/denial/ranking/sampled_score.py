"""Ranking where pairs are not counted: support and expectation come from a sample of rows, violations stay exact.

The pairs of some thousand rows tell the scores of the constraints that matter, those that very many pairs put to the
test, to within a few percent of their logarithm; of constraints that few pairs test they tell that much.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.denial.ranking.score import Ranked, expected_of, rank_rows, surprise
from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.constraint import Kind, Measured, RowConstraint, as_denial_constraint
from profiling_core.model.predicate import PredicateSpace


@dataclass(frozen=True, slots=True)
class SampledPairs:
    """The pairs of some of a table's rows: distinct predicate masks uint64[e, w], how many have each, and the rows."""

    space: PredicateSpace
    masks: NDArray[np.uint64]
    counts: NDArray[np.int64]
    rows: int


def sampled_pairs(sample: pa.Table, space: PredicateSpace) -> SampledPairs:
    """All pairs of a sample of rows, which has the space's columns."""
    return SampledPairs(space, *ordered_masks(self_evidence(encode(sample, space), space), space), sample.num_rows)


def rank_by_sample(
    constraints: Sequence[RowConstraint],
    violations: Mapping[str, int],
    sample: SampledPairs,
    rows: int,
    *,
    names: Collection[str] = (),
) -> list[Ranked[RowConstraint]]:
    """Row constraints by falling score.

    Args:
        constraints: constraints over the predicates of the sample's space.
        violations: by fingerprint the exact number of violating ordered pairs (or rows); those that are missing hold.
        sample: the pairs of some of the table's rows.
        rows: the table's number of rows.
        names: the columns whose values may name a row (:attr:`~profiling_core.model.schema.TableSchema.naming`).
    """
    ranked = rank_rows(constraints, sample.masks, sample.counts, sample.space, sample.rows, names=names)
    found = [_scaled(r, violations, sample.rows, rows) for r in ranked]
    return sorted(found, key=lambda r: (-r.score, r.measured.constraint.text))


def _scaled(
    ranked: Ranked[RowConstraint], violations: Mapping[str, int], sampled: int, rows: int
) -> Ranked[RowConstraint]:
    constraint = ranked.measured.constraint
    denied = as_denial_constraint(constraint)
    by_rows, by_pairs = _ratio(rows, sampled), _ratio(rows * (rows - 1), sampled * (sampled - 1))
    population = rows if denied.is_single_row else rows * (rows - 1)
    count = violations.get(constraint.fingerprint, 0)
    # What the sample saw of violations is not taken for what is known.
    seen = ranked.measured.support - ranked.measured.violations
    support = max(count, round(seen * (by_rows if denied.is_single_row else by_pairs)) + count)
    # Of keys of one column as many violations are expected as there are rows, of all else a share of the pairs.
    is_key = denied.familiar.kind is Kind.UCC and len(denied.predicates) == 1
    expected = expected_of(ranked.score, ranked.measured.violations, single_row=denied.is_single_row)
    expected *= by_rows if is_key or denied.is_single_row else by_pairs
    measured = Measured(constraint, count, population, min(support, population))
    return replace(ranked, measured=measured, score=surprise(expected, count, single_row=denied.is_single_row))


def _ratio(whole: int, part: int) -> float:
    return whole / part if part else 0.0
