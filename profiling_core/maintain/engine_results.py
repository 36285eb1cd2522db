"""What an engine knows after a step, put together once for all engines: the best constraints, and the followed ones.

Figures come from all pairs where the engine counts them, and else from a sample of rows beside exact violations.
"""

from collections.abc import Mapping, Sequence

from profiling_core.algorithms.denial.ranking.sampled_score import rank_by_sample, sampled_pairs
from profiling_core.algorithms.denial.ranking.score import Ranked, rank_rows
from profiling_core.algorithms.ground.arrays import Counts, Words
from profiling_core.maintain.engine import EngineResult, EngineStep, kinds_of
from profiling_core.maintain.samples import sample_of
from profiling_core.model.constraint import RowConstraint
from profiling_core.model.version import FileRef


def by_pairs(
    step: EngineStep,
    files: Sequence[FileRef],
    sizes: Mapping[str, int],
    found: Sequence[RowConstraint],
    evidence: tuple[Words, Counts],
) -> EngineResult:
    """Where all pairs are counted.

    Args:
        step: the step.
        files: the engine's state.
        sizes: of the state, for people.
        found: the constraints that hold.
        evidence: uint64[e, w] predicates that ordered pairs satisfy, and int64[e] how many pairs do.
    """
    names, tracked = step.schema.naming, step.tracked
    ranked = rank_rows(found, *evidence, step.space, step.size, names=names)
    followed = rank_rows(tracked, *evidence, step.space, step.size, names=names, candidates=len(tracked))
    return _standing(step, files, {**sizes, **kinds_of(found)}, ranked, followed)


def by_sample(
    step: EngineStep,
    files: Sequence[FileRef],
    sizes: Mapping[str, int],
    found: Sequence[RowConstraint],
    violations: Mapping[str, int],
) -> EngineResult:
    """Where a sample of rows, which is kept beside the engine's state, tells support and rank.

    Args:
        step: the step.
        files: the engine's state.
        sizes: of the state, for people.
        found: the constraints that hold.
        violations: by fingerprint the violating ordered pairs (or rows); constraints that are missing hold.
    """
    rows, kept = sample_of(step)
    sample, names = sampled_pairs(rows, step.space), step.schema.naming
    ranked = rank_by_sample(found, violations, sample, step.size, names=names)
    followed = rank_by_sample(step.tracked, violations, sample, step.size, names=names)
    return _standing(step, [*files, *kept], {**sizes, **kinds_of(found)}, ranked, followed)


def _standing(
    step: EngineStep,
    files: Sequence[FileRef],
    counts: Mapping[str, int],
    ranked: Sequence[Ranked[RowConstraint]],
    followed: Sequence[Ranked[RowConstraint]],
) -> EngineResult:
    figures = {r.measured.constraint.fingerprint: r.measured for r in followed}
    return EngineResult(
        tuple(files),
        {"rows": step.size, **counts},
        tuple(ranked[: step.ranked_length]),
        tuple(figures[constraint.fingerprint] for constraint in step.tracked),
    )
