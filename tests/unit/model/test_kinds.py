"""A kind of constraint has a room in each layer that needs one, and nothing else asks of which kind one is."""

import ast
import json

import pytest
import sqlglot
from helpers.constraints import denied, fd, ind, key, table_schema
from stack.files import REPOSITORY as ROOT

from profiling_core.airflow.ui.words import RULE_KINDS
from profiling_core.emit.dialects import Dialect, sql_text
from profiling_core.emit.kinds.registry import FORMS
from profiling_core.emit.sql import population, violating_rows, violation_count
from profiling_core.maintain.breaking import FINDERS
from profiling_core.model.consequent import Present
from profiling_core.model.constraint import (
    ColumnList,
    ColumnRule,
    Conditional,
    Constraint,
    Equation,
    Kind,
    ReferenceRule,
    RowConstraint,
    SequenceRule,
    renamed,
)
from profiling_core.model.expression import Linear, Precision
from profiling_core.model.kinds.column import Rule
from profiling_core.model.kinds.registry import KINDS
from profiling_core.model.kinds.relation import Beside
from profiling_core.model.types import NullSemantics
from profiling_core.spark.kinds.registry import ROOMS

# Where a kind may be told from another: in its own rooms, and in algorithms, since each is about certain kinds.
OWN = ("profiling_core/model/", "profiling_core/algorithms/")

SAMPLES: dict[Kind, tuple[Constraint, str]] = {
    Kind.DC: (denied("t.ordered > t.shipped", table="orders"), "9f85257cf62c08e4"),
    Kind.FD: (fd("zip country", "city", "orders"), "6b05cb0a1a45a21f"),
    Kind.UCC: (key("order", "orders"), "0becb9accc15a593"),
    Kind.IND: (ind("orders.customer", "customers.customer"), "9ba8d304bf6456c5"),
    Kind.COLUMN: (ColumnRule("orders", "amount", Rule.RANGE, low="0", high="900"), "6eb1cf8fb85e94d2"),
    Kind.EQUATION: (
        Equation("orders", "amount", Linear((("1", "customer"), ("100", "order"))), Precision(0)),
        "4e3327ad151e87a3",
    ),
    Kind.CONDITIONAL: (
        Conditional("orders", "country", ("FR",), Present("zip", there=True), both_ways=True),
        "e684cbd12f080110",
    ),
    Kind.REFERENCE: (
        ReferenceRule(
            ColumnList("orders", ("customer",)), ColumnList("customers", ("customer",)), Beside("city", "=", "town")
        ),
        "aaa379493ffa6375",
    ),
    Kind.SEQUENCE: (
        SequenceRule("orders", ("customer",), "order", Beside("ordered", "≥", "shipped")),
        "0da7b9bf3fc2a764",
    ),
}

SCHEMAS = {
    "orders": table_schema(
        "orders",
        "order integer, customer integer, ordered date, shipped date, amount integer"
        ", zip string, city string, country string",
        key="order",
    ),
    "customers": table_schema("customers", "customer integer, town string"),
}


@pytest.mark.parametrize("kind", sorted(Kind))
def test_a_kind_has_a_room_in_every_layer_that_needs_one(kind: Kind):
    constraint = SAMPLES[kind][0]
    assert KINDS[kind] is type(constraint)
    assert kind in FORMS, f"emit/kinds has no form of {kind.name}"
    assert kind in RULE_KINDS, f"airflow/ui/words.py has no words for {kind.name}, and the list of rules no filter"
    if constraint.can_set_aside:
        assert kind in FINDERS, f"a policy may set rows aside for {kind.name}, and nothing finds them"
    if isinstance(constraint, RowConstraint):
        assert kind in ROOMS, f"spark/kinds has no room of {kind.name}"


@pytest.mark.parametrize("kind", sorted(Kind))
def test_a_kind_keeps_its_identity_and_its_form_on_disk(kind: Kind):
    constraint, fingerprint = SAMPLES[kind]
    assert constraint.fingerprint == fingerprint, "decisions and states of earlier releases would be lost"
    assert Constraint.from_json(json.loads(json.dumps(constraint.to_json()))) == constraint


@pytest.mark.parametrize("kind", sorted(Kind))
def test_programs_are_told_the_same_of_every_kind(kind: Kind):
    constraint, _ = SAMPLES[kind]
    told = constraint.described()
    assert told["kind"] == kind.value
    assert told["table"] == constraint.tables[0] == "orders"
    assert told["columns"] == list(constraint.columns)
    assert told["text"] == constraint.text
    assert told["words"].endswith(".")
    assert all(column in told["words"] for side in constraint.sides for column in side.columns)
    assert Constraint.from_json(told) == constraint
    assert constraint.unit.of(1) != constraint.unit.of(2)
    assert constraint.nouns.one != constraint.nouns.many


@pytest.mark.parametrize("kind", sorted(Kind))
def test_a_kind_follows_columns_that_are_renamed(kind: Kind):
    constraint, fingerprint = SAMPLES[kind]
    there = {t: {c.name: f"{c.name}_2" for c in schema.columns} for t, schema in SCHEMAS.items()}
    back = {t: {now: before for before, now in names.items()} for t, names in there.items()}
    moved = renamed(constraint, there)
    assert all(column.endswith("_2") for side in moved.sides for column in side.columns)
    assert moved.fingerprint != fingerprint
    assert renamed(moved, back) == constraint
    assert renamed(constraint, {"others": {"zip": "postcode"}}) is constraint


@pytest.mark.parametrize("nulls", list(NullSemantics))
@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("kind", sorted(Kind))
def test_a_kind_is_sql_in_every_dialect(kind: Kind, dialect: Dialect, nulls: NullSemantics):
    constraint, _ = SAMPLES[kind]
    queries = (
        violating_rows(constraint, SCHEMAS, nulls),
        violation_count(constraint, SCHEMAS, nulls),
        population(constraint, SCHEMAS),
    )
    for query in queries:
        assert sqlglot.parse_one(sql_text(query, SCHEMAS, dialect), dialect=dialect.value)


def test_nothing_else_asks_of_which_kind_a_constraint_is():
    names = {"Constraint", "RowConstraint", *(kind.__name__ for kind in KINDS.values())}
    asking = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for folder in ("profiling_core", "plugins", "dags")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not str(path.relative_to(ROOT)).startswith(OWN)
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "isinstance"
        if names & {node.id for node in ast.walk(call.args[1]) if isinstance(node, ast.Name)}
    ]
    assert not asking, "let the kind say it: docs/how-to/add-a-kind.md"
