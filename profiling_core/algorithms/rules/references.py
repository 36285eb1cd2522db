"""References: columns whose values are those of a key, in another table or their own, on purpose.

Only keys are tried as the referenced side, so that not all values are compared with all; whether an inclusion reads as
a
foreign key is judged as for all inclusions.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.inclusions import foreign_keys
from profiling_core.algorithms.inclusions.foreign_keys import InclusionSide
from profiling_core.algorithms.roles import names
from profiling_core.algorithms.rules.candidate import Candidate, Family, best_first
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.implication import KnownRules
from profiling_core.algorithms.rules.schema.inclusions import are_within, is_within
from profiling_core.algorithms.rules.self_references import is_on_purpose
from profiling_core.model.constraint import ColumnList, Constraint, InclusionDependency, Measured
from profiling_core.model.kinds.reference import OF_PARENT, Aggregate, Beside, ComputedBeside, ReferenceRule, Summary
from profiling_core.model.predicate import Operator
from profiling_core.model.role import Role

Tables = Mapping[str, CodedTable]
_NEVER = (Role.FLAG, Role.CONSTANT, Role.DATE, Role.MOMENT)
# Distinct values of a referring column, at least.
_LEAST_VALUES = 2
_TRIED = 100
# The least likelihood of an inclusion as a foreign key, for a part of a key of several columns.
_LIKELY_PART = 0.02
# Distinct days that are evidence for a part of a key, at least.
_FEWEST_DAYS = 20


def find_references(tables: Tables, keys: Mapping[str, Sequence[Candidate]], budget: Budget) -> list[Candidate]:
    """The likely foreign keys among tables, at most one per column; ``keys``: the keys of each table.

    The likelihood is the candidate's strength.
    """
    found: list[Candidate] = []
    for table, column in budget.steps((t, c) for t in tables.values() for c in _referring(t)):
        read = [_read(table, column, parent, key, tables) for parent, key in _keys_of_one(tables, keys)]
        likely = [c for c in read if c and c.strength >= foreign_keys.LIKELY]
        found += [max(likely, key=lambda c: c.strength)] if likely else []
    return [*_one_way(found), *_composite(tables, keys, budget)]


def _one_way(found: Sequence[Candidate]) -> list[Candidate]:
    """Of two keys that include each other: the reference to the one that others refer to, else the first."""
    referred = Counter(c.constraint.rhs for c in found)
    return [
        c
        for place, c in enumerate(found)
        if not any(
            (other.constraint.lhs, other.constraint.rhs) == (c.constraint.rhs, c.constraint.lhs)
            and (referred[c.constraint.rhs], place) < (referred[c.constraint.lhs], there)
            for there, other in enumerate(found)
        )
    ]


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
    along: Sequence[Candidate], again: Collection[ColumnList], named: Collection[tuple[str, ...]]
) -> Iterator[Candidate]:
    """The rules along references that do not lead by another name to a parent that is referenced by its key."""
    others = (c for c in along if c.constraint.child not in again)
    return (c for c in others if _way(c.constraint.child, c.constraint.parent) not in named)


def _way(child: ColumnList, parent: ColumnList) -> tuple[str, ...]:
    """How a reference of one column leads to its parent, for :func:`by_first_names`."""
    return (child.table, *child.columns, parent.table, *parent.columns)


def telling_along(rules: Sequence[Measured]) -> list[Candidate]:
    """Rules along references, best first, without those that follow from others on the same rows.

    That no child comes before its parent's date is shown for the children, though the parent's date is shown as the
    first of
    theirs: deleting a child violates the latter, and not the former.
    """
    same = KnownRules(r.constraint for r in rules if r.constraint.entails)
    rules = [r for r in rules if r.constraint.entails or not same.imply(r.constraint)]
    rules = [r for r in rules if not _is_part_of_a_sum(r.constraint, rules)]
    rules = [r for r in rules if not _is_part_of_what_is_computed(r.constraint, rules)]
    return best_first(rules, Family.ALONG_REFERENCES)


def _is_part_of_a_sum(rule: Constraint, rules: Sequence[Measured]) -> bool:
    """Whether it says that a row's number is at most its parent's, which is the sum of them: a part is less."""
    if not isinstance(rule, ReferenceRule) or not isinstance(rule.relation, Beside) or rule.relation.op != Operator.LE:
        return False
    others = [r.constraint for r in rules if isinstance(r.constraint, ReferenceRule)]
    return any(
        isinstance(other.relation, Summary)
        and (other.child, other.parent) == (rule.child, rule.parent)
        and other.relation.aggregate == Aggregate.SUM
        and (other.relation.other, other.relation.column) == (rule.relation.column, rule.relation.other)
        for other in others
    )


def _is_part_of_what_is_computed(rule: Constraint, rules: Sequence[Measured]) -> bool:
    """Whether it is the order of two numbers, one computed with the other: a line's weight, a piece's weight."""
    if not isinstance(rule, ReferenceRule) or not isinstance(rule.relation, Beside) or rule.relation.op == Operator.EQ:
        return False
    own = {rule.relation.column, OF_PARENT + rule.relation.other}
    alike = (r.constraint for r in rules if isinstance(r.constraint, ReferenceRule))
    computed = (r.relation for r in alike if (r.child, r.parent) == (rule.child, rule.parent))
    return any(
        isinstance(relation, ComputedBeside)
        and relation.value.is_numeric
        and own <= {relation.column, *relation.value.columns}
        for relation in computed
    )


def _is_beside(rule: Constraint) -> bool:
    return isinstance(rule, ReferenceRule) and isinstance(rule.relation, Beside)


def _referring(table: CodedTable) -> list[str]:
    roles = table.roles
    there = (n for n, r in roles.items() if r.role not in _NEVER and table.distinct(n) >= _LEAST_VALUES)
    return [n for n in there if not names.counts_rows(n, table.schema.names)]


def _keys_of_one(tables: Tables, keys: Mapping[str, Sequence[Candidate]]) -> Iterator[tuple[CodedTable, str]]:
    for name, found in keys.items():
        for key in found:
            (column, *others) = key.constraint.columns
            if not others and not names.counts_rows(column, tables[name].schema.names):
                yield tables[name], column


def _read(table: CodedTable, column: str, parent: CodedTable, key: str, tables: Tables) -> Candidate | None:
    """The inclusion of a column in a key as a candidate, if there is one."""
    classes = [t.schema.column(c).type.type_class for t, c in ((table, column), (parent, key))]
    # A unique column beside its own table's key is another name of the row, and refers to no other.
    names_rows = table.is_unique(column) and table.present(column) == table.size
    itself = table.name == parent.name and (column == key or names_rows)
    if itself or classes[0] is not classes[1] or table.distinct(column) > parent.distinct(key):
        return None
    if not is_within(table.rows[column], parent.rows[key]):
        return None
    improbable = table is parent and is_on_purpose(table, column, key)
    return _candidate(ColumnList(table.name, (column,)), ColumnList(parent.name, (key,)), tables, improbable=improbable)


def _candidate(lhs: ColumnList, rhs: ColumnList, tables: Tables, *, improbable: bool = False) -> Candidate:
    sides = {side: _side(side, tables) for side in (lhs, rhs)}
    sides |= {part: _side(part, tables) for name in rhs.columns if (part := ColumnList(rhs.table, (name,)))}
    distinct = sides[lhs].distinct
    measured = Measured(InclusionDependency(lhs, rhs), 0, distinct, distinct, 1.0)
    schemas = {name: table.schema for name, table in tables.items()}
    reading = foreign_keys.read(measured, sides, schemas, "typed", improbable=improbable)
    return Candidate(measured, Family.REFERENCE, reading.likelihood, reading.likelihood)


def _side(side: ColumnList, tables: Tables) -> InclusionSide:
    sizes = tables[side.table].grouped(side.columns).sizes
    return InclusionSide(int((sizes > 0).sum()), int(sizes.sum()))


def _composite(tables: Tables, keys: Mapping[str, Sequence[Candidate]], budget: Budget) -> Iterator[Candidate]:
    """References to primary keys of several columns, each part by a similarly named column."""
    primary = [(tables[n], found[0].constraint.columns) for n, found in keys.items() if found]
    for (parent, key), table in budget.steps(product([p for p in primary if len(p[1]) > 1], tables.values())):
        if table is parent:
            continue
        parts = [_part(table, parent, name, tables) for name in key]
        columns = tuple(name for name in parts if name)
        if len(columns) == len(set(columns)) == len(key) and are_within(table, columns, parent, key):
            yield _candidate(ColumnList(table.name, columns), ColumnList(parent.name, key), tables)


def _part(table: CodedTable, parent: CodedTable, name: str, tables: Tables) -> str | None:
    """The column of a table that most likely corresponds to a part of another table's key."""
    days = [n for n, r in table.roles.items() if r.role.is_temporal and parent.roles[name].role.is_temporal]
    read = [_read(table, column, parent, name, tables) for column in (*_referring(table), *days)]
    there = [c for c in read if c]
    # If no other date of the table is always one of the key's, that this one is suffices.
    only = len(there) == 1 and parent.roles[name].role.is_temporal and there[0].measured.support >= _FEWEST_DAYS
    likely = [c for c in there if only or c.strength >= _LIKELY_PART]
    return str(max(likely, key=lambda c: c.strength).constraint.columns[0]) if likely else None
