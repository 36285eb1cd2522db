"""Orders that names tell."""

import pytest

from profiling_core.algorithms.rules.order_names import are_opposites, is_named_so


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
