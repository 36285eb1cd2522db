"""A table's book of candidates: when rules are looked for anew, which of them stay, and orders judged row by row."""

import datetime as dt
import random

import pyarrow as pa
import pytest
from oracle.predicates import violations

from profiling_core.alert.brief import MOST_ROWS
from profiling_core.algorithms.row_rules import count, recount
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.maintain import row_rules
from profiling_core.maintain.candidate_cache import CandidateCache, against
from profiling_core.maintain.row_rules import judges_rows
from profiling_core.model.consequent import Bounded, Present
from profiling_core.model.constraint import DenialConstraint, Measured, UniqueColumnCombination
from profiling_core.model.expression import Linear, Precision
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.constraint import ColumnList
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.predicate import Operand, Operator, Predicate, PredicateSpace
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.state.version_reports import CachedRole

SCHEMA = TableSchema("r", tuple(Column(name, LogicalType.INTEGER, ordered=True) for name in "ab"))
ROLES = {name: ColumnRole(name, Role.QUANTITY, "numbers") for name in "ab"}


def candidate(column: str, violating: int = 0) -> Candidate:
    key = UniqueColumnCombination(ColumnList("r", (column,)))
    return Candidate(Measured(key, violating, 100, 50), Family.KEY, 9.0, 1.0, 50.0)


def book(*candidates: Candidate, changed: int = 0, roles: dict[str, ColumnRole] | None = None) -> CandidateCache:
    columns = tuple(CachedRole(role, "day-1") for role in (roles or ROLES).values())
    return CandidateCache(candidates, columns, 100, changed)


def test_rules_are_looked_for_again_when_half_as_many_rows_have_changed():
    assert not book(changed=30).after(19).is_due(SCHEMA, {})
    assert book(changed=30).after(20).is_due(SCHEMA, {})


@pytest.mark.parametrize("roles", [{"a": Role.CODE}, {"b": Role.QUANTITY}])
def test_a_declared_role_is_a_reason_to_look_again(roles: dict[str, Role]):
    assert book().is_due(SCHEMA, roles)
    declared = {n: ColumnRole(n, roles.get(n, Role.QUANTITY), "", declared=n in roles) for n in "ab"}
    assert not book(roles=declared).is_due(SCHEMA, roles)
    assert book(roles=declared).is_due(SCHEMA, {})


@pytest.mark.parametrize("role", [Role.CODE, Role.REFERENCE, Role.IDENTIFIER])
def test_what_a_person_calls_a_name_is_neither_computed_with_nor_ordered_by(role: Role):
    roles = ROLES | {"a": ColumnRole("a", role, "declared", declared=True)}
    order = DenialConstraint("r", (Predicate(Operand("t", "a"), Operator.GT, Operand("t", "b")),))
    twice = Equation("r", "b", Linear((("2", "a"),)), Precision(0))
    copy = Equation("r", "b", Linear((("1", "a"),)), Precision(0))
    bounded = Conditional("r", "b", ("1",), Bounded("a", None, "9"))
    present = Conditional("r", "b", ("1",), Present("a", there=True))
    assert [against(rule, roles) for rule in (order, twice, bounded)] == [True, True, True]
    assert [against(rule, roles) for rule in (copy, present, candidate("a").constraint)] == [False, False, False]
    assert not any(against(rule, ROLES) for rule in (order, twice, bounded))


def test_another_column_is_a_reason_to_look_again():
    assert book().is_due(TableSchema("r", (*SCHEMA.columns, Column("c", LogicalType.STRING, ordered=False))), {})


def test_a_candidate_that_is_violated_a_little_stays_and_holds_again_later():
    known = book(candidate("a"), candidate("b"))
    figures = {c.constraint.fingerprint: c.measured for c in (candidate("a", 5), candidate("b", 6))}
    violated = known.with_figures(figures)
    assert [c.constraint.columns for c in violated.candidates] == [("a",)]
    healed = violated.with_figures({c.constraint.fingerprint: c.measured for c in (candidate("a"),)})
    assert [c.measured.holds for c in healed.candidates] == [True]


def test_a_book_is_stored_and_read():
    known = book(candidate("a", 2), candidate("b"), changed=7)
    assert CandidateCache.from_json(known.to_json()) == known


@pytest.mark.parametrize("op", [Operator.GT, Operator.GE, Operator.LT, Operator.LE])
@pytest.mark.parametrize(("temporal", "by_day"), [(False, False), (True, False), (True, True)])
def test_orders_within_a_row_are_counted_as_the_oracle_does(op: Operator, temporal: bool, by_day: bool):
    rng = random.Random(3)  # test data
    rule = DenialConstraint("r", (Predicate(Operand("t", "a"), op, Operand("t", "b", by_day)),))
    assert judges_rows(rule, PredicateSpace("r", NullSemantics.SQL, ()))
    assert DenialConstraint.from_json(rule.to_json()) == rule == rule.renamed({"r": {"c": "a"}})
    day, moment = dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)

    def value(name: str) -> object:
        if rng.random() < 0.2:
            return None
        step = dt.timedelta(days=rng.randrange(4), hours=rng.choice([0, 23]))
        return (day if name == "a" else moment) + step if temporal else rng.randrange(4)

    kinds = (
        [("a", pa.date32()), ("b", pa.timestamp("us", "UTC"))] if temporal else [("a", pa.int64()), ("b", pa.int64())]
    )

    def table(rows: list[dict[str, object]]) -> pa.Table:
        return pa.Table.from_pylist(rows, pa.schema(kinds))

    rows = [{name: value(name) for name in "ab"} for _ in range(30)]
    come = [{name: value(name) for name in "ab"} for _ in range(10)]
    now = recount(count(rule, table(rows)), [table(come)], [table(rows[:7])])
    after = [*rows[7:], *come]
    assert now == count(rule, table(after))
    assert (now.violations, now.population) == (violations(rule, after, NullSemantics.SQL)[0], len(after))


def test_each_row_that_a_message_shows_says_what_it_should_be():
    assert row_rules.EXAMPLES >= MOST_ROWS
