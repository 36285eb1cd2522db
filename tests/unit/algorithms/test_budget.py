"""How much work searches may do: counted, so that what they find is the same on any machine at any load."""

import math
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pytest

from profiling_core.algorithms.budget import ENDLESS, STEP, Budget
from profiling_core.algorithms.rules.discovery import Rows, TableRules, find_rules
from profiling_core.algorithms.rules.searches import Searches
from profiling_core.ingest.infer import schema_of


@pytest.mark.parametrize(
    ("cells", "begun", "is_cut"),
    [
        ([3, 3, 3, 3, 3], [0, 1, 2], True),
        ([1, 6, 4, 1], [0, 1], True),
        ([10], [0], False),
        ([2 * STEP + 11], [], True),
        ([], [], False),
        ([2, 2, 2], [0, 1, 2], False),
    ],
)
def test_a_step_is_begun_where_its_cells_are_left(cells: list[float], begun: list[int], is_cut: bool):
    budget = Budget(3 * STEP + 10)
    assert list(budget.steps(range(len(cells)), lambda place: cells[place])) == begun
    assert budget.is_cut == is_cut
    assert budget.used == len(begun) * STEP + sum(cells[place] for place in begun)


def test_a_part_is_of_what_is_left_and_is_cut_by_itself():
    budget = Budget(10 * STEP)
    assert list(budget.steps("abcd")) == [*"abcd"]
    part = budget.part(3 * STEP)
    assert list(part.steps("abcd")) == [*"abc"]
    assert (part.is_cut, part.spent, budget.is_cut, budget.left) == (True, True, False, 3 * STEP)
    assert budget.part(9 * STEP).left == 3 * STEP
    budget.spend(5 * STEP)
    assert (budget.left, budget.spent, budget.part(STEP).left) == (0.0, True, 0.0)
    assert (ENDLESS.spent, ENDLESS.left, ENDLESS.part(math.inf).left) == (False, math.inf, math.inf)


def test_shares_are_equal_parts_of_what_is_left_and_one_that_is_cut_cuts_the_whole():
    budget, wanted = Budget(12 * STEP), {"a": 1, "b": 9, "c": 5}
    made = {item: sum(1 for _ in own.steps(range(wanted[item]))) for item, own in budget.shares([*wanted])}
    assert made == {"a": 1, "b": 5, "c": 5}
    assert budget.is_cut
    assert not Budget(12 * STEP).is_cut


def test_what_proposals_keep_back_is_left_for_their_checks():
    budget, proposed = Budget(6 * STEP), []
    with budget.portion(1) as own:
        for place in own.steps(range(9)):
            own.reserve(0)
            proposed.append(place)
    assert [*budget.steps(proposed)] == proposed == [0, 1, 2]
    assert budget.is_cut


def _round(searches: Searches, wanted: dict[str, int]) -> tuple[dict[str, int], list[str]]:
    """How many steps each search makes of those that it wants, and the searches that were run."""
    ran: list[str] = []

    def search(what: str, steps: int, budget: Budget) -> int:
        ran.append(what)
        return sum(1 for _ in budget.steps(range(steps)))

    made = {w: searches.run(w, lambda own, w=w, steps=steps: search(w, steps, own)) for w, steps in wanted.items()}
    return made, ran


def test_what_searches_leave_goes_to_those_that_were_cut_and_what_comes_before_them_is_not_repeated():
    wanted = {"columns": 1, "keys": 18, "orders": 1, "equations": 12}
    first = Searches(Budget(60 * STEP), len(wanted))
    assert _round(first, wanted) == (wanted | {"keys": 18}, [*wanted])
    assert first.again() is None
    first = Searches(Budget(48 * STEP), len(wanted))
    made, _ = _round(first, wanted)
    assert made == wanted | {"keys": 15}
    assert first.cut_of("t") == ["keys"]
    assert first.again() is None  # 19 steps are left, and 28 would be repeated
    small = {"columns": 1, "keys": 18, "orders": 1, "equations": 2}
    first = Searches(Budget(48 * STEP), len(small))
    _round(first, small)
    second = first.again()
    assert second is not None
    assert _round(second, small) == (small, ["keys", "orders", "equations"])
    assert second.again() is None


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


def _texts(tables: list[TableRules]) -> list[str]:
    return [c.constraint.text for one in tables for c in (*one.rules.shown, *one.rules.left_out, *one.rules.implied)]


@contextmanager
def _busy() -> Iterator[None]:
    """Another thread holds the interpreter half of the time."""
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            until = time.monotonic() + 0.01
            while time.monotonic() < until:
                pass
            time.sleep(0.001)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_what_is_found_depends_on_the_rows_and_the_budget_alone_also_where_it_is_cut():
    tables, whole = _shop(), Budget(math.inf)
    complete = find_rules(tables, whole)
    assert not any("only in part" in one.looked_at for one in complete)
    found = set[int]()
    for place in range(12):
        cells = whole.used * place / 12
        quiet, loaded = Budget(cells), Budget(cells)
        cut = find_rules(tables, quiet)
        with _busy():
            again = find_rules(tables, loaded)
        assert [(one.looked_at, one.rules.lines) for one in cut] == [(one.looked_at, one.rules.lines) for one in again]
        assert quiet.used == loaded.used
        assert any("only in part, since the budget (--budget) was spent" in one.looked_at for one in cut)
        # Only what a step turns out to need goes beyond the budget: not more than all cells of the tables, twice.
        assert quiet.used - cells < 2 * sum(rows.num_rows * rows.num_columns for _, rows in tables) + 2 * STEP
        found.add(len(_texts(cut)))
    assert min(found) == 0
    assert len(found) > 5
    assert _texts(find_rules(tables, Budget(2 * whole.used))) == _texts(complete)
