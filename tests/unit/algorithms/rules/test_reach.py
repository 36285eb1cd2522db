"""Whether a number beyond all so far is news, by what the rows so far let one expect."""

import random
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import margins as oracle

from profiling_core.algorithms.rules.reach import is_within_reach
from profiling_core.model.kinds.constraint import Limits
from profiling_core.model.types import LogicalType

DAYS = 28
ONCE_IN = 1000.0


def batteries() -> pa.Table:
    """Ninety meters a day, whose batteries stand where they stood the day before."""
    rng = random.Random(1)
    stand = {f"K{n}": rng.randrange(60, 100) for n in range(90)} | {"K0": 60, "K1": 99}
    rows = [(meter, level) for _ in range(DAYS) for meter, level in stand.items()]
    return _table(rows)


def prices() -> pa.Table:
    """What is sold in a day, the dearest drug in every other one."""
    rng = random.Random(2)
    prices = {f"{n}": round(rng.lognormvariate(2.6, 0.7), 2) for n in range(140)} | {"0": 86.5}
    rows = [(drug, prices[drug]) for _ in range(DAYS * 60) for drug in (f"{int(140 * rng.random() ** 2)}",)]
    return _table(rows)


def hours() -> pa.Table:
    rng = random.Random(3)
    return _table([(f"order {n}", rng.randrange(24)) for n in range(DAYS * 120)])


def children() -> pa.Table:
    return _table([(f"stay {n}", 2 if n % 60 == 0 else n % 10 == 0) for n in range(DAYS * 90)])


def _table(rows: Sequence[tuple[str, float]]) -> pa.Table:
    return pa.table({"thing": [thing for thing, _ in rows], "it": [float(value) for _, value in rows]})


def ranged(low: str | None, high: str | None) -> Limits:
    return Limits("it", low, high, of_lengths=False)


def is_silent(limits: Limits, known: pa.Table, new: Sequence[float], *, whole: bool) -> bool:
    kind = LogicalType.INTEGER if whole else LogicalType.FLOAT
    return is_within_reach(limits, kind, known, pa.table({"it": [float(value) for value in new]}), ONCE_IN)


@pytest.mark.parametrize(
    ("known", "bounds", "new", "silent"),
    [
        (batteries(), ("60", "99"), 59, True),  # one battery that has begun to fall
        (batteries(), ("60", "99"), 5900, False),
        (batteries(), ("60", "99"), 0, False),
        (batteries(), (None, None), 58, True),
        (batteries(), (None, None), 5900, False),
        (children(), ("0", "2"), 3, True),
        (children(), ("0", "2"), 8, False),
        (children(), ("0", "2"), -1, False),  # zero is kept
        (hours(), ("0", "23"), 24, False),  # there would have been some by now
    ],
)
def test_a_whole_number_beyond_a_range_is_news_where_something_keeps_the_bound_or_it_is_far(
    known: pa.Table, bounds: tuple[str | None, str | None], new: float, *, silent: bool
):
    usual = known["it"].slice(0, 90).to_pylist()
    assert is_silent(ranged(*bounds), known, [*usual, new], whole=True) is silent


@pytest.mark.parametrize(("new", "silent"), [(95.12, True), (130.0, True), (900.0, False), (8650.0, False)])
def test_a_price_that_rose_with_all_others_is_no_news_and_one_in_cents_is(new: float, *, silent: bool):
    known = prices()
    assert is_silent(ranged("1", "89"), known, [*known["it"].slice(0, 60).to_pylist(), new], whole=False) is silent


def test_lengths_are_asked_for_as_numbers_are():
    rng = random.Random(4)
    names = ["x" * max(2, min(14, round(rng.gauss(8, 2)))) for _ in range(DAYS * 50)]
    known, limits = pa.table({"it": names}), Limits("it", "1", "14", of_lengths=True)
    for length, silent in ((15, True), (90, False)):
        come = pa.table({"it": [*names[:50], "x" * length]})
        assert is_within_reach(limits, LogicalType.STRING, known, come, ONCE_IN) is silent


NUMBERS = st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 12)), min_size=1, max_size=60)
BOUNDS = st.sampled_from([(None, None), ("0", None), ("-1", "8"), (None, "5"), ("0", "3")])


@given(NUMBERS, BOUNDS, st.lists(st.integers(-40, 90), min_size=1, max_size=9), st.booleans())
def test_what_is_within_reach_is_what_the_page_says(
    rows: list[tuple[int, int]], bounds: tuple[str | None, str | None], new: list[int], whole: bool
):
    known = _table([(f"t{thing}", value) for thing, value in rows])
    asked = tuple(None if bound is None else float(bound) for bound in bounds)
    columns = {"thing": known["thing"].to_pylist(), "it": known["it"].to_pylist()}
    expected = oracle.is_within_reach((asked[0], asked[1]), columns, [float(v) for v in new], ONCE_IN)
    assert is_silent(ranged(*bounds), known, new, whole=whole) is expected
