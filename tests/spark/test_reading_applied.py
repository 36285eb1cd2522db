"""Polluted files through ``init --yes`` and ``apply``: the state has the cells of their clean versions."""

from datetime import UTC, date, datetime

import pytest
from benchmarks.reading_applied import applied, is_read_as
from benchmarks.reading_cases import Case, cases

pytestmark = [pytest.mark.spark, pytest.mark.long]

NULLS = frozenset({"", "NA"})
CHOSEN = {
    "stock: delimiter caret",
    "people: a name twice",
    "measurements: sep= line",
    "texts: empty lines between rows",
    "places: encoding utf-16",
    "sensor: keys and values in front",
}


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name) for c in cases("one pollution", "later") if c.name in CHOSEN]
)
def test_state_has_the_cells_of_the_clean_version(tmp_path, case: Case):
    assert applied(case, tmp_path).equal


def test_another_cell_and_a_row_too_few_are_found(tmp_path):
    case = Case("t", b"id,n\n1,5\n2,6\n3,7\n", ("id", "n"), (("1", "5"), ("2", "7")))
    found = applied(case, tmp_path)
    assert not found.equal
    assert (found.rows, found.wanted, found.other) == (3, 2, (("7", 6),))


@pytest.mark.parametrize(
    ("text", "value", "equal"),
    [
        ("1.50", 1.5, True),
        ("1.50", 1.6, False),
        ("NA", None, True),
        ("x", None, False),
        ("true", True, True),
        ("2024-01-31", date(2024, 1, 31), True),
        ("2024-01-31 10:05:00", datetime(2024, 1, 31, 10, 5, tzinfo=UTC), True),
        ("2024-01-31 10:06:00", datetime(2024, 1, 31, 10, 5, tzinfo=UTC), False),
        ("2024-01-31", date(2024, 1, 30), False),
        ("a\r\nb", "a\nb", True),
    ],
)
def test_cells_are_read_by_rules_of_their_own(text, value, equal):
    assert is_read_as(text, value, NULLS) == equal
