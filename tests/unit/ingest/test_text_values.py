"""Text to values: what a cell says for a type is decided once, and the same for a whole column as for each cell."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling_core.ingest.text_values import (
    arrow_type,
    cast_text,
    decimal_scale,
    inferred,
    inferred_type,
    possible_types,
)
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType


def column(kind: LogicalType, precision: int | None = None, scale: int | None = None) -> Column:
    return Column("c", kind, kind.is_ordered, precision=precision, scale=scale)


MONEY = column(LogicalType.DECIMAL, 10, 2)
INTEGER, FLOAT, DATE, TIMESTAMP, TIME, BOOLEAN, STRING, BINARY = map(
    column,
    (
        LogicalType.INTEGER,
        LogicalType.FLOAT,
        LogicalType.DATE,
        LogicalType.TIMESTAMP,
        LogicalType.TIME,
        LogicalType.BOOLEAN,
        LogicalType.STRING,
        LogicalType.BINARY,
    ),
)
WRONG = object()


@pytest.mark.parametrize(
    ("chosen", "text", "value"),
    [
        (INTEGER, "+12", 12),
        (INTEGER, "007", 7),
        (INTEGER, "-9223372036854775808", -(2**63)),
        (INTEGER, "9223372036854775808", WRONG),
        (INTEGER, "1.0", WRONG),
        (INTEGER, " 1 ", 1),
        (INTEGER, "\u22121", -1),
        (INTEGER, "(1)", WRONG),
        (INTEGER, "1 %", WRONG),
        (INTEGER, "", WRONG),
        (INTEGER, "1_000", WRONG),
        (INTEGER, "١", WRONG),
        (FLOAT, "1.", 1.0),
        (FLOAT, "+.5e1", 5.0),
        (FLOAT, "-0.0", 0.0),
        (FLOAT, "NaN", None),
        (FLOAT, "-inf", float("-inf")),
        (FLOAT, "1e999", WRONG),
        (FLOAT, "1,5", WRONG),
        (FLOAT, "0x10", WRONG),
        (MONEY, "12345678.90", Decimal("12345678.90")),
        (MONEY, "1e3", Decimal("1000.00")),
        (MONEY, "0.1000", Decimal("0.10")),
        (MONEY, "0.001", WRONG),
        (MONEY, "123456789", WRONG),
        (MONEY, "NaN", WRONG),
        (column(LogicalType.DECIMAL, 38, 0), "9" * 38, Decimal("9" * 38)),
        (column(LogicalType.DECIMAL, 38, 0), "9" * 39, WRONG),
        (DATE, "2012-02-29", date(2012, 2, 29)),
        (DATE, "2013-02-29", WRONG),
        (DATE, "29.02.2012", date(2012, 2, 29)),
        (DATE, "29.02.2013", WRONG),
        (DATE, "02/29/2012", WRONG),
        (DATE, "0001-01-01", date(1, 1, 1)),
        (DATE, "2013-1-1", date(2013, 1, 1)),
        (DATE, "1.2.2013", date(2013, 2, 1)),
        (DATE, "1-Feb-2013", date(2013, 2, 1)),
        (DATE, "February 1, 2013", date(2013, 2, 1)),
        (DATE, "1-Foo-2013", WRONG),
        (DATE, "01.02.13", WRONG),
        (TIME, "08:15", "08:15:00"),
        (TIME, "8:15:00.50", "08:15:00.5"),
        (TIME, "12:05 am", "00:05:00"),
        (TIME, "24:00:00", WRONG),
        (TIME, "08:60", WRONG),
        (DATE, "2013-01-01T00:00", WRONG),
        (TIMESTAMP, "2013-01-01", datetime(2013, 1, 1, tzinfo=UTC)),
        (TIMESTAMP, "01.02.2013 10:11", datetime(2013, 2, 1, 10, 11, tzinfo=UTC)),
        (TIMESTAMP, "2013-01-01 10:11", datetime(2013, 1, 1, 10, 11, tzinfo=UTC)),
        (TIMESTAMP, "2013-01-01T10:11:12Z", datetime(2013, 1, 1, 10, 11, 12, tzinfo=UTC)),
        (TIMESTAMP, "2013-01-01T10:11:12,5+05:30", datetime(2013, 1, 1, 4, 41, 12, 500_000, UTC)),
        (TIMESTAMP, "2013-01-01T10:11:12.123456000-02", datetime(2013, 1, 1, 12, 11, 12, 123_456, UTC)),
        (TIMESTAMP, "2013-01-01T10:11:12.1234567Z", WRONG),
        (TIMESTAMP, "2013-01-01T24:00:01Z", WRONG),
        (TIMESTAMP, "2013-02-30T10:00Z", WRONG),
        (TIMESTAMP, "10:00", WRONG),
        (DATE, "2024/03/30", date(2024, 3, 30)),
        (DATE, "2024/02/30", WRONG),
        (TIMESTAMP, "2024/03/30 9:05", datetime(2024, 3, 30, 9, 5, tzinfo=UTC)),
        (TIMESTAMP, "2024-03-30 10:15:00 UTC", datetime(2024, 3, 30, 10, 15, tzinfo=UTC)),
        (TIMESTAMP, "2024-03-30 10:15:00 +02:00", datetime(2024, 3, 30, 8, 15, tzinfo=UTC)),
        (TIMESTAMP, "2024-03-30 02:15 PM", datetime(2024, 3, 30, 14, 15, tzinfo=UTC)),
        (TIMESTAMP, "30.03.2024 12:15:30.5am", datetime(2024, 3, 30, 0, 15, 30, 500_000, UTC)),
        (TIMESTAMP, "2024-03-30 12:00 pm UTC", datetime(2024, 3, 30, 12, tzinfo=UTC)),
        (TIMESTAMP, "2024-03-30 13:00 PM", WRONG),
        (TIMESTAMP, "2024-03-30 2:15 p.m.", datetime(2024, 3, 30, 14, 15, tzinfo=UTC)),
        (TIMESTAMP, "2024-03-30 PM 2:15", datetime(2024, 3, 30, 14, 15, tzinfo=UTC)),
        (TIMESTAMP, "2024-03-30 0:30 AM", WRONG),
        (TIMESTAMP, "2024-03-30 CET", WRONG),
        (BOOLEAN, "TRUE", True),
        (BOOLEAN, "false", False),
        (BOOLEAN, "1", WRONG),
        (STRING, "  ", "  "),
        (BINARY, "é", "é".encode()),
    ],
)
def test_a_cell(chosen: Column, text: str, value: Any) -> None:
    # Alone, beside a good cell, and beside a bad one: the fast way and the slow one must agree.
    good = {LogicalType.DATE: "2013-03-01", LogicalType.TIMESTAMP: "2013-03-01", LogicalType.BOOLEAN: "true"}
    for others in ([], [good.get(chosen.type, "1")], [None, "certainly not"]):
        values, bad = cast_text(pa.array([text, *others], pa.string()), chosen)
        assert values.type == arrow_type(chosen)
        assert bad[0] == (value is WRONG)
        assert values[0].as_py() == (None if value is WRONG else value)
    assert str(values[0].as_py()) == str(None if value is WRONG else value)  # −0.0 is 0.0


VALUES: dict[LogicalType, st.SearchStrategy[Any]] = {
    LogicalType.INTEGER: st.integers(-(2**63), 2**63 - 1),
    LogicalType.FLOAT: st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0),
    LogicalType.DATE: st.dates(),
    LogicalType.BOOLEAN: st.booleans(),
    LogicalType.TIMESTAMP: st.datetimes(
        datetime(2, 1, 1),  # noqa: DTZ001  # bounds are naive
        timezones=st.integers(-720, 720).map(lambda m: timezone(timedelta(minutes=m))),
    ),
    LogicalType.DECIMAL: st.decimals(-(10**8) + 1, 10**8 - 1, places=2),
}


@settings(deadline=None, max_examples=examples(200))
@given(st.data())
def test_what_was_written_is_read(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(VALUES)))
    written = data.draw(st.lists(st.none() | VALUES[kind], min_size=1, max_size=8))
    texts = [None if v is None else v.isoformat() if isinstance(v, date) else str(v) for v in written]
    values, bad = cast_text(pa.array(texts, pa.string()), column(kind, 10, 2))
    assert not bad.any()
    assert values.to_pylist() == written


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-2", None], "integer"),
        (["1", "02"], "string"),
        (["0", "-0"], "integer"),
        (["1", "2.5"], "float"),
        (["1e5"], "float"),
        (["1", "9223372036854775808"], "decimal"),
        (["9" * 39], "string"),
        (["2013-01-01", None], "date"),
        (["31.05.2024", "2024-06-01"], "date"),
        (["31.02.2024"], "string"),
        (["5.31.2024"], "string"),
        (["31.05.2024 10:15", "2024-06-01"], "timestamp"),
        (["2013-01-01", "2013-01-01T10:00Z"], "timestamp"),
        (["2013-01-01", "2013-02-30"], "string"),
        (["2024/03/30", "2024/04/01"], "date"),
        (["5/31/2024 2:30 PM", "6/1/2024 12:05 AM"], "timestamp"),
        (["5/31/2024 2:30 p.m.", "6/1/2024 12:05 a. m."], "timestamp"),
        (["9:15 a.m.", "PM 9:15", "12:05 p. m."], "time"),
        (["9:15 a.m.", "PM 13:15"], "string"),
        (["2024-03-30 10:15:00 UTC", "2024-03-31 9:00"], "timestamp"),
        (["true", "False"], "boolean"),
        (["true", "1"], "string"),
        (["nan", "1.5"], "string"),
        (["1", ""], "string"),
        ([None], "string"),
        ([], "string"),
    ],
)
def test_inference(texts: list[str | None], kind: str) -> None:
    assert inferred_type(possible_types(pa.array(texts, pa.string()))) == kind


@settings(deadline=None, max_examples=examples(200))
@given(
    st.lists(
        st.sampled_from(["1", "-7", "1.5", "2013-01-01", "2013-01-01T10:00", "5/13/2013", "true", "01", "x", None]),
        max_size=6,
    ),
    st.integers(0, 6),
)
def test_parts_of_a_column_say_together_what_the_whole_says(texts: list[str | None], cut: int) -> None:
    parts = [possible_types(pa.array(part, pa.string())) for part in (texts[:cut], texts[cut:])]
    whole = pa.array(texts, pa.string())
    assert parts[0] & parts[1] == possible_types(whole)
    assert not cast_text(whole, inferred(possible_types(whole)))[1].any()


def test_decimal_scale() -> None:
    assert decimal_scale(pa.array(["1", "2.345", "-.5", None, "x"])) == 3
    assert decimal_scale(pa.array([], pa.string())) == 0
