"""Conditional rules of children beside their parents, found as those of a row are: a child with its parent is one row.

Only rules with columns of both sides count. A rule whose condition is the reference itself describes the parents that
have children: samples are taken for orders that are not cancelled.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from math import log10
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.conditions.categories import Candidate, Mask, categories_of
from profiling_core.algorithms.conditions.counting import codes_of
from profiling_core.algorithms.conditions.discovery import find_conditionals, has_both_sides
from profiling_core.algorithms.conditions.facts import MOST_LISTED
from profiling_core.algorithms.conditions.judging import there
from profiling_core.algorithms.conditions.together import nested
from profiling_core.algorithms.equations.chance import GENEROUS
from profiling_core.algorithms.equations.sample import spread
from profiling_core.algorithms.references.computing import PairsOfRows, joined_rows
from profiling_core.algorithms.references.joining import Positions, Sides
from profiling_core.model.consequent import Consequent, OneOf, Present
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.relation import OF_PARENT, ConditionalBeside
from profiling_core.model.role import ColumnRole

# Pairs that propose rules.
_PAIRS = 4_000
Columns = tuple[Sequence[str], Sequence[str]]


class _Found(NamedTuple):
    """A relation, how improbable it is that chance made it hold, as −log₁₀ less that of the tries, and features."""

    relation: ConditionalBeside
    evidence: float
    told: Mapping[str, float] = {}


def candidates(joined: PairsOfRows, columns: Columns, key: str, budget: Budget) -> Iterator[_Found]:
    """The conditional rules that hold in some pairs.

    Args:
        joined: the pairs.
        columns: those of either side that are no part of the reference, and that no child has from its parent.
        key: the first of the child's columns that refer.
        budget: when to end with what there is.
    """
    (child, parent), (own, others) = joined.pairs, columns
    if not others or not len(child):
        return
    yield from _referred(joined, others, key)
    if not own:
        return
    rows, schema, roles = joined_rows(joined, columns, _PAIRS)
    some = spread(len(child), _PAIRS)
    share = _share_of(joined.sides, (child[some], parent[some]))
    for one in find_conditionals(rows, schema, roles, budget=budget, share=share, beside_parents=True):
        rule = cast("Conditional", one.constraint)
        yield _Found(ConditionalBeside(rule.column, rule.values, rule.then, rule.both_ways), one.evidence, one.told)


def _share_of(sides: Sides, pairs: tuple[Positions, Positions]) -> Callable[[Candidate], float]:
    """The share of pairs that are evidence of their own: children of one parent with the same values are one test.

    It is 0 for rules of one side.
    """
    child, parent = pairs

    @cache
    def codes(name: str) -> Positions:
        return codes_of(sides.child[name])[child]

    @cache
    def tests(own: tuple[str, ...]) -> float:
        return float(np.unique(np.stack([parent, *map(codes, own)]), axis=1).shape[1] / len(parent))

    def share(one: Candidate) -> float:
        named = (one.column, *one.then.columns)
        own = tuple(name for name in named if not name.startswith(OF_PARENT))
        return tests(own) if has_both_sides(named) else 0.0

    return share


def _referred(joined: PairsOfRows, others: Sequence[str], key: str) -> Iterator[_Found]:
    """What holds of all parents that have children, and not of all others; without what follows from it."""
    parents = joined.sides.parent
    has_child = np.zeros(parents.num_rows, np.bool_)
    has_child[joined.pairs[1]] = True
    facts = [*_categories(parents, others, joined.roles[1], has_child), *_presence(parents, others)]
    told = [(then, obeys) for then, obeys in facts if not obeys.all() and not (has_child & ~obeys).any()]
    kept: list[Mask] = []
    for then, obeys in sorted(told, key=lambda one: int(one[1].sum())):
        evidence = nested(has_child, obeys) - log10(len(facts))
        if evidence >= GENEROUS and not any((obeys | ~narrower).all() for narrower in kept):
            kept.append(obeys)
            asked = then.renamed({name: OF_PARENT + name for name in then.columns})
            yield _Found(ConditionalBeside(key, (), asked), evidence)


def _presence(parents: pa.Table, names: Sequence[str]) -> Iterator[tuple[Consequent, Mask]]:
    for name in names:
        has = there(parents[name])
        yield Present(name, there=True), has
        yield Present(name, there=False), ~has


def _categories(
    parents: pa.Table, names: Sequence[str], roles: Mapping[str, ColumnRole], has_child: Mask
) -> Iterator[tuple[Consequent, Mask]]:
    """The categories of parents with children; rows without one obey nothing, and break nothing."""
    for one in categories_of(parents, list(names), roles):
        seen = one.per_value(has_child) > 0
        if 0 < seen.sum() <= MOST_LISTED:
            yield OneOf(one.column, one.named(seen)), (one.codes < 0) | seen[one.codes]
