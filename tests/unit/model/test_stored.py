"""Records are written as JSON by their fields, and read again as they were."""

import json
from dataclasses import dataclass

import pytest

from profiling_core.model.change import Change, ChangeSet, Transition
from profiling_core.model.consequent import Ordered
from profiling_core.model.constraint import (
    ColumnList,
    Conditional,
    Constraint,
    Equation,
    FunctionalDependency,
    InclusionDependency,
    Measured,
    ReferenceRule,
)
from profiling_core.model.expression import Expression, Linear, Precision
from profiling_core.model.kinds.relation import Beside, ComputedBeside, Summary
from profiling_core.model.predicate import Operand
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.stored import ForgottenError, Stored
from profiling_core.model.types import LogicalType

ORDERS, CUSTOMERS = ColumnList("orders", ("customer",)), ColumnList("customers", ("id",))
NET = Linear((("1.19", "net"),), "0")


def again(record: Stored) -> Stored:
    """The record after it was JSON text."""
    return type(record).from_json(json.loads(json.dumps(record.to_json())))


@pytest.mark.parametrize(
    "constraint",
    [
        FunctionalDependency(ORDERS, ColumnList("orders", ("city",))),
        InclusionDependency(ORDERS, CUSTOMERS),
        Equation("orders", "gross", NET, Precision(2, None, 3)),
        Conditional("orders", "country", ("DE",), Ordered("paid", "≤", "gross"), both_ways=False),
        ReferenceRule(ORDERS, CUSTOMERS, Beside("ordered", "≥", "joined", "ordered")),
        ReferenceRule(ORDERS, CUSTOMERS, ComputedBeside("price", NET, 2)),
        ReferenceRule(ORDERS, CUSTOMERS, Summary("orders", "count", "")),
    ],
)
def test_a_constraint_is_read_as_its_kind_wherever_it_stands(constraint):
    first = Measured(constraint, 1, 10, 3)
    worse = Measured(constraint, 2, 12, 3, 0.5)
    change = Change(Transition.BROKE, "orders", first, worse)
    changes = ChangeSet("shop", 2, "run", {}, (change, change))
    assert again(constraint) == constraint
    assert Constraint.from_json(constraint.to_json()) == constraint
    assert again(changes) == changes


def test_the_figures_of_a_measured_constraint_stand_beside_it():
    data = Measured(InclusionDependency(ORDERS, CUSTOMERS), 1, 10, 3, 0.5).to_json()
    assert (data["kind"], data["text"]) == ("ind", "orders.customer ⊆ customers.id")
    assert {name: data[name] for name in ("violations", "error", "coverage", "row_coverage")} == {
        "violations": 1,
        "error": 0.1,
        "coverage": 0.9,
        "row_coverage": 0.5,
    }
    assert "coverage" not in Measured(FunctionalDependency(ORDERS, CUSTOMERS), 1, 10).to_json()


def test_a_field_that_says_nothing_is_not_written():
    assert Operand("t", "day").to_json() == {"tuple": "t", "column": "day"}
    assert Operand("t", "day", by_day=True).to_json()["by_day"] is True
    assert Precision(2).to_json() == {"decimals": 2, "digits": None}
    assert "written" not in Column("day", LogicalType.DATE, ordered=True).to_json()


@dataclass(frozen=True, slots=True)
class Spent(Stored):
    __listed__ = True
    day: str
    hours: float = 8.0


@dataclass(frozen=True, slots=True)
class Week(Stored):
    days: tuple[Spent, ...]


def test_a_listed_record_has_no_names_wherever_it_stands_and_lacks_later_fields():
    week = Week((Spent("Mon", 7.5), Spent("Tue")))
    assert week.to_json() == {"days": [["Mon", 7.5], ["Tue", 8.0]]}
    assert again(week) == Week.from_json({"days": [["Mon", 7.5], ["Tue"]]}) == week


def test_what_an_earlier_release_wrote_is_left_out_and_what_it_lacked_has_its_default():
    column = {"name": "price", "type": "decimal", "ordered": True, "decimal_comma": False}
    schema = TableSchema.from_json({"table": "t", "columns": [column], "key": ["price"]})
    assert schema == TableSchema("t", (Column("price", LogicalType.DECIMAL, ordered=True),), ("price",))


@pytest.mark.parametrize(("data", "told"), [({"form": "no such form"}, "no such form"), ({"form": "linear"}, "terms")])
def test_a_record_that_cannot_be_read_is_told(data, told):
    with pytest.raises(ValueError, match=told):
        Expression.from_json(data)


CALCULATED = {"asks": "calculated", "column": "gross", "value": NET.to_json(), "decimals": 2, "digits": None}
FORGOTTEN = [
    *(
        {"kind": "equation", "table": "orders", "column": "gross", "value": {"form": form}, "decimals": 0}
        for form in ("extreme", "distance", "apart", "days_on", "weeks_on", "cased")
    ),
    *(
        {"kind": "conditional", "table": "orders", "column": "country", "values": ["DE"], "then": then}
        for then in (CALCULATED, {"asks": "determines", "lhs": ["zip"], "column": "city"})
    ),
    {
        "kind": "reference",
        "child": ORDERS.to_json(),
        "parent": CUSTOMERS.to_json(),
        "relation": {
            "form": "computed",
            "column": "due",
            "value": {"form": "days_on", "column": "ordered", "by": "↑days"},
        },
    },
]


@pytest.mark.parametrize("data", FORGOTTEN)
def test_a_rule_of_a_form_that_only_earlier_releases_had_is_left_out_of_what_holds_it(data):
    key = Measured(FunctionalDependency(ORDERS, CUSTOMERS), 0, 10, 3)
    change = Change(Transition.APPEARED, "orders", None, key).to_json()
    changes = ChangeSet("shop", 2, "run", {}, ()).to_json()
    former = change | {"after": {**data, "violations": 0, "population": 10, "support": 3}}
    assert ChangeSet.from_json(changes | {"changes": [former, change]}).changes == (Change.from_json(change),)
    with pytest.raises(ForgottenError):
        Constraint.from_json(data)
    with pytest.raises(ValueError, match="no form is called 'never'"):
        Constraint.from_json(FORGOTTEN[0] | {"value": {"form": "never"}})
