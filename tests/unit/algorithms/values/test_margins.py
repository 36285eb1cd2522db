"""Whether the break of an order within a row is news, by the margins of the rows that have kept it."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import margins as oracle

from profiling_core.algorithms.values import margins
from profiling_core.algorithms.values.margins import LowsAndHighs

ONCE_IN = 1000.0


def is_by_chance(known: LowsAndHighs, come: LowsAndHighs, *, strict: bool = False) -> bool:
    return margins.is_by_chance(known, come, strict=strict, once_in=ONCE_IN)


def pairs(rows: list[tuple[float, float]]) -> LowsAndHighs:
    columns = np.array(rows, np.float64).reshape(-1, 2)
    return LowsAndHighs(columns[:, 0], columns[:, 1])


def seasons(count: int) -> list[tuple[float, float]]:
    """Players: how often they struck, and for how many runs, which are fewer though nobody sees to it."""
    rng, found = random.Random(7), []
    while len(found) < count:
        times = int(rng.expovariate(1 / 200))
        runs = sum(rng.random() < 0.14 for _ in range(times)) + (rng.random() < 0.02)
        found += [(float(runs), float(times))] if runs <= times else []
    return found


def payments(count: int) -> list[tuple[float, float]]:
    """What was paid of what was due: most of it whole, and never more."""
    rng = random.Random(8)
    due = [round(rng.uniform(10, 900), 2) for _ in range(count)]
    return [(round(amount * rng.choice((1, 1, 0.5, rng.random())), 2), amount) for amount in due]


def costs(count: int) -> list[tuple[float, float]]:
    """What a thing cost beside its price, which is a quarter more at least: no row lies at the bound."""
    rng = random.Random(9)
    prices = [round(rng.lognormvariate(3, 1), 2) for _ in range(count)]
    return [(round(price / rng.uniform(1.25, 1.9), 2), price) for price in prices]


@pytest.mark.parametrize(
    ("known", "new", "by_chance"),
    [
        (lambda: seasons(3000), (3.0, 2.0), True),
        (lambda: seasons(3000), (2.0, 0.0), True),
        (lambda: seasons(3000), (480.0, 60.0), False),
        (lambda: payments(600), (50.01, 50.0), False),
        (lambda: payments(600), (51.0, 50.0), False),
        (lambda: costs(600), (30.0, 24.0), False),
        (lambda: costs(600), (2400.0, 31.0), False),
    ],
)
def test_an_order_that_nobody_keeps_is_broken_by_a_little_without_news(
    known: Callable[[], list[tuple[float, float]]], new: tuple[float, float], *, by_chance: bool
):
    earlier = known()
    come = [*earlier[:80], new]
    assert is_by_chance(pairs(earlier), pairs(come)) is by_chance
    # rows that broke it before teach nothing: nor are they what is usual
    assert is_by_chance(pairs([*earlier, (1e6, 1.0)]), pairs(come)) is by_chance


def test_rows_at_the_least_step_keep_an_order_in_which_the_two_are_never_the_same():
    rng = random.Random(3)
    known = [(float(first), float(first + rng.choice((1, 1, 2, 5)))) for first in range(300)]
    come = [*known[:20], (40.0, 40.0)]
    assert not is_by_chance(pairs(known), pairs(come), strict=True)


def test_few_rows_put_an_order_to_no_test():
    known = [(1.0, float(5 + i)) for i in range(8)]
    assert is_by_chance(pairs(known), pairs([(9.0, 2.0)]))


NUMBERS = st.integers(-3, 40).map(lambda number: number / 4)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=80), st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8))
def test_margins_are_judged_as_the_semantics_say(known: list[tuple[float, float]], come: list[tuple[float, float]]):
    for strict in (False, True):
        found = is_by_chance(pairs(known), pairs(come), strict=strict)
        assert found is oracle.is_by_chance(known, come, ONCE_IN, strict=strict)
