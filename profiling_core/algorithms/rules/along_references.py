"""Finding rules along references: proposed from some parents and their children, checked on all, and beyond chance."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from math import log, log10
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.conditions.counting import group_codes
from profiling_core.algorithms.equations.chance import GENEROUS
from profiling_core.algorithms.equations.discovery import Scope
from profiling_core.algorithms.equations.judging import Judged, is_number
from profiling_core.algorithms.equations.numbers import numbers_of
from profiling_core.algorithms.equations.sample import spread, written_form
from profiling_core.algorithms.ground.row_figures import measured
from profiling_core.algorithms.references.computing import TURNS, PairsOfRows, computed, surprise_of_pairs
from profiling_core.algorithms.references.counting import figures
from profiling_core.algorithms.references.joining import (
    Keys,
    Positions,
    Sides,
    comparable_types,
    keys,
    pairs,
    widened,
)
from profiling_core.algorithms.references.judging import judge_pairs, judge_parents
from profiling_core.algorithms.roles.names import words
from profiling_core.algorithms.rules import conditions_along as conditions
from profiling_core.algorithms.rules import orders_along as orders
from profiling_core.algorithms.rules.candidate import LEAST, Candidate, Family
from profiling_core.algorithms.rules.children_of_a_kind import Children, of_some_kinds
from profiling_core.algorithms.rules.ways import ColumnsAlong, KnownCopies, Roles, Way, columns_along, has_role, work
from profiling_core.algorithms.score.logistic import model
from profiling_core.model.constraint import Constraint, InclusionDependency
from profiling_core.model.kinds.reference import ReferenceRule, Relation
from profiling_core.model.kinds.relation import OF_PARENT, ON_THE_WAY, Aggregate, Beside, Summary
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema

_CHILDREN, _PARENTS, _FIRST = 4_000, 2_000, 30
# Of a reference's budget, what proposals may use (they take nearly all of it): the rest is kept to check them, since an
# unchecked rule is not told.
_PROPOSING = 4 / 5


@dataclass(frozen=True)
class _Reference:
    """One reference with its rows: of some, who is whose parent; ``columns``: of either side those apart from it."""

    way: Way
    sides: Sides
    joined: Keys
    schemas: tuple[TableSchema, TableSchema]
    roles: tuple[Mapping[str, ColumnRole], Mapping[str, ColumnRole]]
    columns: ColumnsAlong

    def rule(self, relation: Relation) -> ReferenceRule:
        """The rule that says a relation along the reference."""
        reference, *first = self.way
        return ReferenceRule(reference.lhs, reference.rhs, relation, first[0].sides if first else ())

    @property
    def pairs(self) -> PairsOfRows:
        """Who is whose parent; of two parents that many children have together, one pair."""
        child, parent = pairs(self.joined)
        if self.has_two_parents:
            other = group_codes([self.sides.child[name] for name in self.way[1].lhs.columns])[child]
            once = np.unique(np.stack([other, parent]), axis=1, return_index=True)[1]
            child, parent = child[once], parent[once]
        return PairsOfRows(self.sides, (child, parent), self.schemas, self.roles)

    @property
    def has_two_parents(self) -> bool:
        """Whether a child refers to two parents, and not to its parent's parent."""
        return len(self.way) > 1 and not self.way[0].lhs.columns[0].startswith(ON_THE_WAY)

    def needs_way(self, relation: Relation) -> bool:
        """Whether no single reference says a relation: it speaks of two parents, or of a child and its grandparent."""
        taken = [name.startswith(ON_THE_WAY) for name in (*relation.others, *relation.columns)]
        if self.has_two_parents:
            return any(taken)
        return len(self.way) == 1 or not relation.others or not all(taken[: len(relation.others)])


@dataclass(frozen=True)
class _Candidate:
    """A rule, how improbable it is that chance made it hold, and for an order the log-odds that it is meant.

    ``told``: further features of the score.
    """

    rule: ReferenceRule
    surprise: float
    log_odds: float | None = None
    told: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_called_alike(self) -> bool:
        """Whether it says that a column is the same as the parent's of the same name, or of one with a word more."""
        relation = self.rule.relation
        return isinstance(relation, Beside) and relation.op == "=" and _alike(relation.column, relation.other)


def find_references(
    tables: Mapping[str, pa.Table],
    schemas: Mapping[str, TableSchema],
    roles: Roles,
    ways: Sequence[Way],
    *,
    known: Iterable[Constraint] = (),
    budget: Budget = ENDLESS,
    tries: "Tries | None" = None,
) -> list[Candidate]:
    """The rules that hold along references in all rows, the most surprising first (docs/semantics.md).

    The worth of an order is its log-odds.

    Args:
        tables: by name, in the types in which the project stores values.
        schemas: their columns; those that are not profiled take no part.
        roles: what their columns are for.
        ways: inclusions that read as references, each with the first one of a way of two; those whose right side is not
            unique are passed over.
        known: references, and rules along single ones, which those along two need not tell again.
        budget: when to end with what there is.
        tries: how many relations are tried along these references and others; None: along these alone.
    """
    told: list[Candidate] = []
    tries, before = tries or Tries.of(ways, schemas, roles), KnownCopies.of(known)
    for way, part in budget.shares(ways, lambda one: work(one, schemas, roles)):
        size = sum(tables[name].num_rows for name in {side.table for one in way for side in one.sides})
        reference = next((_reference(one, tables, schemas, roles, before) for one in part.steps([way], size)), None)
        if reference is not None:
            told += _along(reference, tries, part)
    return sorted(told, key=lambda one: -one.strength)


def _along(reference: _Reference, tries: "Tries", budget: Budget) -> Iterator[Candidate]:
    """The rules along one reference: plain ones first, which take a fifth of the work.

    Along two references there are no others: they took most of the work, and one of 16 databases declared one.
    """
    with budget.portion(_PROPOSING) as proposing:
        same = list(_same(reference, proposing))
        found = [*same, *_plain(reference, same, proposing)]
    yield from _told(reference, map(tries.beside, found), budget)
    if len(reference.way) > 1:
        return
    with budget.portion(_PROPOSING) as proposing:
        found = [*_further(reference, same, tries, proposing)]
    yield from _told(reference, found, budget)


class Tries(NamedTuple):
    """log₁₀ of how many relations are tried along all references: of columns called alike, and of all.

    Columns of one name on both sides are few, and are asked for before all others. ``beyond``: how many more are tried
    than along the references that the score of orders was fitted to.
    """

    alike: float
    all: float
    beyond: float = 0.0

    @classmethod
    def of(cls, ways: Sequence[Way], schemas: Mapping[str, TableSchema], roles: Roles) -> "Tries":
        """How many are tried along some references."""
        names = [columns_along(way, schemas, roles, KnownCopies({})) for way in ways]
        alike = sum(_alike(one, other) for own, theirs, _ in names for one in own for other in theirs)
        tried = sum(8 * len(own) * len(theirs) for own, theirs, _ in names)
        return cls(log10(max(1, alike)), log10(max(1, tried)))

    def beside(self, one: _Candidate) -> _Candidate:
        """A rule beside the others that were tried; of as many more orders each is as much less likely."""
        if one.log_odds is not None:
            return replace(one, log_odds=one.log_odds - self.beyond * log(10))
        return replace(one, surprise=one.surprise - (self.alike if one.is_called_alike else self.all))


def _told(reference: _Reference, found: Iterable[_Candidate], budget: Budget) -> list[Candidate]:
    """Those that are beyond chance and hold in all rows."""
    beyond = (one for one in found if (one.surprise >= GENEROUS if one.log_odds is None else one.log_odds >= LEAST))
    told = [
        Candidate(
            measured(one.rule, figures(one.rule, reference.sides, reference.joined)),
            Family.ALONG_REFERENCES,
            one.surprise,
            one.log_odds or 0.0,
            told=one.told,
        )
        for one in budget.steps(sorted(beyond, key=lambda c: -c.surprise), len(reference.joined.child))
    ]
    return [one for one in told if one.measured.holds and one.measured.population]


def _plain(reference: _Reference, same: Sequence[_Candidate], budget: Budget) -> Iterator[_Candidate]:
    """Orders, and what parents have of their children: two columns each, that are looked at in little time."""
    yield from _orders(reference, reference.pairs, _apart(reference, same), budget)
    yield from _summaries(reference, budget)


def _further(reference: _Reference, same: Sequence[_Candidate], tries: Tries, budget: Budget) -> Iterator[_Candidate]:
    """Rules computed from the parent's columns, then conditional rules; the evidence of these counts its own tries."""
    joined, apart = reference.pairs, _apart(reference, same)
    with budget.portion(1 / 2) as part:  # conditional rules have the other half
        for relation, surprise in computed(joined, apart, part, Scope.BESIDE_PARENT):
            yield tries.beside(_Candidate(reference.rule(relation), surprise))
    for one in conditions.candidates(joined, apart, reference.way[0].lhs.columns[0], budget):
        yield _Candidate(reference.rule(one.relation), one.evidence, told=one.told)


def _reference(
    way: Way, tables: Mapping[str, pa.Table], schemas: Mapping[str, TableSchema], roles: Roles, known: KnownCopies
) -> _Reference | None:
    left, right = way[0].sides
    if (left.table == right.table and left.columns == right.columns) or (len(way) > 1 and known.tells(way)):
        return None
    if any(not _is_comparable(one, tables) for one in way[1:]):
        return None
    child, schema, own_roles = _children(way, tables, schemas, roles)
    sides = Sides(child, tables[right.table].select([column.name for column in schemas[right.table].profiled]))
    if child.num_rows > tables[left.table].num_rows or not comparable_types(*sides, (left.columns, right.columns)):
        return None
    joined = keys(sides, left.columns, right.columns)
    parents = joined.parent[joined.parent >= 0]
    if not len(parents) or len(np.unique(parents)) < len(parents):
        return None
    columns = columns_along(way, schemas, roles, known)
    both = (own_roles, roles.get(right.table, {}))
    return _Reference(way, sides, joined, (schema, schemas[right.table]), both, columns)


def _is_comparable(reference: InclusionDependency, tables: Mapping[str, pa.Table]) -> bool:
    left, right = reference.sides
    return comparable_types(tables[left.table], tables[right.table], (left.columns, right.columns))


def _children(
    way: Way, tables: Mapping[str, pa.Table], schemas: Mapping[str, TableSchema], roles: Roles
) -> tuple[pa.Table, TableSchema, Mapping[str, ColumnRole]]:
    """The children's rows, with those of the row that a first reference leads to, with their schema and roles."""
    reference, *first = way
    own = reference.lhs.table
    schema, known = schemas[own], roles.get(own, {})
    rows = tables[own].select([column.name for column in schema.profiled])
    for one in first:
        mid = schemas[one.rhs.table]
        further = tables[mid.table].select([column.name for column in mid.profiled])
        rows = widened(Sides(rows, further), one.lhs.columns, one.rhs.columns)
        theirs = (replace(column, name=ON_THE_WAY + column.name) for column in mid.columns)
        schema = replace(schema, columns=(*schema.columns, *theirs))
        marked = ((ON_THE_WAY + name, role) for name, role in roles.get(mid.table, {}).items())
        known = {**known, **{name: replace(role, column=name) for name, role in marked}}
    return rows, schema, known


@lru_cache(maxsize=8192)
def _alike(one: str, other: str) -> bool:
    own, theirs = set(words(one)), set(words(other))
    return own <= theirs or theirs <= own


def _same(reference: _Reference, budget: Budget) -> Iterator[_Candidate]:
    """Columns of children that are the same as their parents'."""
    child, parent = pairs(reference.joined)
    some = spread(len(child), _CHILDREN)
    children, parents, _ = reference.columns
    for column in children:
        for other in budget.steps(parents, _FIRST):
            for relation in _relations(reference, column, other):
                found = _surprise_of_pairs(relation, reference.sides, (child[some], parent[some]))
                if found is not None:
                    yield _Candidate(reference.rule(relation), found)
                    break


def _apart(reference: _Reference, same: Sequence[_Candidate]) -> tuple[list[str], list[str]]:
    """The columns of either side without those that a child has from its parent."""
    equal = [r for r in (one.rule.relation for one in same) if isinstance(r, Beside)]
    children, parents, _ = reference.columns
    known = {r.column for r in equal}, {r.other for r in equal}
    return [n for n in children if n not in known[0]], [n for n in parents if n not in known[1]]


def _orders(
    reference: _Reference, joined: PairsOfRows, columns: tuple[Sequence[str], Sequence[str]], budget: Budget
) -> Iterator[_Candidate]:
    """Columns of children that are never more, or never less, than their parents'."""
    for relation, told in orders.candidates(joined, columns, budget):
        if (log_odds := log_odds_of(reference.rule(relation), told)) >= LEAST:
            yield _Candidate(reference.rule(relation), 0.0, log_odds)


def log_odds_of(_: ReferenceRule, told: Mapping[str, float]) -> float:
    """The log-odds that an order along a reference is kept on purpose."""
    return model("orders").log_odds(told)


def _relations(reference: _Reference, column: str, other: str) -> Iterator[Beside]:
    """How two columns may be the same; of a moment and a date also whether the date is the moment's day."""
    types = reference.sides.child[column].type, reference.sides.parent[other].type
    temporal = all(map(pa.types.is_temporal, types))
    if temporal or all(map(is_number, types)) or types[0] == types[1]:
        yield Beside(column, "=", other)
    if temporal and pa.types.is_date32(types[0]) != pa.types.is_date32(types[1]):
        yield Beside(column, "=", other, column if pa.types.is_date32(types[1]) else OF_PARENT + other)


def _surprise_of_pairs(relation: Beside, sides: Sides, joined: tuple[Positions, Positions]) -> float | None:
    """How improbable it is that chance made columns the same, as −log₁₀; None where they are not."""
    first = (joined[0][:_FIRST], joined[1][:_FIRST])
    for part in (first, joined):
        found = judge_pairs(relation, sides, part)
        if found.violating.any():
            return None
    return surprise_of_pairs(relation, sides, joined) if found.judged.any() else None


def _share(found: Sequence[Judged]) -> float:
    judged, violating = (sum(int(one[i].sum()) for one in found) for i in (0, 1))
    return (judged - violating + 1) / (judged + 1)


def _summaries(reference: _Reference, budget: Budget) -> Iterator[_Candidate]:
    """Columns of parents that their children give: a sum, a number, the first or the last value."""
    _, parents, children = reference.columns
    some = spread(len(reference.joined.parent), _PARENTS)
    chosen = Keys(_only(reference.joined.child, reference.joined.parent[some]), reference.joined.parent[some])
    sides = Sides(reference.sides.child, reference.sides.parent.take(pa.array(some)))
    if np.bincount(chosen.child[chosen.child >= 0], minlength=1).max() <= 1:  # a sum is what stands beside it
        return
    rows = np.flatnonzero(chosen.child >= 0)
    chosen = Keys(chosen.child[rows], chosen.parent)
    sides = Sides(sides.child.take(pa.array(rows)), sides.parent)
    kinds = Children.of(sides, chosen, children, reference.roles[0])
    for column in budget.steps(parents, len(children) * len(rows)):
        proposed = chain(
            ((relation, 0) for relation in _of_children(reference, column, children)),
            _of_some_kinds(reference, kinds, column, children, budget),
            ((relation, 0) for relation in _of_those_with(reference, column, children)),
        )
        for relation, freedom in proposed:
            surprise = _surprise_of_parents(relation, sides, chosen) if reference.needs_way(relation) else None
            if surprise is not None:
                yield _Candidate(reference.rule(relation), surprise - freedom * log10(2))
                break


def _only(child: Positions, wanted: Positions) -> NDArray[np.int64]:
    return np.where(np.isin(child, wanted[wanted >= 0]), child, -1)


def _of_children(reference: _Reference, column: str, children: Sequence[str]) -> Iterator[Summary]:
    """What a parent's column may be of all its children: the number of them, a sum, the first or the last."""
    target, rows = reference.sides.parent[column], reference.sides.child
    if not _counts(reference, column):
        return
    if pa.types.is_integer(target.type):
        yield Summary(column, Aggregate.COUNT.value, "", 0)
    if pa.types.is_temporal(target.type):
        yield from _ends(column, [name for name in children if _gives(rows[name].type, target.type)])
    if is_number(target.type):
        precision = written_form(numbers_of(target)).precision
        added = _added(reference, children)
        yield from (Summary(column, Aggregate.SUM.value, n, precision.decimals, precision.digits) for n in added)


def _of_those_with(reference: _Reference, column: str, children: Sequence[str]) -> Iterator[Summary]:
    """A parent's column as the number of its children that have a value; people name their categories first."""
    if _counts(reference, column) and pa.types.is_integer(reference.sides.parent[column].type):
        counted = (name for name in children if reference.sides.child[name].null_count)
        yield from (Summary(column, Aggregate.COUNT.value, name, 0) for name in counted)


def _counts(reference: _Reference, column: str) -> bool:
    """Whether a parent's column may tell of its children: it names no row."""
    return not has_role(reference.roles[1], column, Role.IDENTIFIER, Role.REFERENCE)


def _of_some_kinds(
    reference: _Reference, kinds: Children, column: str, children: Sequence[str], budget: Budget
) -> Iterator[tuple[Summary, int]]:
    """What a parent's column may be of its children of some categories, and how many of these may count or not."""
    target = reference.sides.parent[column]
    if not _counts(reference, column) or not is_number(target.type):
        return
    precision = written_form(numbers_of(target)).precision
    yield from of_some_kinds(kinds, column, _added(reference, children), precision, budget)


def _added(reference: _Reference, children: Sequence[str]) -> list[str]:
    """The children's columns of numbers that may be added up."""
    numbers = (n for n in children if is_number(reference.sides.child[n].type))
    return [n for n in numbers if not has_role(reference.roles[0], n, Role.IDENTIFIER, Role.REFERENCE)]


def _gives(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether the first and the last of a column may be another one's values: of the same type, or their days."""
    return bool(one == other) or (pa.types.is_timestamp(one) and pa.types.is_date32(other))


def _ends(column: str, moments: Sequence[str]) -> Iterator[Summary]:
    """A parent's date or moment as the first or the last one of its children's."""
    return (Summary(column, how.value, name) for name in moments for how in (Aggregate.FIRST, Aggregate.LAST))


def _surprise_of_parents(relation: Summary, sides: Sides, joined: Keys) -> float | None:
    found = judge_parents(relation, sides, joined)
    if found.violating.any() or not found.judged.any():
        return None
    random = np.random.default_rng(5)
    share = _share([judge_parents(relation, sides, _exchanged(joined, random)) for _ in range(TURNS)])
    return int(found.judged.sum()) * -log10(share)


def _exchanged(joined: Keys, random: np.random.Generator) -> Keys:
    """Children with other parents."""
    return Keys(joined.child, random.permutation(joined.parent))
