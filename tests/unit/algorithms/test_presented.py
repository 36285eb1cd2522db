"""The list that people see: all kinds, nothing twice, nothing lost."""

from helpers.constraints import denied, fd, key

from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.presented import in_order, rank_rules
from profiling_core.model.constraint import Constraint, Measured
from profiling_core.model.kinds.column import ColumnRule, Rule


def ranked(constraint: Constraint, violations: int = 0) -> Ranked:
    return Ranked(Measured(constraint, violations, 100), 1.0)


def dependencies(*sides: str) -> list[Ranked]:
    """``dependencies("a d → c")``."""
    return [ranked(fd(*text.split(" → "))) for text in sides]


def rule(column: str, kind: Rule = Rule.NOT_NULL, support: int = 10) -> Measured:
    return Measured(ColumnRule("t", column, kind), 0, support, support)


def test_what_follows_from_earlier_dependencies_comes_last():
    told = dependencies("a → b", "b → c", "a → c", "c → d", "a d → c")
    assert in_order(told) == [*told[:2], told[3], told[2], told[4]]


def test_an_approximate_dependency_implies_nothing():
    told = [ranked(fd("a", "b"), violations=1), *dependencies("b → c", "a → c")]
    assert in_order(told) == told


def test_a_key_makes_its_dependencies_redundant_wherever_it_stands():
    told = [*dependencies("a b → c", "b → c"), ranked(key("a"))]
    assert in_order(told) == [told[1], told[2], told[0]]
    approximate = [*dependencies("a b → c"), ranked(key("a"), violations=2)]
    assert in_order(approximate) == approximate


def test_a_dependency_implies_weaker_denial_constraints_in_either_form():
    told = ranked(fd("a", "b"))
    weaker = ranked(denied("t.a = s.a", "t.b < s.b"))
    mirrored = ranked(denied("s.a = t.a", "s.b > t.b", "s.c ≠ t.c"))
    other = ranked(denied("t.a ≤ s.a", "t.b > s.b"))
    assert in_order([told, weaker, other, mirrored]) == [told, other, weaker, mirrored]


def test_orders_that_others_give_together_come_last():
    within = Ranked(Measured(denied("t.from > t.to"), 0, 10), 9.0)
    rising = ranked(denied("t.id ≤ s.id", "t.to > s.to"))
    steps = (denied("t.id ≤ s.id", text) for text in ("t.from > s.to", "t.to > s.from"))
    chained, reverse = (Ranked(Measured(step, 0, 10), 8.0) for step in steps)
    assert in_order([within, chained, reverse, rising]) == [within, chained, reverse, rising]
    assert in_order([within, rising, chained, reverse]) == [within, rising, reverse, chained]


def test_a_key_of_no_columns_implies_nothing():
    told = [ranked(key("")), *dependencies("a → b")]
    assert in_order(told) == told


def test_rules_of_columns_come_by_what_they_say_and_how_many_rows_obey():
    rules = rank_rules([rule("x"), rule("y", support=2000), rule("z", Rule.VALUES)])
    assert [r.measured.constraint.columns for r in rules] == [("y",), ("z",), ("x",)]
