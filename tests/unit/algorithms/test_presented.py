"""The list that people see: all kinds, nothing twice, nothing lost."""

from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.presented import in_order, rank_rules
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    Measured,
    UniqueColumnCombination,
)
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.predicate import Operand, Operator, Predicate


def fd(lhs: str, rhs: str, violations: int = 0) -> Ranked:
    constraint = FunctionalDependency(ColumnList("t", tuple(lhs.split())), ColumnList("t", (rhs,)))
    return Ranked(Measured(constraint, violations, 100), 1.0)


def ucc(columns: str, violations: int = 0) -> Ranked:
    return Ranked(Measured(UniqueColumnCombination(ColumnList("t", tuple(columns.split()))), violations, 100), 1.0)


def dc(*predicates: tuple[str, Operator], swapped: bool = False) -> Ranked:
    first, second = ("s", "t") if swapped else ("t", "s")
    made = tuple(Predicate(Operand(first, name), op, Operand(second, name)) for name, op in predicates)
    return Ranked(Measured(DenialConstraint("t", made), 0, 100), 1.0)


def rule(column: str, kind: Rule = Rule.NOT_NULL, support: int = 10) -> Measured:
    return Measured(ColumnRule("t", column, kind), 0, support, support)


def test_what_follows_from_earlier_dependencies_comes_last():
    ranked = [fd("a", "b"), fd("b", "c"), fd("a", "c"), fd("c", "d"), fd("a d", "c")]
    assert in_order(ranked) == [*ranked[:2], ranked[3], ranked[2], ranked[4]]


def test_an_approximate_dependency_implies_nothing():
    ranked = [fd("a", "b", violations=1), fd("b", "c"), fd("a", "c")]
    assert in_order(ranked) == ranked


def test_a_key_makes_its_dependencies_redundant_wherever_it_stands():
    ranked = [fd("a b", "c"), fd("b", "c"), ucc("a")]
    assert in_order(ranked) == [ranked[1], ranked[2], ranked[0]]
    approximate = [fd("a b", "c"), ucc("a", violations=2)]
    assert in_order(approximate) == approximate


def test_a_dependency_implies_weaker_denial_constraints_in_either_form():
    told = fd("a", "b")
    weaker = dc(("a", Operator.EQ), ("b", Operator.LT))
    mirrored = dc(("a", Operator.EQ), ("b", Operator.GT), ("c", Operator.NE), swapped=True)
    other = dc(("a", Operator.LE), ("b", Operator.GT))
    assert in_order([told, weaker, other, mirrored]) == [told, other, weaker, mirrored]


def test_orders_that_others_give_together_come_last():
    within = Ranked(
        Measured(DenialConstraint("t", (Predicate(Operand("t", "from"), Operator.GT, Operand("t", "to")),)), 0, 10), 9.0
    )
    rising = dc(("id", Operator.LE), ("to", Operator.GT))
    mixed = (Predicate(Operand("t", "id"), Operator.LE, Operand("s", "id")),)
    chained = DenialConstraint("t", (*mixed, Predicate(Operand("t", "from"), Operator.GT, Operand("s", "to"))))
    reverse = DenialConstraint("t", (*mixed, Predicate(Operand("t", "to"), Operator.GT, Operand("s", "from"))))
    chained, reverse = (Ranked(Measured(c, 0, 10), 8.0) for c in (chained, reverse))
    assert in_order([within, chained, reverse, rising]) == [within, chained, reverse, rising]
    assert in_order([within, rising, chained, reverse]) == [within, rising, reverse, chained]


def test_a_key_of_no_columns_implies_nothing():
    ranked = [ucc(""), fd("a", "b")]
    assert in_order(ranked) == ranked


def test_rules_of_columns_come_by_what_they_say_and_how_many_rows_obey():
    rules = rank_rules([rule("x"), rule("y", support=2000), rule("z", Rule.VALUES)])
    assert [r.measured.constraint.columns for r in rules] == [("y",), ("z",), ("x",)]
