"""A part of a sum is at most the sum, and a factor at most the product, where the others allow no other."""

import pytest
from helpers.constraints import denied

from profiling_core.algorithms.rules.implication import KnownRules, Least
from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.expression import Linear, Product
from profiling_core.model.kinds.equation import Equation


def total(*terms: tuple[str, str], constant: str = "0") -> Equation:
    return Equation("t", "total", Linear(terms, constant))


def follows(rule: Equation, least: dict[str, float], asked: DenialConstraint) -> bool:
    return KnownRules([rule], [Least("t", name, value) for name, value in least.items()]).imply(asked)


@pytest.mark.parametrize(
    ("rule", "least", "low", "high", "expected"),
    [
        (total(("1", "net"), ("1", "tax")), {"tax": 0}, "net", "total", True),
        (total(("1", "net"), ("1", "tax")), {"net": 0}, "net", "total", False),
        (total(("1", "net"), ("1", "tax")), {"net": 0, "tax": 0}, "total", "net", False),
        (total(("1", "net"), ("-1", "rebate")), {"rebate": 0}, "total", "net", True),
        (total(("1", "net"), ("-1", "rebate")), {"total": 0}, "rebate", "net", False),
        (total(("1", "net"), ("-1", "rebate")), {"net": 0, "rebate": 0}, "rebate", "net", False),
        (total(("2", "side")), {"side": 0}, "side", "total", True),
        (total(("0.5", "side")), {"side": 0}, "side", "total", False),
        (total(("1", "net"), constant="-3"), {}, "net", "total", False),
        (total(("1", "net"), constant="3"), {}, "net", "total", True),
        (Equation("t", "total", Product(("price", "pieces"))), {"price": 0, "pieces": 1}, "price", "total", True),
        (Equation("t", "total", Product(("price", "pieces"))), {"price": 0, "pieces": 0}, "price", "total", False),
        (Equation("t", "total", Product(("price", "pieces"))), {"pieces": 1}, "price", "total", False),
    ],
)
def test_a_part_is_at_most_the_whole(rule, least, low, high, expected):
    assert follows(rule, least, denied(f"t.{low} > t.{high}")) is expected
    assert not follows(rule, least, denied(f"t.{low} ≥ t.{high}"))


def test_the_greater_column_may_stand_left():
    assert follows(total(("1", "net"), ("1", "tax")), {"tax": 0}, denied("t.total < t.net"))


def test_orders_go_on_from_the_whole():
    known = KnownRules([total(("1", "net"), ("1", "tax")), denied("t.total > t.limit")], [Least("t", "tax", 0)])
    assert known.imply(denied("t.net > t.limit"))
