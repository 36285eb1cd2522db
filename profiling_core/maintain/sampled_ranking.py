"""Ranking where pairs are not counted: support and expectation come from a sample of rows, violations stay exact.

The pairs of some thousand rows tell the scores of the constraints that matter, those that very many pairs put to the
test, to within a few percent of their logarithm; of constraints that few pairs test they tell that much.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from profiling_core.algorithms.denial.ranking import Ranked, rank_rows
from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
from profiling_core.algorithms.values.encoding import encode
from profiling_core.model.constraint import Measured, RowConstraint, as_denial_constraint
from profiling_core.model.predicate import PredicateSpace


def rank_by_sample(
    constraints: Sequence[RowConstraint],
    violations: Mapping[str, int],
    sample: pa.Table,
    space: PredicateSpace,
    rows: int,
) -> list[Ranked]:
    """Row constraints by falling score.

    Args:
        constraints: constraints over the space's predicates.
        violations: by fingerprint the exact number of violating ordered pairs (or rows); those that are missing hold.
        sample: some of the table's rows, with the space's columns.
        space: the predicate space.
        rows: the table's number of rows.
    """
    masks, counts = ordered_masks(self_evidence(encode(sample, space), space), space)
    ranked = rank_rows(constraints, masks, counts, space, sample.num_rows)
    found = [_scaled(r, violations, sample.num_rows, rows) for r in ranked]
    return sorted(found, key=lambda r: (-r.score, r.measured.constraint.text))


def _scaled(ranked: Ranked, violations: Mapping[str, int], sampled: int, rows: int) -> Ranked:
    constraint = ranked.measured.constraint
    single = as_denial_constraint(constraint).is_single_row  # type: ignore[arg-type]  # no INDs here
    of_sample = sampled if single else sampled * (sampled - 1)
    population = rows if single else rows * (rows - 1)
    factor = population / of_sample if of_sample else 0.0
    count = violations.get(constraint.fingerprint, 0)
    # What the sample saw of violations is not taken for what is known.
    support = max(count, round((ranked.measured.support - ranked.measured.violations) * factor) + count)
    expected = (10**ranked.score - 1) * factor
    measured = Measured(constraint, count, population, min(support, population))
    return replace(ranked, measured=measured, score=math.log10(1 + expected))
