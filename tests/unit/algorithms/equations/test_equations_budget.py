"""Each way in which dates and codes are searched ends when the budget is spent."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta

import pyarrow as pa
import pytest

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.equations import calendars, moments
from profiling_core.algorithms.equations.stamps import stamps

DAYS = [date(1990, 1, 1) + timedelta(days=17 * i) for i in range(40)]
ROWS = pa.table(
    {
        "born": DAYS,
        "due": [day + timedelta(days=14) for day in DAYS],
        "year": [day.year for day in DAYS],
        "wait": [14] * 40,
        "age": [2030 - day.year for day in DAYS],
    }
)
CODES = {"code": [f"R{day:%Y%m%d}" for day in DAYS]}
Way = Callable[[Budget], Iterator[object]]
WAYS: dict[str, Way] = {
    "stamps": lambda budget: stamps(CODES, {"born": ROWS["born"]}, budget),
    "distances": lambda budget: moments.distances(ROWS, ROWS.column_names, budget),
    "between": lambda budget: moments.between(ROWS, ROWS.column_names, ["wait"], budget),
    "parts": lambda budget: moments.parts(ROWS, ROWS.column_names, ROWS.column_names, budget),
}


@pytest.mark.parametrize("way", WAYS)
def test_search_ends_with_its_budget(way: str):
    assert list(WAYS[way](Budget.of(1e9)))
    cut = Budget.of(0)
    assert not list(WAYS[way](cut))
    assert cut.is_cut


@pytest.mark.parametrize("way", [calendars.further_on, calendars.full_between])
def test_search_of_calendars_ends_with_its_budget(way: Callable[..., Iterator[object]]):
    cut = Budget.of(0)
    assert not list(way(ROWS, ROWS.column_names, cut))
    assert cut.is_cut
