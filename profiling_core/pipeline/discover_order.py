"""The order in which one-shot discovery lists what it has found: first what a person would want to know.

Thousands of constraints are told apart roughly, by what little it costs to look at: exact and short ones come first,
and of these the ones that most pairs speak for. The best of them are ranked by how surprising they are, as those of
maintained tables are, and what follows from the ones before is moved behind them.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.denial.ranking.sampled_score import rank_by_sample, sampled_pairs
from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
from profiling_core.algorithms.presented import in_order
from profiling_core.model.constraint import Measured, RowConstraint
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema

# Rows whose pairs are looked at; constraints that are ranked; and of the best of these, what is looked at for whether
# the ones before it say it already, which takes a step for each pair of constraints.
_SAMPLED, _RANKED, _COMPARED = 1_000, 2_000, 200


def best_first(
    found: Sequence[Measured[RowConstraint]], rows: pa.Table, schema: TableSchema, space: PredicateSpace
) -> list[Measured]:
    """The row constraints of one table in the order in which people see them.

    Args:
        found: FDs, UCCs and DCs over the space's predicates, with their exact figures.
        rows: the table.
        schema: the table's schema.
        space: the predicate space.
    """
    roughly = sorted(found, key=_roughly)
    chosen = {m.constraint.fingerprint: m for m in roughly[:_RANKED]}
    place = {fingerprint: i for i, fingerprint in enumerate(chosen)}
    sample = sampled_pairs(_sampled(rows), space)
    violations = {fingerprint: m.violations for fingerprint, m in chosen.items()}
    ranked = rank_by_sample(
        [m.constraint for m in chosen.values()], violations, sample, rows.num_rows, names=schema.naming
    )
    ranked.sort(key=lambda r: (-r.score, place[r.measured.constraint.fingerprint]))
    best = in_order(ranked[:_COMPARED])
    return [*(chosen[r.measured.constraint.fingerprint] for r in (*best, *ranked[_COMPARED:])), *roughly[_RANKED:]]


def likely_keys_first(found: Sequence[Measured], readings: Mapping[str, KeyReading]) -> list[Measured]:
    """Inclusions in the order in which people see them; ``readings`` tells by fingerprint how they read as keys."""
    return sorted(found, key=lambda m: (-readings[m.constraint.fingerprint].likelihood, *_roughly(m)))


def in_turns(tables: Sequence[Sequence[Measured]]) -> list[Measured]:
    """One of each table in turn, so that none is hidden behind the others."""
    return [m for m in chain.from_iterable(zip_longest(*tables)) if m is not None]


def _roughly(measured: Measured) -> tuple[float, int, int, str]:
    constraint = measured.constraint
    return (measured.error, constraint.size, -measured.support, constraint.text)


def _sampled(rows: pa.Table) -> pa.Table:
    """Some of the rows, the same ones each time."""
    if rows.num_rows <= _SAMPLED:
        return rows
    return rows.take(np.sort(np.random.default_rng(0).choice(rows.num_rows, _SAMPLED, replace=False)))
