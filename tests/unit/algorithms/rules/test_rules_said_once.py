"""Rules that follow from others: flags, sums of days, references and copies."""

from profiling_core.algorithms.rules.implication import Flag, KnownRules
from profiling_core.model.consequent import Bounded
from profiling_core.model.constraint import ColumnList, DenialConstraint, InclusionDependency
from profiling_core.model.expression import Shifted
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import Beside
from profiling_core.model.predicate import Operand, Operator, Predicate


def is_one(column: str, kind: str) -> Conditional:
    return Conditional("t", column, ("1",), Bounded("kind", kind, kind), both_ways=True)


def test_what_marks_of_one_class_leave_out_follows_from_what_they_mark():
    marks = [is_one("first", "1"), is_one("third", "3")]
    apart = Conditional("t", "third", ("1",), Bounded("first", "0", "0"), both_ways=False)
    flags = [Flag("t", "first"), Flag("t", "third")]
    assert KnownRules(marks, flags).imply(apart)
    assert not KnownRules(marks).imply(apart)  # a third value may be neither
    assert not KnownRules(marks[:1], flags).imply(apart)


def test_a_reference_that_repeats_a_column_of_its_parent_follows_from_the_reference_and_the_copy():
    show, hall = ColumnList("shows", ("hall",)), ColumnList("halls", ("id",))
    refers, copied = InclusionDependency(show, hall), ReferenceRule(show, hall, Beside("seats", "=", "places"))
    both = InclusionDependency(ColumnList("shows", ("hall", "seats")), ColumnList("halls", ("id", "places")))
    turned = InclusionDependency(ColumnList("shows", ("seats", "hall")), ColumnList("halls", ("places", "id")))
    crossed = InclusionDependency(ColumnList("shows", ("hall", "seats")), ColumnList("halls", ("places", "id")))
    at_most = ReferenceRule(show, hall, Beside("seats", "≤", "places"))
    assert KnownRules([refers, copied]).imply(both)
    assert KnownRules([refers, copied]).imply(turned)
    assert not KnownRules([refers, copied]).imply(crossed)
    assert not KnownRules([copied]).imply(both)
    assert not KnownRules([refers]).imply(both)
    assert not KnownRules([refers, at_most]).imply(both)


def test_what_lies_so_many_days_on_is_not_said_to_be_later():
    later = Equation("bills", "due", Shifted("issued", 14, "days"))
    denied = Predicate(Operand("t", "issued"), Operator.GE, Operand("t", "due"))
    other_way = Predicate(Operand("t", "due"), Operator.GE, Operand("t", "issued"))
    assert KnownRules([later]).imply(DenialConstraint("bills", (denied,)))
    assert not KnownRules([later]).imply(DenialConstraint("bills", (other_way,)))
