"""Finding rules along references: proposed from some parents and their children, checked on all, and beyond chance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log10

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.conditions.counting import codes_of
from profiling_core.algorithms.equations.chance import CONFIDENCE
from profiling_core.algorithms.equations.judging import Judged, is_number
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.equations.sample import spread, written_form
from profiling_core.algorithms.references.computing import PairsOfRows, computed
from profiling_core.algorithms.references.counting import count
from profiling_core.algorithms.references.joining import Keys, Positions, Sides, comparable_types, keys, pairs
from profiling_core.algorithms.references.judging import judge_pairs, judge_parents
from profiling_core.algorithms.roles.names import words
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.constraint import InclusionDependency, Measured
from profiling_core.model.kinds.reference import OF_PARENT, Aggregate, Beside, ReferenceRule, Relation, Summary
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema

Roles = Mapping[str, Mapping[str, ColumnRole]]
_CHILDREN, _PARENTS, _FIRST = 4_000, 2_000, 30
# Parents that have more children than one, without which a sum is no more than what stands beside it.
_FEWEST_SUMMED = 8
_EXTREMES, _MOSTLY = (Aggregate.FIRST, Aggregate.LAST), 0.5
# If chance keeps more than 97 % of the pairs, only pairs at the bound count. If more than 80 %, a child must meet it.
_MOST_BY_CHANCE, _SURELY = 0.97, 0.8
# How near the nearest children come to their parents, beside the middle one.
_NEAR = 0.1
_TURNS = 3
# An order that few other pairs would break is kept on purpose if at least 12 pairs, and 2 % of them, are at the bound,
# and chance puts at most half as many there.
_FEWEST_AT, _LEAST_AT, _BY_CHANCE_AT = 12, 0.02, 0.5
# What chance must have against it where both columns are called alike.
_ALIKE = 2.0


@dataclass(frozen=True)
class _Reference:
    """One reference with its rows: of some, who is whose parent."""

    inclusion: InclusionDependency
    sides: Sides
    joined: Keys
    schemas: tuple[TableSchema, TableSchema]
    roles: tuple[Mapping[str, ColumnRole], Mapping[str, ColumnRole]]

    def rule(self, relation: Relation) -> ReferenceRule:
        """The rule that says a relation along the reference."""
        return ReferenceRule(self.inclusion.lhs, self.inclusion.rhs, relation)

    @property
    def columns(self) -> tuple[list[str], list[str]]:
        """The columns of either side that are no part of the reference."""
        own = (self.inclusion.lhs.columns, self.inclusion.rhs.columns)
        return tuple(  # type: ignore[return-value]
            [n for n in side.column_names if n not in key and not _has(roles, n, Role.CONSTANT)]
            for side, key, roles in zip(self.sides, own, self.roles, strict=True)
        )


@dataclass(frozen=True)
class _Candidate:
    rule: ReferenceRule
    surprise: float

    @property
    def is_called_alike(self) -> bool:
        """Whether it says that a column is the same as the parent's of the same name, or of one with a word more."""
        relation = self.rule.relation
        return isinstance(relation, Beside) and relation.op == "=" and _alike(relation.column, relation.other)


def find_references(
    tables: Mapping[str, pa.Table],
    schemas: Mapping[str, TableSchema],
    roles: Roles,
    foreign_keys: Sequence[InclusionDependency],
    *,
    budget: Budget = ENDLESS,
) -> list[Measured]:
    """The rules that hold along references in all rows, the most surprising first (docs/semantics.md).

    Args:
        tables: by name, in the types in which the project stores values.
        schemas: their columns; those that are not profiled take no part.
        roles: what their columns are for.
        foreign_keys: inclusions that read as references; those whose right side is not unique are passed over.
        budget: when to end with what there is.
    """
    found: list[_Candidate] = []
    tried, alike, whole = 0, 0, {}
    for inclusion in budget.steps(foreign_keys):
        reference = _reference(inclusion, tables, schemas, roles)
        if reference is None:
            continue
        whole[inclusion] = reference.sides
        children, parents = reference.columns
        tried += 8 * len(children) * len(parents)
        alike += sum(_alike(one, other) for one in children for other in parents)
        beside = list(_beside(reference, budget))
        found += [*beside, *_summaries(reference, budget), *_computed(reference, beside, budget)]
    # Columns of one name on both sides are few, and were asked for before all others.
    least = {True: _ALIKE + log10(max(1, alike)), False: CONFIDENCE + log10(max(1, tried))}
    measured = (
        count(one.rule, whole[InclusionDependency(one.rule.child, one.rule.parent)])
        for one in budget.steps(sorted(found, key=lambda c: -c.surprise))
        if one.surprise >= least[one.is_called_alike]
    )
    return [one for one in measured if one.holds and one.population]


def _reference(
    inclusion: InclusionDependency, tables: Mapping[str, pa.Table], schemas: Mapping[str, TableSchema], roles: Roles
) -> _Reference | None:
    left, right = inclusion.lhs, inclusion.rhs
    if left.table == right.table and left.columns == right.columns:
        return None
    named = [[column.name for column in schemas[side.table].profiled] for side in (left, right)]
    sides = Sides(tables[left.table].select(named[0]), tables[right.table].select(named[1]))
    if not comparable_types(*sides, (left.columns, right.columns)):
        return None
    joined = keys(sides, left.columns, right.columns)
    known = joined.parent[joined.parent >= 0]
    if not len(known) or len(np.unique(known)) < len(known):
        return None
    both = (roles.get(left.table, {}), roles.get(right.table, {}))
    return _Reference(inclusion, sides, joined, (schemas[left.table], schemas[right.table]), both)


@lru_cache(maxsize=8192)
def _alike(one: str, other: str) -> bool:
    own, theirs = set(words(one)), set(words(other))
    return own <= theirs or theirs <= own


def _has(roles: Mapping[str, ColumnRole], name: str, *chosen: Role) -> bool:
    return name in roles and roles[name].role in chosen


def _beside(reference: _Reference, budget: Budget) -> Iterator[_Candidate]:
    """Columns of children that are the same as their parents', or that are in order with them."""
    child, parent = pairs(reference.joined)
    some = spread(len(child), _CHILDREN)
    child, parent = child[some], parent[some]
    children, parents = reference.columns
    for column in budget.steps(children):
        for other in parents:
            for relation in _relations(reference, column, other):
                found = _surprise_of_pairs(
                    relation, reference.sides, (child, parent), close=_has_no_unit(reference, column, other)
                )
                if found is not None:
                    yield _Candidate(reference.rule(relation), found)
                    break


def _computed(reference: _Reference, beside: Sequence[_Candidate], budget: Budget) -> Iterator[_Candidate]:
    """Columns of children that are computed with their parents'."""
    relations = (one.rule.relation for one in beside)
    equal = [r for r in relations if isinstance(r, Beside) and r.op == "="]
    same = {*(r.column for r in equal), *(OF_PARENT + r.other for r in equal)}
    joined = PairsOfRows(reference.sides, pairs(reference.joined), reference.schemas, reference.roles)
    for relation, surprise in computed(joined, reference.columns, same, budget):
        yield _Candidate(reference.rule(relation), surprise)


def _relations(reference: _Reference, column: str, other: str) -> Iterator[Beside]:
    """What may be asked of two columns: whether they are the same, and which is more, of times and quantities."""
    types = reference.sides.child[column].type, reference.sides.parent[other].type
    if pa.types.is_temporal(types[0]) and pa.types.is_temporal(types[1]):
        yield from _in_time(column, other, types)
    elif is_number(types[0]) and is_number(types[1]):
        left, right = reference.roles[0].get(column), reference.roles[1].get(other)
        compare = left is not None and right is not None and left.compares_by_order(right)
        yield from (Beside(column, op, other) for op in (("=", "≤", "≥") if compare else ("=",)))
    elif types[0] == types[1]:
        yield Beside(column, "=", other)


def _in_time(column: str, other: str, types: tuple[pa.DataType, pa.DataType]) -> Iterator[Beside]:
    """Two points in time; of a moment and a date also whether the moment's day is the date, or before it."""
    yield Beside(column, "=", other)
    mixed = pa.types.is_date32(types[0]) != pa.types.is_date32(types[1])
    own = pa.types.is_date32(types[1])
    day_of, before = (column, "≤") if own else (OF_PARENT + other, "≥")
    if mixed:
        yield Beside(column, "=", other, day_of)
    yield from (Beside(column, op, other) for op in ("≥", "≤"))
    if mixed:
        yield Beside(column, before, other, day_of)


def _has_no_unit(reference: _Reference, column: str, other: str) -> bool:
    """Whether no name tells that two quantities are of one unit, so that only rows that come close do."""
    left, right = reference.roles[0].get(column), reference.roles[1].get(other)
    return any(role is not None and role.role is Role.QUANTITY and not role.unit for role in (left, right))


def _surprise_of_pairs(
    relation: Beside, sides: Sides, joined: tuple[Positions, Positions], *, close: bool
) -> float | None:
    """How improbable it is that chance made a relation hold, as −log₁₀; None where it does not hold, or says little.

    ``close``: an order says little unless some rows come close to it.
    """
    first = (joined[0][:_FIRST], joined[1][:_FIRST])
    for part in (first, joined):
        found = judge_pairs(relation, sides, part)
        if found.violating.any():
            return None
    judged = found.judged
    if not judged.any():
        return None
    random = np.random.default_rng(5)
    others = [(joined[0], random.permutation(joined[1])) for _ in range(_TURNS)]
    share = _share([judge_pairs(relation, sides, other) for other in others])
    if relation.op != "=" and share > (_SURELY if close else _MOST_BY_CHANCE):
        return _surprise_at_the_bound(relation, sides, joined, others)
    if relation.op != "=" and (close or share > _SURELY) and not _meets(relation, sides, joined):
        return None
    # Children of one parent with one value are one test.
    told = codes_of(sides.child[relation.column])[joined[0][judged]]
    tests = len(np.unique(np.stack([joined[1][judged], told]), axis=1).T)
    return tests * -log10(share)


def _surprise_at_the_bound(
    relation: Beside, sides: Sides, joined: tuple[Positions, Positions], others: Sequence[tuple[Positions, Positions]]
) -> float | None:
    """How improbable it is that children are just what their parent allows, as a least fee; None if few are.

    That both are nought is no bound.

    ``others``: children with other parents, who are so by chance.
    """
    same = replace(relation, op="=")
    found = judge_pairs(same, sides, joined)
    nought = _line(sides.child[relation.column])[joined[0]] == 0
    at = int((found.judged & ~found.violating & ~nought).sum())
    share = _share([judge_pairs(same, sides, other) for other in others])
    if at < max(_FEWEST_AT, _LEAST_AT * int(found.judged.sum())) or share * found.judged.sum() > _BY_CHANCE_AT * at:
        return None
    return at * -log10(share)


def _meets(relation: Beside, sides: Sides, joined: tuple[Positions, Positions]) -> bool:
    """Whether some children come so close to what their parent allows that it must have kept them."""
    left, right = (
        _line(column)[positions]
        for column, positions in zip((sides.child[relation.column], sides.parent[relation.other]), joined, strict=True)
    )
    gaps = np.abs(left - right)
    gaps = gaps[~np.isnan(gaps)]
    return bool(len(gaps)) and bool(gaps.min() <= _NEAR * np.median(gaps))


def _line(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """float64[n]: numbers as they are, points in time as microseconds; NaN where there is no value."""
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.timestamp("us", getattr(column.type, "tz", None))).cast(pa.int64())
    found: NDArray[np.float64] = doubles(column).to_numpy().astype(np.float64)
    return found


def _share(found: Sequence[Judged]) -> float:
    judged, violating = (sum(int(one[i].sum()) for one in found) for i in (0, 1))
    return (judged - violating + 1) / (judged + 1)


def _summaries(reference: _Reference, budget: Budget) -> Iterator[_Candidate]:
    """Columns of parents that are the sum, the number, the first or the last of their children's."""
    children, parents = reference.columns
    some = spread(len(reference.joined.parent), _PARENTS)
    chosen = Keys(_only(reference.joined.child, reference.joined.parent[some]), reference.joined.parent[some])
    sides = Sides(reference.sides.child, reference.sides.parent.take(pa.array(some)))
    if np.count_nonzero(np.bincount(chosen.child[chosen.child >= 0]) > 1) < _FEWEST_SUMMED:
        return
    rows = np.flatnonzero(chosen.child >= 0)
    chosen = Keys(chosen.child[rows], chosen.parent)
    sides = Sides(sides.child.take(pa.array(rows)), sides.parent)
    for column in budget.steps(parents):
        for relation in _of_children(reference, column, children):
            surprise = _surprise_of_parents(relation, sides, chosen)
            if surprise is not None:
                yield _Candidate(reference.rule(relation), surprise)
                break


def _only(child: Positions, wanted: Positions) -> NDArray[np.int64]:
    return np.where(np.isin(child, wanted[wanted >= 0]), child, -1)


def _of_children(reference: _Reference, column: str, children: Sequence[str]) -> Iterator[Summary]:
    kind, roles = reference.sides.parent[column].type, reference.roles
    if pa.types.is_temporal(kind):
        moments = [name for name in children if reference.sides.child[name].type == kind]
        yield from (Summary(column, how.value, n) for n in moments for how in (Aggregate.FIRST, Aggregate.LAST))
    if not is_number(kind) or _has(roles[1], column, Role.IDENTIFIER, Role.REFERENCE):
        return
    if pa.types.is_integer(kind):
        yield Summary(column, Aggregate.COUNT.value, "", 0)
    precision = written_form(numbers_of(reference.sides.parent[column])).precision
    for name in children:
        numeric = is_number(reference.sides.child[name].type)
        if numeric and not _has(roles[0], name, Role.IDENTIFIER, Role.REFERENCE):
            yield Summary(column, Aggregate.SUM.value, name, precision.decimals, precision.digits)
            yield from (Summary(column, how.value, name) for how in (Aggregate.FIRST, Aggregate.LAST))


def _surprise_of_parents(relation: Summary, sides: Sides, joined: Keys) -> float | None:
    found = judge_parents(relation, sides, joined)
    if found.violating.any() or not found.judged.any():
        return None
    extreme = relation.aggregate in _EXTREMES and is_number(sides.parent[relation.column].type)
    if extreme and not _is_of_one_child(relation, sides, joined):
        return None
    random = np.random.default_rng(5)
    share = _share([judge_parents(relation, sides, _exchanged(joined, random)) for _ in range(_TURNS)])
    return int(found.judged.sum()) * -log10(share)


def _is_of_one_child(relation: Summary, sides: Sides, joined: Keys) -> bool:
    """Whether one of several children has the parent's number, as the highest bid has; what most have is a bound."""
    children, parents = numbers_of(sides.child[relation.other]), numbers_of(sides.parent[relation.column])
    there = (joined.child >= 0) & children.there
    size = int(max(joined.child.max(initial=-1), joined.parent.max(initial=-1))) + 1
    wanted = np.full(size, np.nan)
    known = (joined.parent >= 0) & parents.there
    wanted[joined.parent[known]] = parents.doubles[known]
    several = np.bincount(joined.child[there], minlength=size) > 1
    same = joined.child[there][children.doubles[there] == wanted[joined.child[there]]]
    alone = np.bincount(same, minlength=size) == 1
    return bool((alone & several).sum() > _MOSTLY * several.sum())


def _exchanged(joined: Keys, random: np.random.Generator) -> Keys:
    """Children with other parents."""
    return Keys(joined.child, random.permutation(joined.parent))
