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
from profiling_core.algorithms.conditions.judging import obeys, there
from profiling_core.algorithms.conditions.together import nested
from profiling_core.algorithms.equations.chance import GENEROUS
from profiling_core.algorithms.equations.judging import is_number
from profiling_core.algorithms.equations.sample import spread
from profiling_core.algorithms.references.computing import PairsOfRows, joined_rows
from profiling_core.algorithms.references.joining import Positions, Sides
from profiling_core.model.consequent import Consequent, OneOf, Ordered, Present
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.relation import OF_PARENT, ConditionalBeside
from profiling_core.model.predicate import Operator
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
        relation = ConditionalBeside(rule.column, rule.values, rule.then, rule.both_ways)
        yield _Found(relation, one.evidence, {**one.told, **_of_columns(rule, rows, roles)})


def _of_columns(rule: Conditional, rows: pa.Table, roles: Mapping[str, ColumnRole]) -> dict[str, float]:
    """Features of the roles of a rule's columns, and of whether its two numbers are in order in all rows.

    Numbers in order have limits that follow: ``line = 6 ⇒ lines = 6`` of ``line ≤ lines`` where nothing has 7 lines.
    """
    given, asked = rule.column, rule.then.columns
    told = {f"if {roles[given].role}": 1.0} if given in roles else {}
    told |= {f"then {roles[name].role}": 1.0 for name in asked if name in roles}
    told["if of the parent"] = float(given.startswith(OF_PARENT))
    if len(asked) == 1 and all(is_number(rows[name].type) for name in (given, *asked)):
        ordered = (obeys(Ordered(given, op, asked[0]), rows) for op in (Operator.LE, Operator.GE))
        told["in order"] = float(any(not found.violating.any() for found in ordered))
    return told


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
    """What holds of all parents that have children, and not of all others; of the same parents the plainest."""
    parents = joined.sides.parent
    has_child = np.zeros(parents.num_rows, np.bool_)
    has_child[joined.pairs[1]] = True
    facts = [*_categories(parents, others, joined.roles[1], has_child), *_presence(parents, others)]
    told = [one for one in facts if not one.obeying.all() and not (has_child & ~one.obeying).any()]
    seen: set[bytes] = set()
    for one in sorted(told, key=_plainness):
        evidence = nested(has_child, one.obeying) - log10(len(facts))
        if evidence >= GENEROUS and (same := np.packbits(one.obeying).tobytes()) not in seen:
            seen.add(same)
            asked = one.then.renamed({name: OF_PARENT + name for name in one.then.columns})
            yield _Found(ConditionalBeside(key, (), asked), evidence, {**one.told, **_childless(has_child, one)})


class _Fact(NamedTuple):
    """What some parents have in common, which of them obey it, and features of it."""

    then: Consequent
    obeying: Mask
    told: Mapping[str, float] = {}


def _plainness(fact: _Fact) -> int:
    """The sort key: one value first, then few; that there is a value last."""
    return len(fact.then.values) if isinstance(fact.then, OneOf) else MOST_LISTED + 1


def _childless(has_child: Mask, fact: _Fact) -> dict[str, float]:
    """Features of the parents without children: how many there are, and how many of them do not obey."""
    without = int((~has_child).sum())
    failing = int((~fact.obeying).sum())
    return {"fails outside": failing / without, "rows outside": min(1.0, without / 100)}


def _presence(parents: pa.Table, names: Sequence[str]) -> Iterator[_Fact]:
    for name in names:
        has = there(parents[name])
        yield _Fact(Present(name, there=True), has)
        yield _Fact(Present(name, there=False), ~has)


def _categories(
    parents: pa.Table, names: Sequence[str], roles: Mapping[str, ColumnRole], has_child: Mask
) -> Iterator[_Fact]:
    """The categories of parents with children; rows without one obey nothing, and break nothing."""
    for one in categories_of(parents, list(names), roles):
        rows = one.per_value(has_child)
        seen = rows > 0
        if 0 < seen.sum() <= MOST_LISTED:
            told = {f"then {roles[one.column].role}": 1.0} if one.column in roles else {}
            told |= {
                "of the values": float(seen.sum() / (one.counts > 0).sum()),
                "rows of each": min(1.0, float(rows[seen].min()) / 30),
                "fewest rows beyond": min(1.0, float(one.counts[~seen].min(initial=30)) / 30),
            }
            yield _Fact(OneOf(one.column, one.named(seen)), (one.codes < 0) | seen[one.codes], told)
