"""Ranking where pairs are not counted: support and expectation come from a sample of rows, violations stay exact.

The pairs of some thousand rows tell the scores of the constraints that matter, those that very many pairs put to the
test, to within a few percent of their logarithm; of constraints that few pairs test they tell that much.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from profiling_core.algorithms.denial.ranking import Ranked, expected_of, rank_rows, surprise
from profiling_core.algorithms.evidence.multiset import ordered_masks, self_evidence
from profiling_core.algorithms.values.encoding import encode
from profiling_core.maintain.engine import EngineStep
from profiling_core.model.constraint import Measured, RowConstraint, UniqueColumnCombination, as_denial_constraint


def rank_by_sample(
    constraints: Sequence[RowConstraint], violations: Mapping[str, int], sample: pa.Table, step: EngineStep
) -> list[Ranked]:
    """Row constraints by falling score.

    Args:
        constraints: constraints over the predicates of the step's space.
        violations: by fingerprint the exact number of violating ordered pairs (or rows); those that are missing hold.
        sample: some of the table's rows, with the space's columns.
        step: the step after which they are ranked.
    """
    space, names = step.space, step.run.schema.naming
    masks, counts = ordered_masks(self_evidence(encode(sample, space), space), space)
    ranked = rank_rows(constraints, masks, counts, space, sample.num_rows, names=names)
    found = [_scaled(r, violations, sample.num_rows, step.size) for r in ranked]
    return sorted(found, key=lambda r: (-r.score, r.measured.constraint.text))


def _scaled(ranked: Ranked, violations: Mapping[str, int], sampled: int, rows: int) -> Ranked:
    constraint = ranked.measured.constraint
    denied = as_denial_constraint(constraint)  # type: ignore[arg-type]  # no INDs here
    by_rows, by_pairs = _ratio(rows, sampled), _ratio(rows * (rows - 1), sampled * (sampled - 1))
    population = rows if denied.is_single_row else rows * (rows - 1)
    count = violations.get(constraint.fingerprint, 0)
    # What the sample saw of violations is not taken for what is known.
    seen = ranked.measured.support - ranked.measured.violations
    support = max(count, round(seen * (by_rows if denied.is_single_row else by_pairs)) + count)
    # Of keys of one column as many violations are expected as there are rows, of all else a share of the pairs.
    is_key = isinstance(denied.familiar, UniqueColumnCombination) and len(denied.predicates) == 1
    pairs_of_each = sampled - 1 if denied.is_single_row else 1
    expected = expected_of(ranked.score, ranked.measured.violations * pairs_of_each)
    expected *= by_rows if is_key else by_pairs
    seen_pairs = count * (rows - 1 if denied.is_single_row else 1)
    measured = Measured(constraint, count, population, min(support, population))
    return replace(ranked, measured=measured, score=surprise(expected, seen_pairs))


def _ratio(whole: int, part: int) -> float:
    return whole / part if part else 0.0
