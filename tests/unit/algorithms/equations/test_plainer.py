"""Of lines that follow from each other the plainer ones are told."""

from profiling_core.algorithms.equations.plainer import is_line, plainer
from profiling_core.model.constraint import Measured
from profiling_core.model.expression import Linear, Precision, Product
from profiling_core.model.kinds.equation import Equation


def line(column: str, factor: str, other: str) -> Measured[Equation]:
    return Measured(Equation("t", column, Linear(((factor, other),)), Precision(0)), 0, 9, 9)


def digits(equation: Equation) -> int:
    return len(equation.value.terms[0][0])


def test_a_line_takes_the_place_of_the_less_plain_of_two_that_give_it():
    told = [line("fee", "85", "credits"), line("fee", "21.25", "hours")]
    hours = line("hours", "4", "credits")
    assert plainer(told, [hours], digits) == [told[0], hours]


def test_what_nothing_gives_or_is_no_plainer_stays_out():
    told = [line("fee", "85", "credits"), line("fee", "2", "hours")]
    assert plainer(told, [line("hours", "42.5", "credits")], digits) == told
    assert plainer(told, [line("hours", "4", "days")], digits) == told


def test_only_one_column_over_another_is_a_line():
    assert is_line(line("fee", "85", "credits").constraint)
    assert not is_line(Equation("t", "a", Product(("b", "c"))))
    assert not is_line(Equation("t", "a", Linear((("1", "b"),)), Precision(0, None, 1)))
