"""Which references, and which rules along them, are told: one name of a row is enough, and so is one of two orders."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import product

from profiling_core.algorithms.rules.candidate import Candidate, plain
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.implication import KnownRules
from profiling_core.algorithms.rules.schema.inclusions import is_within
from profiling_core.model.constraint import ColumnList, Constraint, InclusionDependency
from profiling_core.model.kinds.reference import ReferenceRule, Relation
from profiling_core.model.kinds.relation import OF_PARENT, Aggregate, Beside, ComputedBeside, Summary
from profiling_core.model.predicate import Operator

Tables = Mapping[str, CodedTable]


def beside_keys(tables: Tables, references: Sequence[Candidate]) -> list[InclusionDependency]:
    """The references, and those to further tables with the same key: a customer's sums in a table apart."""
    found: list[InclusionDependency] = [r.constraint for r in references]
    keyed = [r for r in found if len(r.lhs.columns) == 1 and tables[r.lhs.table].is_unique(r.lhs.columns[0])]
    more = [
        InclusionDependency(r.lhs, key.lhs)
        for key, r in product(keyed, found)
        if r.rhs == key.rhs and r.lhs.table != key.lhs.table
    ]
    sides = {i: [tables[side.table].rows[side.columns[0]] for side in i.sides] for i in more}
    return [*found, *(i for i in more if is_within(*sides[i]))]


def by_first_names(
    references: Sequence[Candidate], along: Sequence[Candidate], keys: Mapping[str, Sequence[Candidate]]
) -> list[Candidate]:
    """References and rules along them, without those that use another name of a row that is also referenced by its key.

    If a row has its plan's number, and the name of the plan with this number, then the reference by name need not be
    shown,
    nor the other rules on plans of that name.
    """
    primary = {c.constraint.sides[0] for found in keys.values() for c in found[:1]}
    named = {
        (rule.child.table, rule.relation.column, rule.parent.table, rule.relation.other)
        for rule in (c.constraint for c in along)
        if _is_beside(rule) and rule.relation.op == Operator.EQ and rule.parent in primary
    }
    others = (r.constraint for r in references if r.constraint.rhs not in primary)
    again = {inclusion.lhs for inclusion in others if _way(*inclusion.sides) in named}
    told = [r for r in references if r.constraint.lhs not in again]
    return [*told, *_by_other_ways(along, again, named)]


def _by_other_ways(
    along: Sequence[Candidate], again: AbstractSet[ColumnList], named: Collection[tuple[str, ...]]
) -> Iterator[Candidate]:
    """The rules along references that do not lead by another name to a parent that is referenced by its key."""
    others = (c for c in along if again.isdisjoint((c.constraint.child, *c.constraint.via)))
    return (c for c in others if _way(c.constraint.child, c.constraint.parent) not in named)


def _way(child: ColumnList, parent: ColumnList) -> tuple[str, ...]:
    """How a reference of one column leads to its parent, for :func:`by_first_names`."""
    return (child.table, *child.columns, parent.table, *parent.columns)


def telling_along(found: Sequence[Candidate]) -> list[Candidate]:
    """Rules along references, without those that follow from others on the same rows; orders by log-odds.

    That no child comes before its parent's date is shown for the children, though the parent's date is shown as the
    first of theirs: deleting a child violates the latter, and not the former.
    """
    found = _by_the_shortest_way(found)
    same = KnownRules(r.constraint for r in found if r.constraint.entails)
    rules = [r for r in found if r.constraint.entails or not same.imply(r.constraint)]
    rules = [r for r in rules if not _is_part_of_what_is_computed(r.constraint, rules)]
    return [*plain(r for r in rules if not _is_order(r.constraint)), *(r for r in rules if _is_order(r.constraint))]


def _by_the_shortest_way(found: Sequence[Candidate]) -> list[Candidate]:
    """Rules along references, those along two only if nothing says the same of the same tables by another way."""
    seen = {_said_of(one.constraint) for one in found if not one.constraint.via}
    told: list[Candidate] = []
    for one in found:
        said = _said_of(one.constraint)
        if not one.constraint.via or said not in seen:
            told.append(one)
        seen.add(said)
    return told


def _said_of(rule: ReferenceRule) -> tuple[str, str, Relation]:
    return rule.own.table, rule.far.table, rule.relation


def _is_part_of_what_is_computed(rule: Constraint, rules: Sequence[Candidate]) -> bool:
    """Whether it is the order of two numbers, one computed with the other: a part and its sum."""
    if not isinstance(rule, ReferenceRule) or not isinstance(rule.relation, Beside) or not _is_order(rule):
        return False
    own = {rule.relation.column, OF_PARENT + rule.relation.other}
    others = (r.constraint for r in rules if isinstance(r.constraint, ReferenceRule))
    along = (other.relation for other in others if (other.child, other.parent) == (rule.child, rule.parent))
    return any(own <= _computed_together(relation) for relation in along)


def _computed_together(relation: Relation) -> set[str]:
    """Numbers that a relation computes from each other; empty if it computes none."""
    if isinstance(relation, Summary):
        return {OF_PARENT + relation.column, relation.other} if relation.aggregate == Aggregate.SUM else set()
    if isinstance(relation, ComputedBeside) and relation.value.is_numeric:
        return {relation.column, *relation.value.columns}
    return set()


def _is_order(rule: Constraint) -> bool:
    return isinstance(rule, ReferenceRule) and isinstance(rule.relation, Beside) and rule.relation.op != Operator.EQ


def _is_beside(rule: Constraint) -> bool:
    return isinstance(rule, ReferenceRule) and isinstance(rule.relation, Beside)
