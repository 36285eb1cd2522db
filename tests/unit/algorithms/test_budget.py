"""How long searches may take, by a clock that the tests turn."""

import math
import random
from dataclasses import dataclass

import pyarrow as pa
import pytest

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.rules.discovery import Rows, TableRules, find_rules
from profiling_core.algorithms.rules.searches import Searches, part
from profiling_core.ingest.infer import schema_of


@dataclass
class _Clock:
    """A clock that stands still, but for ``turned``, until it was looked at ``looks`` times; then time is over."""

    looks: float = math.inf
    now: float = 0.0
    looked: int = 0

    def __call__(self) -> float:
        self.looked += 1
        return self.now if self.looked <= self.looks else 1e9


def _steps(budget: Budget, clock: _Clock, lasts: list[float]) -> list[int]:
    begun = []
    for place, seconds in budget.steps(enumerate(lasts)):
        begun.append(place)
        clock.now += seconds
    return begun


@pytest.mark.parametrize(
    ("lasts", "begun", "is_cut"),
    [
        ([3, 3, 3, 3, 3], [0, 1, 2], True),  # the fourth would end after the tenth second
        ([1, 6, 1, 1], [0, 1], True),  # three and a half more would be too late
        ([1, 1, 1, 4, 1], [0, 1, 2, 3, 4], False),  # one pause is no reason to end
        ([6, 3], [0], True),
        ([9], [0], False),
        ([], [], False),
        ([2, 2, 2], [0, 1, 2], False),
        ([12, 1], [0], True),
    ],
)
def test_a_step_is_begun_where_one_as_long_as_usual_would_end_in_time(
    lasts: list[float], begun: list[int], is_cut: bool
):
    clock = _Clock()
    budget = Budget.of(10, clock)
    assert _steps(budget, clock, lasts) == begun
    assert budget.is_cut == is_cut


def test_a_share_is_part_of_what_is_left_and_is_cut_by_itself():
    clock = _Clock()
    budget = Budget.of(10, clock)
    clock.now = 4.0
    part = budget.share(0.5)
    assert (part.left, budget.left) == (3.0, 6.0)
    assert _steps(part, clock, [2, 2]) == [0]
    assert (part.is_cut, budget.is_cut) == (True, False)
    clock.now = 20.0
    assert (budget.left, budget.spent, budget.share(0.9).left) == (0.0, True, 0.0)
    assert (ENDLESS.spent, ENDLESS.left, ENDLESS.share(0.1).left) == (False, math.inf, math.inf)


def _round(searches: Searches, budget: Budget, clock: _Clock, wanted: dict[str, int]) -> dict[str, int]:
    """How many steps of a second each search makes, each in a tenth of what is left."""
    made = {}
    for what, steps in wanted.items():
        with part(budget, 0.1, what, searches) as own:
            made[what] = len(_steps(own, clock, [1] * steps))
    return made


def test_what_searches_leave_goes_to_those_that_were_cut():
    clock, wanted = _Clock(), {"keys": 9, "orders": 1, "equations": 6}
    budget, first = Budget.of(50, clock), Searches()
    assert _round(first, budget, clock, wanted) == {"keys": 4, "orders": 1, "equations": 4}
    assert first.cut_of("t") == ["keys", "equations"]
    second = first.again(budget)
    assert second is not None
    assert _round(second, budget, clock, wanted) == wanted
    assert second.again(budget) is None


def test_searches_are_not_repeated_where_there_is_no_time_for_all():
    clock = _Clock()
    budget, first = Budget.of(4, clock), Searches()
    assert _round(first, budget, clock, {"keys": 1, "orders": 1, "equations": 1}) == {
        "keys": 1,
        "orders": 1,
        "equations": 1,
    }
    assert first.cut_of("t") == ["keys", "orders", "equations"]  # each went on for longer than its share
    assert first.again(budget) is None


def _shop() -> list[Rows]:
    rng = random.Random(11)
    customers = {"customer_id": [f"C{i:04}" for i in range(80)], "zip": [f"{10_000 + i % 23}" for i in range(80)]}
    customers["town"] = [f"Town {zip_[-2:]}" for zip_ in customers["zip"]]
    size = 600
    net = [rng.randrange(100, 90_000) / 100 for _ in range(size)]
    vat = [round(0.19 * one, 2) for one in net]
    kinds = [rng.choice(["sale", "refund", "gift"]) for _ in range(size)]
    orders = {
        "order_id": list(range(1, size + 1)),
        "customer_id": [f"C{rng.randrange(80):04}" for _ in range(size)],
        "kind": kinds,
        "note": ["why" if kind == "refund" else None for kind in kinds],
        "net": net,
        "vat": vat,
        "gross": [round(a + b, 2) for a, b in zip(net, vat, strict=True)],
    }
    named = {"customers": customers, "orders": orders}
    return [Rows(schema_of(name, t.schema, "here"), t) for name, c in named.items() for t in [pa.table(c)]]


def _texts(tables: list[TableRules]) -> set[str]:
    return {c.constraint.text for one in tables for c in (*one.rules.shown, *one.rules.left_out, *one.rules.implied)}


def test_searches_end_soon_after_time_is_over_wherever_that_is():
    tables = _shop()
    clock = _Clock()
    whole = find_rules(tables, Budget.of(30, clock))
    assert not any("only in part, since the time (--budget) ran out" in one.looked_at for one in whole)
    ends, cut_short = clock.looked, set()
    for looks in range(1, ends, max(1, ends // 60)):
        clock = _Clock(looks)
        cut = find_rules(tables, Budget.of(30, clock))
        assert any("only in part, since the time (--budget) ran out" in one.looked_at for one in cut)
        # No search but looks once more before it ends, and none goes on through what it has to look at.
        assert clock.looked - looks < 80
        cut_short.add(len(_texts(cut)))
    assert min(cut_short) == 0
    assert len(cut_short) > 5


def test_where_time_is_not_over_the_clock_does_not_matter():
    slow, still = Budget.of(1e6, iter([0.01 * i for i in range(1_000_000)]).__next__), Budget.of(30, _Clock())
    assert _texts(find_rules(_shop(), slow)) == _texts(find_rules(_shop(), still))
