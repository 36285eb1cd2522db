"""Numbers with decimal commas and marks between thousands: what is read, and what stays as it is."""

import pyarrow as pa
import pytest
from pydantic import ValidationError

from profiling_core.ingest.marked_numbers import plain_numbers
from profiling_core.model.number_marks import Marks
from profiling_core.model.schema import Column
from profiling_core.model.source import Source


@pytest.mark.parametrize(
    ("marks", "text", "plain"),
    [
        (Marks(), "1,234.5", "1,234.5"),
        (Marks(".", ","), "1,234.5", "1234.5"),
        (Marks(".", ","), "-1,234,567", "-1234567"),
        (Marks(".", ","), "+12,34,567.", "+1234567."),
        (Marks(".", ","), "1234.5", "1234.5"),
        (Marks(",", "."), "1.234,50", "1234.50"),
        (Marks(",", "."), "1234,50", "1234.50"),
        (Marks(",", " "), "1\u00a0234\u202f567,5", "1234567.5"),
        (Marks(".", "'"), "1\u2019234'567", "1234567"),
    ],
)
def test_numbers_are_written_as_programs_do(marks: Marks, text: str, plain: str) -> None:
    assert plain_numbers(pa.array([text, None]), marks).to_pylist() == [plain, None]


@pytest.mark.parametrize(
    ("marks", "text"),
    [
        (Marks(".", ","), "1,23"),
        (Marks(".", ","), "1,2345"),
        (Marks(".", ","), "0,123"),
        (Marks(".", ","), "012,345"),
        (Marks(".", ","), "1,234.5,6"),
        (Marks(".", ","), "1,,234"),
        (Marks(".", ","), "1 234"),
        (Marks(",", "."), "1.5"),
        (Marks(",", "."), "1.234.5"),
        (Marks(",", "."), "1,234.567"),
        (Marks(".", " "), "1  234"),
        (Marks(".", " "), " 1 234"),
        (Marks(".", ","), "1,234\n"),
    ],
)
def test_marks_in_other_places_make_no_number(marks: Marks, text: str) -> None:
    (read,) = plain_numbers(pa.array([text]), marks).to_pylist()
    with pytest.raises(ValueError, match="could not convert"):
        float(read if read != text.strip() else "x" + read)


def test_one_mark_is_not_both() -> None:
    with pytest.raises(ValidationError, match="one mark cannot be both"):
        Source(path="x", thousands=".")
    assert Source(path="x", thousands=".", decimal=",").marks == Marks(",", ".")
    assert Source(path="x", format="jsonl").marks is None


def test_columns_of_earlier_releases_open() -> None:
    kept = {"name": "a", "type": "float", "ordered": True, "profiled": True, "precision": None, "scale": None}
    assert Column.from_json({**kept, "decimal_comma": True}) == Column.from_json(kept)
