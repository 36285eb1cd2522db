"""A table's rules of single columns as they are stored, with the history they were learnt from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.model.constraint import Measured
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import InOrder, Stored

# The version of a book's stored form; a book of another version cannot be continued.
FORMAT = 5


@dataclass(frozen=True, slots=True)
class Kept(Stored):
    """A rule in force, and how many rows of the table, or deltas of the latest step, violate it.

    ``age`` counts the deltas that have come since it was learnt.
    """

    rule: ColumnRule
    violations: int = 0
    age: int = 0


@dataclass(frozen=True, slots=True)
class ColumnBook(Stored):
    """The rules of a table with the history they were learnt from.

    ``rows`` is the table's size; ``valued`` per column the number of rows with a value; ``deltas`` the number of deltas
    in
    the latest step; ``names`` are the columns whose values identify things, so that their size means nothing.
    """

    __tag__ = "format"
    format: ClassVar[int] = FORMAT
    history: TableHistory
    kept: tuple[Kept, ...] = ()
    rows: int = 0
    valued: Mapping[str, int] = field(default_factory=dict)
    deltas: int = 0
    names: InOrder[str] = frozenset()

    def measured(self, kept: Kept) -> Measured[ColumnRule]:
        """A rule's figures."""
        rule = kept.rule
        if rule.rule.of_deltas:
            return Measured(rule, kept.violations, self.deltas, self.history.count)
        there = self.valued.get(rule.column, 0)
        population = {Rule.NOT_NULL: self.rows, Rule.NULL_WITH: self.rows - there}.get(rule.rule, there)
        return Measured(rule, kept.violations, population, population - kept.violations)

    def under(self, schema: TableSchema, renames: Mapping[str, str]) -> "ColumnBook":
        """The book after columns of the table have come, gone, or been renamed.

        Args:
            schema: the columns now.
            renames: the present name by former name, for renamed columns.
        """
        named = {renames.get(name, name): name for name in self.history.columns}
        same = {
            column.name: named[column.name]
            for column in schema.profiled
            if column.name in named and self.history.columns[named[column.name]].type is column.type
        }
        kept = [replace(k, rule=k.rule.under(renames)) for k in self.kept]
        return replace(
            self,
            history=self.history.under(schema, same, self.rows),
            kept=tuple(k for k in kept if all(name in same for name in k.rule.columns)),
            valued={name: self.valued.get(former, 0) for name, former in same.items()},
            names=frozenset(name for name, former in same.items() if former in self.names),
        )
