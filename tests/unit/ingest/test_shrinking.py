"""A table that loses many of its rows, though nobody said that they are deleted."""

import pytest

from profiling_core.diff.causes import by_cause
from profiling_core.ingest.shrinking import shrunk_finding
from profiling_core.model.finding import CONSTRAINT, Finding


@pytest.mark.parametrize(
    ("before", "inserts", "deletes", "headline"),
    [
        (60, 0, 40, "orders lost 40 of its 60 rows; 20 are left"),
        (11, 0, 10, "orders lost 10 of its 11 rows; 1 is left"),
        (30, 5, 15, "orders lost 10 of its 30 rows; 20 are left"),
        (2000, 0, 2000, "orders lost all of its 2,000 rows"),
        (60, 60, 60, None),  # replaced, as a table of today's rows is each day
        (60, 0, 19, None),
        (9, 0, 9, None),
    ],
)
def test_a_third_of_the_rows_is_told(before: int, inserts: int, deletes: int, headline: str | None) -> None:
    found = shrunk_finding("orders", "d2", before, inserts, deletes)
    assert (found and found.headline) == headline


def test_what_refers_to_rows_that_are_gone_is_explained_by_it() -> None:
    lost = shrunk_finding("customers", "d2", 60, 0, 40)
    assert lost
    broken = Finding(CONSTRAINT, "orders", "d2", "orders without a customer", ("customer",), refers_to=("customers",))
    other = Finding(CONSTRAINT, "routes", "d2", "another distance", ("distance",))
    assert by_cause([broken, other, lost]) == [(lost, broken), (other,)]
