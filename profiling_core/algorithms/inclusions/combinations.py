"""n-ary inclusions from shorter ones, level by level.

As MIND does (De Marchi, Lopes, Petit, "Unary and n-ary inclusion dependency discovery in relational databases", J.
Intell. Inf. Syst. 32, 2009). An n-ary IND is a set of n unary ones between the same two tables that share no column,
written with the included columns in the table's order. It is looked for where all its parts, of one column less, are
among those found.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.model.schema import TableSchema

Positions = Mapping[tuple[str, str], int]


def column_positions(schemas: Iterable[TableSchema]) -> dict[tuple[str, str], int]:
    """By table and column the column's position in its table."""
    return {(schema.table, name): i for schema in schemas for i, name in enumerate(schema.names)}


def in_table_order(inclusion: InclusionDependency, positions: Positions) -> InclusionDependency:
    """The inclusion with the included columns in the order of their table."""
    lhs, rhs = inclusion.lhs, inclusion.rhs
    pairs = sorted(zip(lhs.columns, rhs.columns, strict=True), key=lambda pair: positions[lhs.table, pair[0]])
    return _inclusion(lhs.table, rhs.table, pairs)


def candidates(found: Collection[InclusionDependency], positions: Positions) -> list[InclusionDependency]:
    """The inclusions of one column more all of whose parts are among those found (all of one length).

    By included, then referenced columns: tables by name, columns by position.
    """
    known = set(found)
    longer = []
    for group in _by_all_but_last(found).values():
        ordered = sorted(group, key=lambda ind: positions[ind.lhs.table, ind.lhs.columns[-1]])
        for i, first in enumerate(ordered):
            longer += [joined for second in ordered[i + 1 :] if (joined := _joined(first, second)) is not None]
    complete = [ind for ind in longer if all(part in known for part in parts(ind))]
    return sorted(complete, key=lambda ind: _place(ind, positions))


def parts(inclusion: InclusionDependency) -> Iterator[InclusionDependency]:
    """The inclusions of one column less that an inclusion consists of."""
    pairs = list(zip(inclusion.lhs.columns, inclusion.rhs.columns, strict=True))
    for i in range(len(pairs)):
        yield _inclusion(inclusion.lhs.table, inclusion.rhs.table, [*pairs[:i], *pairs[i + 1 :]])


def maximal(found: Sequence[Measured[InclusionDependency]]) -> list[Measured[InclusionDependency]]:
    """Those that do not follow from a longer one: exact inclusions that are part of an exact inclusion are left out."""
    implied: set[InclusionDependency] = set()
    for measured in sorted(found, key=lambda m: -len(m.constraint.columns)):
        inclusion = measured.constraint
        if len(inclusion.columns) > 1 and (measured.holds or inclusion in implied):
            implied.update(parts(inclusion))
    return [m for m in found if not (m.holds and m.constraint in implied)]


def _by_all_but_last(found: Iterable[InclusionDependency]) -> dict[object, list[InclusionDependency]]:
    groups: defaultdict[object, list[InclusionDependency]] = defaultdict(list)
    for ind in found:
        groups[ind.lhs.table, ind.rhs.table, ind.lhs.columns[:-1], ind.rhs.columns[:-1]].append(ind)
    return groups


def _joined(first: InclusionDependency, second: InclusionDependency) -> InclusionDependency | None:
    """Both together, where no column then stands twice."""
    lhs, rhs = (*first.lhs.columns, second.lhs.columns[-1]), (*first.rhs.columns, second.rhs.columns[-1])
    columns = [*((first.lhs.table, name) for name in lhs), *((first.rhs.table, name) for name in rhs)]
    if len(set(columns)) < len(columns):
        return None
    return InclusionDependency(ColumnList(first.lhs.table, lhs), ColumnList(first.rhs.table, rhs))


def _place(inclusion: InclusionDependency, positions: Positions) -> tuple[object, ...]:
    sides = (inclusion.lhs, inclusion.rhs)
    return tuple((side.table, [positions[side.table, column] for column in side.columns]) for side in sides)


def _inclusion(included: str, referenced: str, pairs: Sequence[tuple[str, str]]) -> InclusionDependency:
    lhs, rhs = tuple(a for a, _ in pairs), tuple(b for _, b in pairs)
    return InclusionDependency(ColumnList(included, lhs), ColumnList(referenced, rhs))
