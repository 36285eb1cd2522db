"""Rules as ``<database>.rules.json`` declares them, and when a constraint that was found says one of them."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.rules_data import DATA
from profiling_core.model.constraint import (
    ColumnList,
    Constraint,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    Kind,
    UniqueColumnCombination,
)
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import ON_THE_WAY
from profiling_core.model.kinds.sequence import SequenceRule
from profiling_core.model.predicate import Operand, Operator, Predicate

# The kinds that discovery says; value sets and ranges are learnt of a dataset's columns, and not of one look at it.
ASKED = ("key", "unique", "reference", "order", "equation", "conditional", "fd", "along", "grouporder")
# By kind what a constraint that says one is; of other kinds there is no form that says them.
SAID = {
    "key": (Kind.UCC,),
    "unique": (Kind.UCC,),
    "reference": (Kind.IND,),
    "order": (Kind.DC,),
    "fd": (Kind.FD,),
    "equation": (Kind.EQUATION,),
    "conditional": (Kind.CONDITIONAL,),
    "along": (Kind.REFERENCE,),
    "grouporder": (Kind.DC, Kind.SEQUENCE),
}
_WRITTEN = {
    "<>": Operator.NE,
    "<": Operator.LT,
    "<=": Operator.LE,
    ">": Operator.GT,
    ">=": Operator.GE,
    "=": Operator.EQ,
}


@dataclass(frozen=True)
class Declared:
    """A rule that holds in every row.

    ``constraint`` is the rule as a constraint, where its kind alone says all; others are known by their columns,
    ``other`` those of other tables. ``step``: the further columns of what follows from the row before.
    """

    table: str
    kind: str
    columns: tuple[str, ...]
    text: str
    constraint: Constraint | None
    other: frozenset[tuple[str, str]]
    step: frozenset[str] = frozenset()

    def is_said_by(self, constraint: Constraint) -> bool:
        """Whether a constraint is this rule: the same, or of its kind and over all of its columns."""
        if self.constraint is not None:
            same = self.constraint.fingerprint == constraint.fingerprint
            return same or (self.kind == "order" and _orders(self.constraint) == _orders(constraint) != ())
        if constraint.kind not in SAID.get(self.kind, ()):
            return False
        if isinstance(constraint, ReferenceRule):
            return self._is_said_along(constraint)
        same = {*constraint.columns} == {*self.columns} or (self.kind == "grouporder" and self._is_of_group(constraint))
        return constraint.tables[0] == self.table and same

    def _is_of_group(self, rule: Constraint) -> bool:
        """Whether it says the same of the same groups, though another column orders their rows: a date, a number."""
        asked, value = {*self.columns, *self.step}, self.columns[-1]
        if isinstance(rule, SequenceRule):
            group, values = {*rule.group}, {*rule.step.columns, *rule.step.others}
        else:
            group = {p.left.column for p in rule.denied if p.op == Operator.EQ}
            values = {value} & {*rule.columns} - group
        return value in values and group | values <= asked and len(asked - group - values) <= 1

    def _is_said_along(self, rule: ReferenceRule) -> bool:
        """Whether a rule along a reference relates a column of this one's table with one of the other tables.

        Or two columns of other tables, which rows of this table bring together.
        """
        relation = rule.relation
        own = {(rule.own.table, name) for name in relation.columns}
        here = {(self.table, name) for name in self.columns}
        if relation.column.startswith(ON_THE_WAY) and rule.child.table == self.table:
            own = {(rule.via[1].table, name.removeprefix(ON_THE_WAY)) for name in relation.columns}
            here = {*self.other}
        if not relation.others:  # the number of children: authors name whatever column of theirs
            return bool(own & here) and any(table == rule.far.table for table, _ in self.other)
        far = {(rule.far.table, name) for name in relation.others}
        return any(one & here and two & self.other for one, two in ((own, far), (far, own)))


def declared_of(path: Path, *, signed: bool = True) -> tuple[Declared, ...]:
    """The rules of a file that hold; without ``signed`` those that somebody judged to hold by accident."""
    rules = json.loads(path.read_text(encoding="utf-8"))
    return tuple(_declared(rule) for rule in rules if rule["holds"] and rule.get("signed", True) is signed)


def judged(database: str) -> tuple[tuple[Declared, ...], tuple[Declared, ...]]:
    """The undeclared keys, orders and rules along sequences that somebody would sign, and of the latter the others.

    They had not read the search.
    """
    keys, sequences = (
        {verdict: tuple(_judged(name, kind, database, verdict)) for verdict in ("right", "wrong")}
        for name, kind in (("keys", "unique"), ("sequences", "grouporder"))
    )
    return (*keys["right"], *_orders_of(database), *sequences["right"]), sequences["wrong"]


def _orders_of(database: str) -> Iterator[Declared]:
    with (DATA / "judged_orders.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["database"] == database and row["judged"] == "right":
                columns = (row["lesser"], row["greater"])
                yield _declared({**row, "kind": "order", "columns": columns, "op": "<=", "source": "judged"})


def _judged(name: str, kind: str, database: str, verdict: str) -> Iterator[Declared]:
    with (DATA / f"judged_{name}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["database"] == database and row["judged"] == verdict:
                columns = tuple(row["columns"].split(", "))
                yield _declared({"table": row["table"], "kind": kind, "columns": columns, "source": "judged"})


def _declared(rule: Mapping[str, Any]) -> Declared:
    columns, other = tuple(rule["columns"]), frozenset((t, c) for t, c in rule.get("other", ()))
    said = rule.get("rule") or ", ".join(columns)
    said += f" ⊆ {rule['to']}.{', '.join(rule['to_columns'])}" if "to" in rule else ""
    text = f"{rule['table']} {rule['kind']}: {said} ({rule['source']})"
    step = frozenset(rule.get("with", ()))
    return Declared(rule["table"], rule["kind"], columns, text, _constraint(rule, columns), other, step)


def _constraint(rule: Mapping[str, Any], columns: tuple[str, ...]) -> Constraint | None:
    table, kind = rule["table"], rule["kind"]
    if kind in ("key", "unique"):
        return UniqueColumnCombination(ColumnList(table, columns))
    if kind == "reference":
        return InclusionDependency(ColumnList(table, columns), ColumnList(rule["to"], tuple(rule["to_columns"])))
    if kind == "fd":
        return FunctionalDependency(ColumnList(table, tuple(rule["lhs"])), ColumnList(table, (rule["rhs"],)))
    if kind == "order" and len(columns) == 2 and "op" in rule:
        denied = _WRITTEN[rule["op"]].inverse
        return DenialConstraint(table, (Predicate(Operand("t", columns[0]), denied, Operand("t", columns[1])),))
    return None


def _orders(constraint: Constraint) -> tuple[str, ...]:
    """The columns of an order within a row, the lesser one first; none of another constraint."""
    if not isinstance(constraint, DenialConstraint) or len(constraint.predicates) != 1:
        return ()
    (denied,) = constraint.predicates
    if not denied.is_single_row or denied.op in (Operator.EQ, Operator.NE):
        return ()
    pair = (denied.left.column, denied.right.column)
    return (constraint.table, *(pair[::-1] if denied.op in (Operator.LT, Operator.LE) else pair))
