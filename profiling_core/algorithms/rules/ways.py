"""The ways from rows to the rows that rules along references compare them with, and which columns are compared.

A way is a reference, or two: from a row to its parent's parent, or to one of its parents beside another one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

from profiling_core.model.constraint import ColumnList, Constraint, InclusionDependency
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import ON_THE_WAY, Beside
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema

Roles = Mapping[str, Mapping[str, ColumnRole]]
Way = tuple[InclusionDependency, ...]
"""A reference; then the first reference of its children, if they have the columns of the row that this leads to."""


def ways_of(references: Sequence[InclusionDependency]) -> list[Way]:
    """Ways of two references: from a row to its parent's parent, or to one parent with the columns of another."""
    apart = [one for one in references if one.lhs.table != one.rhs.table]
    found: list[Way] = []
    for (i, first), (j, then) in permutations(enumerate(apart), 2):
        if then.lhs.table == first.rhs.table and then.rhs.table != first.lhs.table:
            marked = tuple(ON_THE_WAY + name for name in then.lhs.columns)
            found.append((InclusionDependency(ColumnList(first.lhs.table, marked), then.rhs), first))
        elif then.lhs.table == first.lhs.table and i < j:
            found.append((then, first))
    return found


class ColumnsAlong(NamedTuple):
    """What a search along a reference compares: some columns of children, and their parents'.

    ``counted``: of the children those that sums and categories may be of.
    """

    own: list[str]
    theirs: list[str]
    counted: list[str]


@dataclass(frozen=True)
class KnownCopies:
    """References, and by reference the pairs of columns that children have from their parents, its own among them."""

    copies: Mapping[tuple[ColumnList, ...], set[tuple[str, str]]]

    @classmethod
    def of(cls, rules: Iterable[Constraint]) -> "KnownCopies":
        """What some references, and rules along them, say is the same."""
        found: dict[tuple[ColumnList, ...], set[tuple[str, str]]] = {}
        for rule in rules:
            if isinstance(rule, InclusionDependency):
                found.setdefault(rule.sides, set()).update(zip(*(side.columns for side in rule.sides), strict=True))
            elif isinstance(rule, ReferenceRule) and isinstance(rule.relation, Beside) and not rule.via:
                copy = (rule.relation.column, rule.relation.other)
                found.setdefault((rule.child, rule.parent), set()).update([copy] if rule.relation.gives_column else [])
        return cls(found)

    def along(self, reference: InclusionDependency) -> tuple[set[str], set[str]]:
        """Of either side of a reference the columns that its children have from their parents."""
        found = self.copies.get(reference.sides, set())
        return {own for own, _ in found}, {other for _, other in found}

    def tells(self, way: Way) -> bool:
        """Whether a way of two references leads to a row that one of them leads to already.

        A child that has from its parent what this refers by may refer to the grandparent itself. And of two parents one
        may be the other's, if the child has from it what the child refers by.
        """
        reference, first = way
        mine, _ = self.along(first)
        if not reference.lhs.columns[0].startswith(ON_THE_WAY):
            return {*reference.lhs.columns} <= mine or {*first.lhs.columns} <= self.along(reference)[0]
        own = {other: own for own, other in self.copies.get(first.sides, ())}
        names = [own.get(_plain_name(name), "") for name in reference.lhs.columns]
        return (ColumnList(reference.lhs.table, tuple(names)), reference.rhs) in self.copies


def columns_along(way: Way, schemas: Mapping[str, TableSchema], roles: Roles, known: KnownCopies) -> ColumnsAlong:
    """The columns of either side of a reference that vary and are no part of it.

    With a first reference these are, of a child whose grandparent is asked for, its own columns that it does not have
    from its parent; of one with two parents, the other parent's columns that it does not have itself.
    """
    reference, *first = way
    own, theirs = (_varying(side, schemas, roles) for side in reference.sides)
    if not first:
        return ColumnsAlong(own, theirs, own)
    (way_in, mid), (mine, of_mid) = first[0].sides, known.along(first[0])
    taken = [ON_THE_WAY + name for name in _varying(mid, schemas, roles) if name not in of_mid]
    own = [name for name in own if name not in way_in.columns]
    if reference.lhs.columns[0].startswith(ON_THE_WAY):
        then = InclusionDependency(ColumnList(mid.table, tuple(map(_plain_name, reference.lhs.columns))), reference.rhs)
        told = known.along(then)[1]
        own = [name for name in own if name not in mine]
        chosen, taken = own, [name for name in taken if name not in reference.lhs.columns]
    else:
        told, chosen = known.along(reference)[1], taken
    return ColumnsAlong(chosen, [name for name in theirs if name not in told], own + taken)


def _plain_name(name: str) -> str:
    return name.removeprefix(ON_THE_WAY)


def _varying(side: ColumnList, schemas: Mapping[str, TableSchema], roles: Roles) -> list[str]:
    """The columns of a side's table that vary and are no part of the reference."""
    names = (column.name for column in schemas[side.table].profiled if column.name not in side.columns)
    return [name for name in names if not has_role(roles.get(side.table, {}), name, Role.CONSTANT)]


def work(way: Way, schemas: Mapping[str, TableSchema], roles: Roles) -> float:
    """What a reference takes of the work of all, nearly: its pairs of columns."""
    own, theirs, _ = columns_along(way, schemas, roles, KnownCopies({}))
    return float(max(1, len(own)) * max(1, len(theirs)))


def has_role(roles: Mapping[str, ColumnRole], name: str, *chosen: Role) -> bool:
    """Whether a column has one of some roles."""
    return name in roles and roles[name].role in chosen
