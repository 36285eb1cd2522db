"""What violating rows have in common, how a reading is worded, and that redacted values stay out of it."""

from dataclasses import replace

import pyarrow as pa
import pytest

from profiling_core.alert.wording import extent, reading
from profiling_core.algorithms.columns.concentration import least_likely, most_common, shared
from profiling_core.diff.redaction import HIDDEN, redacted
from profiling_core.model.change import Change, Transition, Witness
from profiling_core.model.constraint import ColumnList, FunctionalDependency, Measured
from profiling_core.model.diagnosis import Concentration, Diagnosis, Repair, Replacement

FD = FunctionalDependency(ColumnList("flights", ("origin", "dest")), ColumnList("flights", ("distance",)))
CARRIER = Concentration("carrier", "UA", 3, 3, 40, 900)
REPAIR = Repair(3, "distance", (Replacement({"origin": "EWR", "dest": "EGE"}, "1725", "1726", 3),))


def broke(read: Diagnosis) -> Change:
    contradicted = {"origin": "EWR", "distance": None}, {"origin": "EWR", "distance": "1728"}
    witness = Witness({"origin": "EWR", "distance": "1725"}, contradicted)
    figures = Measured(FD, 0, 90), Measured(FD, 6, 90)
    return Change(Transition.BROKE, "flights", *figures, 59, "day 1", 3, 1, True, (), (witness,), read)


def test_a_column_without_a_prevailing_value_is_left_out():
    rows = pa.table({"a": ["x"] * 4 + ["y"], "b": list("pqrst"), "c": [None] * 5, "d": [1, 1, 2, 2, 3]})
    common = most_common(rows, ["a", "b", "c", "d"])
    assert {name: (value.as_py(), count) for name, (value, count) in common.items()} == {"a": ("x", 4), "c": (None, 5)}


@pytest.mark.parametrize(
    ("rows", "usual", "told"),
    [
        (20, 100, True),  # all 20, where one in ten is usual
        (20, 990, False),  # nearly all rows have it anyway
        (3, 100, True),  # 0.1 cubed is a thousandth
        (3, 300, False),
        (3, 0, True),  # nobody else has it: a value of older rows, say
        (3, 1000, False),
    ],
)
def test_what_chance_explains_is_not_told(rows, usual, told):
    found = least_likely([Concentration("a", "x", rows, rows, usual, 1_000)])
    assert (found is not None) == told


@pytest.mark.parametrize(
    ("rows", "usual", "told"),
    [
        (267, 267, True),  # three of four rows without an agent are of one site, where no row has one
        (267, 500, False),  # half of its rows have one
        (300, 500, True),  # but four of five rows without one are of this site
        (120, 120, False),  # of another site, a third of them
    ],
)
def test_a_source_that_is_wrong_as_a_whole_is_told_among_rows_that_are_usually_so(rows, usual, told):
    some = pa.table({"site": ["K"] * rows + [f"s{i}" for i in range(356 - rows)]})
    common = most_common(some, ["site"])
    found = least_likely(shared(common, 356, dict.fromkeys(common, usual), 845))
    assert (found is not None) == told


def test_the_more_columns_are_looked_at_the_more_it_takes():
    weak = Concentration("a", "x", 3, 3, 99, 1_000)
    assert least_likely([weak]) == weak
    assert least_likely([weak, Concentration("b", "y", 3, 3, 999, 1_000)]) is None
    strong = Concentration("c", "z", 3, 3, 9, 1_000)
    assert least_likely([weak, strong]) == strong


def test_the_reading_says_what_the_rows_share_and_what_would_mend_them():
    said = reading(broke(Diagnosis(CARRIER, REPAIR)), {"inserts": 900})
    assert said.startswith("This looks like a data error: 3 of 900 new rows (0.3%)")
    assert "All 3 have carrier = UA; so do 4.4% of all new rows." in said
    assert said.endswith("Changing distance in 3 rows would fix it (origin=EWR, dest=EGE: 1725 → 1726).")
    assert reading(broke(Diagnosis(None, Repair(1))), {}) == "Removing 1 row would fix it."
    assert "at most 7 rows" in reading(broke(Diagnosis(None, Repair(7, exact=False))), {})


def test_rows_that_one_wrong_row_contradicts_are_no_change_of_meaning():
    few = replace(broke(Diagnosis(None, REPAIR, standing_out=3, alike=35)), violating_rows=38)
    said = reading(few, {"inserts": 60})
    assert said.startswith(
        "This looks like a data error: 3 of 60 new rows (5.0%) contradict a constraint that held for"
    )
    assert "32 others with the same origin and dest do not." in said
    assert extent(few).startswith("3 new rows violate it, and contradict 35 more of the same delta: 6 ordered pairs")


@pytest.mark.parametrize(
    ("read", "rows", "meaning"),
    [
        (Diagnosis(None, None, 8, 8), 8, True),  # all that came for these routes
        (Diagnosis(None, None, 4, 4), 4, False),  # too few to be sure
        (Diagnosis(Concentration("carrier", "UA", 8, 8, 8, 900), None, 8, 9), 8, True),  # all that came of a carrier
        (Diagnosis(Concentration("carrier", "UA", 8, 8, 9, 900), None, 8, 9), 8, False),
        (Diagnosis(None, None, 300, 400), 300, True),
    ],
)
def test_rows_that_all_say_the_same_read_as_a_change_of_meaning(read, rows, meaning):
    said = reading(replace(broke(read), violating_rows=rows), {"inserts": 900})
    assert said.startswith("This looks like a change of meaning") == meaning


def test_redacted_values_are_gone_from_rows_and_reading():
    before = broke(Diagnosis(CARRIER, REPAIR))
    after = redacted(before, {"distance", "carrier"})
    assert after.witnesses[0].broken_by == {"origin": "EWR", "distance": HIDDEN}
    assert after.witnesses[0].contradicts == (
        {"origin": "EWR", "distance": None},
        {"origin": "EWR", "distance": HIDDEN},
    )
    assert "1725" not in str(after.to_json())
    assert "UA" not in str(after.to_json())
    assert "EWR" in str(after.diagnosis.to_json())
    assert redacted(before, {"origin"}).diagnosis.repair.examples[0].where == {"origin": HIDDEN, "dest": "EGE"}
    assert redacted(before, ()) is before
    assert Change.from_json(after.to_json()) == after
