"""Numbers with units and signs as people write them: reader and oracle agree, for columns and for later texts."""

from decimal import Decimal

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.written_values import numbers, written

from profiling_core.ingest.infer import infer_schema
from profiling_core.ingest.text_values import cast_text, possible_types
from profiling_core.model.number_form import DURATION, UNITS
from profiling_core.model.types import LogicalType

_OF_NUMBERS = (LogicalType.INTEGER, LogicalType.DECIMAL, LogicalType.FLOAT)
_KNOWN = [unit for unit in UNITS if unit and unit != DURATION]
_TEXTS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", " ", "("]),
        st.sampled_from(["", "", "-", "\u2212", "+", "- "]),
        st.sampled_from(["", "", "€", "$ ", "EUR ", "US$"]),
        st.sampled_from(["", "", "-"]),
        st.sampled_from(["0", "5", "17", "1.5", "250", "x"]),
        st.sampled_from(["", "", " %", "%", "kg", " €", "q"]),
        st.sampled_from(["", "", "-"]),
        st.sampled_from(["", "", ")", " "]),
    ),
)
_FORMS = st.sampled_from(["{}", "{} %", "€ {}", "({})", "{}-", "-{}", " {}", "{} kg", "US$ {}"])
_COLUMNS = st.one_of(
    st.lists(_TEXTS, min_size=1, max_size=3),
    st.tuples(st.lists(_FORMS, min_size=1, max_size=2), st.lists(st.integers(0, 99), min_size=1, max_size=6)).map(
        lambda made: [made[0][i % len(made[0])].format(number) for i, number in enumerate(made[1])]
    ),
)


@settings(deadline=None)
@given(_COLUMNS)
def test_columns_of_written_numbers_are_read_as_the_oracle_reads_them(texts: list[str]) -> None:
    column = infer_schema("t", pa.table({"x": pa.array(texts, pa.string())})).columns[0]
    expected = numbers(texts, _KNOWN)
    assert (column.type in _OF_NUMBERS) is (expected is not None)
    if expected is not None:
        values, bad = cast_text(pa.array(texts), column)
        assert not bad.any()
        assert [Decimal(repr(value)) for value in values.to_pylist()] == expected


@settings(deadline=None)
@given(_COLUMNS, _TEXTS)
def test_later_texts_are_read_in_the_form_of_their_column_alone(texts: list[str], later: str) -> None:
    column = infer_schema("t", pa.table({"x": pa.array(texts, pa.string())})).columns[0]
    if column.type not in _OF_NUMBERS:
        return
    (value,), (bad,) = cast_text(pa.array([later]), column)
    said = written(later, _KNOWN)
    fits = said is not None and said.unit == column.written.unit and said.sign in ("", column.written.sign)
    if fits and column.type is LogicalType.INTEGER and said.number % 1:
        fits = False
    assert bool(bad) is (not fits)
    if fits:
        assert Decimal(repr(value.as_py())) == said.number


@settings(deadline=None)
@given(_COLUMNS, st.integers(0, 6))
def test_parts_of_a_column_say_together_what_the_whole_says(texts: list[str], cut: int) -> None:
    parts = [possible_types(pa.array(part, pa.string())) for part in (texts[:cut], texts[cut:])]
    whole = infer_schema("t", pa.table({"x": pa.chunked_array([texts[:cut], texts[cut:]], pa.string())})).columns[0]
    assert whole == infer_schema("t", pa.table({"x": pa.array(texts, pa.string())})).columns[0]
    assert LogicalType.STRING in parts[0] & parts[1]
