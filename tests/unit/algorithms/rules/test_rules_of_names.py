"""Orders that names tell, and a key that tells nothing."""

import random
from collections.abc import Sequence

import pytest
from helpers.found import Columns, listed

from profiling_core.algorithms.rules.order_names import are_opposites, is_named_so


def _legs(*, beyond: int = 0) -> Columns:
    """Legs of journeys with two to nine legs each; the last number is ``beyond`` too high."""
    rng = random.Random(4)
    legs = [(f"J{i:04}", leg, of) for i in range(120) for of in [rng.randrange(2, 10)] for leg in range(1, of + 1)]
    journeys, numbers, counts = (list(column) for column in zip(*legs, strict=True))
    numbers[-1] += beyond
    kilometres = [rng.randrange(40, 900) for _ in legs]
    return {"journey": journeys, "leg_no": numbers, "legs": counts, "kilometres": kilometres}


def test_a_number_is_no_more_than_how_many_there_are():
    assert "leg_no ≤ legs" in listed(_legs())
    assert "leg_no ≤ legs" not in listed(_legs(beyond=1))
    unlike = {{"legs": "axles"}.get(name, name): column for name, column in _legs().items()}
    assert not any("≤" in text for text in listed(unlike))


def test_a_part_is_no_more_than_what_is_called_the_whole():
    rng = random.Random(5)
    total = [rng.randrange(200, 900) for _ in range(400)]
    deep = [round(t * rng.uniform(0.1, 0.8)) for t in total]
    other: Columns = {"age": [rng.randrange(9) for _ in total]}
    assert "sleep_deep ≤ sleep_total" in listed({"sleep_total": total, **other, "sleep_deep": deep})
    assert "height ≤ weight" not in listed({"weight": total, **other, "height": deep})


@pytest.mark.parametrize(
    ("low", "high", "opposite", "named"),
    [
        ("votes_left", "votes_total", True, True),
        ("votes_total", "votes_left", False, False),
        ("total_left", "votes_total", False, False),
        ("line_no", "lines", False, True),
        ("childNum", "children", False, True),
        ("page_no", "page_count", False, True),
        ("page_no", "line_count", False, False),
        ("line_no", "line_no", False, False),
        ("line_no", "line_nos", False, False),
    ],
)
def test_names_tell_which_is_the_lesser(low: str, high: str, opposite: bool, named: bool):
    assert are_opposites(low, high, (low, high, "x")) == opposite
    assert is_named_so(low, high, (low, high, "x")) == named


@pytest.mark.parametrize("numbers", [range(300), range(1, 301), sorted(random.Random(6).sample(range(2_000), 300))])
def test_a_number_of_the_files_rows_is_no_key_to_be_told(numbers: Sequence[int]):
    rng = random.Random(6)
    table: Columns = {"index": [*numbers], "weight": [rng.randrange(50, 90) for _ in numbers]}
    assert "unique {index}" not in listed(table)
