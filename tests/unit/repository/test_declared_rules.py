"""When the benchmark takes a declared rule as told: by the same rule in other words, and by no other rule."""

import json

import pytest
from benchmarks.rules_databases import Database, staged
from benchmarks.rules_declared import declared_of

from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.discovery import TableRules
from profiling_core.algorithms.rules.selection import Selection
from profiling_core.model.consequent import Present
from profiling_core.model.constraint import ColumnList, DenialConstraint, Measured
from profiling_core.model.expression import Cut, Precision
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import Beside, Summary
from profiling_core.model.kinds.sequence import SequenceRule
from profiling_core.model.predicate import Operator, same_column


@pytest.fixture
def stage(tmp_path):
    """The stage of a declared rule of the table ``t`` beside shown constraints."""

    def of(kind: str, columns: str, *shown, other=()) -> str:
        path = tmp_path / "d.rules.json"
        rule = {"table": "t", "kind": kind, "columns": columns.split(), "source": "made up", "holds": True}
        path.write_text(json.dumps([rule | {"other": other}]))
        lines = tuple((Candidate(Measured(one, 0, 9, 9), Family.EQUATION, 9.0),) for one in shown)
        table = TableRules("t", 9, {}, (), Selection(lines, (), ()), "")
        ((_, found),) = staged(Database("d", declared_of(path), [table], 0.0))
        return found

    return of


def along(relation: Summary) -> ReferenceRule:
    return ReferenceRule(ColumnList("lines", ("order",)), ColumnList("t", ("order",)), relation)


def test_a_number_of_children_is_told_whatever_column_of_theirs_is_named(stage):
    counted = along(Summary("line_count", "count", "", 0))
    assert stage("along", "line_count", counted, other=[["lines", "line_no"]]) == "shown"
    assert stage("along", "line_count", counted, other=[["payments", "line_no"]]) == "no candidate"
    assert stage("along", "total", counted, other=[["lines", "line_no"]]) == "no candidate"


def test_a_sequence_is_told_though_another_column_orders_its_rows(stage):
    step = SequenceRule("t", ("writer",), "number", Beside("opening", "=", "closing"))
    assert stage("grouporder", "writer half_year closing opening", step) == "shown"
    assert stage("grouporder", "writer half_year closing paid", step) == "no candidate"
    assert stage("grouporder", "writer half_year country closing opening", step) == "no candidate"
    never_falls = DenialConstraint(
        "t", (same_column("writer", Operator.EQ), same_column("number", Operator.LT), same_column("rate", Operator.GT))
    )
    assert stage("grouporder", "writer half_year rate", never_falls) == "shown"
    assert stage("grouporder", "writer half_year number rate2", never_falls) == "no candidate"


def test_what_several_shown_rules_say_together_follows(stage):
    tied = [Conditional("t", "status", ("void",), Present(name, there=True), both_ways=True) for name in ("on", "why")]
    one_way = Conditional("t", "status", ("void",), Present("why", there=True))
    assert stage("conditional", "on why", *tied) == "follows"
    assert stage("conditional", "on why", tied[0], one_way) == "no candidate"
    third = Conditional("t", "status", ("void",), Present("who", there=False), both_ways=True)
    assert stage("conditional", "status on why who", *tied, third) == "follows"
    assert stage("conditional", "status on why who", *tied) == "no candidate"
    other = Conditional("t", "status", ("paid",), Present("who", there=True), both_ways=True)
    assert stage("conditional", "status on why who", *tied, other) == "no candidate"
    parts = [
        Equation("t", "year", Cut("period", "first", 4), Precision()),
        Equation("t", "month", Cut("period", "last", 2), Precision()),
    ]
    assert stage("equation", "period year month", *parts) == "follows"
    assert stage("equation", "period year month", parts[0]) == "no candidate"
