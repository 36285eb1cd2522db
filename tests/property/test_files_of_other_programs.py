"""Tables that other programs have written are read back equal, whatever their dialect."""

import csv
import io
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profiling_core.ingest import csv_rows
from profiling_core.ingest.files import read_table
from profiling_core.ingest.sniffing.sniffer import sniffed
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.errors import InputError
from profiling_core.model.number_marks import Marks

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), min_size=1, max_size=8)
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(lambda at: at.replace(tzinfo=UTC))  # noqa: DTZ001 -- bounds
KINDS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "whole": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "real": (pa.float64(), st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)),
    "day": (pa.date32(), st.dates()),
    "at": (pa.timestamp("us", "UTC"), MOMENTS),
    "yes": (pa.bool_(), st.booleans()),
    "word": (pa.string(), TEXT.map(lambda text: f"w{text}")),
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Rows of several types; the first column has no nulls, so that no line is empty."""
    size = draw(st.integers(1, 12))
    names = ["whole", *sorted(draw(st.sets(st.sampled_from(sorted(KINDS.keys() - {"whole"})), min_size=1)))]
    columns = {}
    for name in names:
        type_, values = KINDS[name]
        each = values if name == "whole" else st.none() | values
        columns[name] = pa.array(draw(st.lists(each, min_size=size, max_size=size)), type_)
    return pa.table(columns)


def as_text(value: Any, decimal: str) -> str:
    if isinstance(value, float):
        return repr(value).replace(".", decimal)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return "" if value is None else value.isoformat() if isinstance(value, date) else str(value)


def by_csv(table: pa.Table, path: Path, delimiter: str, quoting: int, decimal: str) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting)
    writer.writerow(table.column_names)
    writer.writerows([as_text(value, decimal) for value in row.values()] for row in table.to_pylist())
    path.write_text(out.getvalue(), encoding="utf-8", newline="")


def by_duckdb(table: pa.Table, path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("written", table)
        connection.execute(f"COPY written TO '{path}' (HEADER)")


WRITERS = {
    "pandas": lambda table, path: table.to_pandas(integer_object_nulls=True).to_csv(path, index=False),
    "polars": lambda table, path: pl.from_arrow(table).write_csv(path),
    "duckdb": by_duckdb,
    "arrow": pa.csv.write_csv,
}


def check(table: pa.Table, read: pa.Table) -> None:
    """The values are the same; of a column without values no file tells the type."""
    assert read.column_names == table.column_names
    for name in table.column_names:
        if table[name].null_count < len(table):
            assert read[name].to_pylist() == table[name].to_pylist(), name


def quick(test: Any) -> Any:
    return settings(
        deadline=None, max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture]
    )(test)


@pytest.mark.parametrize("program", WRITERS)
@quick
@given(tables())
def test_a_csv_file_of_another_program_is_read_back(tmp_path: Path, program: str, table: pa.Table) -> None:
    path = tmp_path / "rows.csv"
    WRITERS[program](table, path)
    check(table, read_table(path)[1])


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize(("delimiter", "decimal"), [(",", "."), (";", ","), ("\t", "."), ("|", ".")])
@quick
@given(tables())
def test_each_dialect_is_read_back(tmp_path: Path, delimiter: str, decimal: str, quoting: int, table: pa.Table) -> None:
    path = tmp_path / "rows.csv"
    by_csv(table, path, delimiter, quoting, decimal)
    check(table, read_table(path, dialect=CsvDialect(delimiter=delimiter), marks=Marks(decimal=decimal))[1])


@quick
@given(tables())
def test_a_parquet_file_is_read_back(tmp_path: Path, table: pa.Table) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(table, path)
    check(table, read_table(path)[1])


SHEETS = {
    "English": (CsvDialect(), Marks(), "%Y-%m-%d"),
    "German": (CsvDialect(delimiter=";"), Marks(decimal=","), "%d.%m.%Y"),
}
CELLS = st.tuples(
    st.integers(-(10**14), 10**14),
    st.none() | st.floats(-1e9, 1e9, allow_subnormal=False).map(lambda x: float(f"{x:.10g}") + 0.0),
    st.dates(date(1900, 1, 1), date(2100, 12, 31)),
    st.none() | TEXT.map(lambda text: f"w{text}\n{text}") | TEXT.map(lambda text: f"w{text}"),
    st.none() | st.times().map(lambda at: at.replace(microsecond=0).isoformat()),
    st.none() | st.booleans(),
)
"""What a sheet has in a row: numbers of up to 15 digits, days from 1900, breaks within cells, times, TRUE and FALSE."""


def by_spreadsheet(rows: list[tuple[Any, ...]], path: Path, dialect: CsvDialect, decimal: str, day: str) -> None:
    """As spreadsheets save: with a byte order mark, CRLF at the end of rows, LF within cells, quotes where needed."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=dialect.delimiter, lineterminator="\r\n")
    writer.writerow(["whole", "real", "day", "word", "at", "yes"])
    for whole, real, on, word, at, yes in rows:
        number = "" if real is None else f"{real:.10g}".replace(".", decimal)
        writer.writerow([whole, number, f"{on:{day}}", word, at, "" if yes is None else str(yes).upper()])
    path.write_bytes(b"\xef\xbb\xbf" + out.getvalue().encode())


@pytest.mark.parametrize("language", SHEETS)
@quick
@given(st.lists(CELLS, min_size=1, max_size=12))
def test_a_sheet_that_is_saved_as_csv_is_read_back(tmp_path: Path, language: str, rows: list[tuple[Any, ...]]) -> None:
    path = tmp_path / "rows.csv"
    rows = [*rows, (1, 0.5, date(2024, 1, 31), "w", "08:15:00", True)]
    dialect, marks, day = SHEETS[language]
    by_spreadsheet(rows, path, dialect, marks.decimal, day)
    _, read = read_table(path, dialect=dialect, marks=marks)
    assert [tuple(row.values()) for row in read.to_pylist()] == rows


HARD = st.lists(st.sampled_from(["oak", " lime", "\\", '"', ",", ";", "\n", "{", "9", "'"]), min_size=1, max_size=5)
WORDS = HARD.map(lambda parts: "w" + "".join(parts))
"""Texts with what escapes stand before, in any order; the letter in front keeps blank texts away."""
ESCAPES = "\\^~!%/"


def by_csv_with_escapes(**options: Any) -> Any:
    def write(rows: list[tuple[str, ...]], path: Path, delimiter: str, escape: str) -> None:
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=delimiter, escapechar=escape, lineterminator="\n", **options).writerows(rows)
        path.write_text(out.getvalue(), encoding="utf-8", newline="")

    return write


def by_pandas_with_escapes(**options: Any) -> Any:
    def write(rows: list[tuple[str, ...]], path: Path, delimiter: str, escape: str) -> None:
        frame = pd.DataFrame(rows[1:], columns=pd.Index(rows[0]))
        frame.to_csv(path, index=False, sep=delimiter, escapechar=escape, **options)

    return write


def by_duckdb_with_escapes(forced: str) -> Any:
    def write(rows: list[tuple[str, ...]], path: Path, delimiter: str, escape: str) -> None:
        with duckdb.connect() as connection:
            connection.register("written", pd.DataFrame(rows[1:], columns=pd.Index(rows[0])))
            connection.execute(f"COPY written TO '{path}' (HEADER, DELIMITER '{delimiter}', ESCAPE '{escape}'{forced})")

    return write


ESCAPING = {
    "csv": by_csv_with_escapes(doublequote=False),
    "csv, all quoted": by_csv_with_escapes(doublequote=False, quoting=csv.QUOTE_ALL),
    "csv, nothing quoted": by_csv_with_escapes(quoting=csv.QUOTE_NONE),
    "csv, escapes and doubled quotes": by_csv_with_escapes(),
    "pandas": by_pandas_with_escapes(doublequote=False),
    "pandas, texts quoted": by_pandas_with_escapes(doublequote=False, quoting=csv.QUOTE_NONNUMERIC),
    "pandas, nothing quoted": by_pandas_with_escapes(quoting=csv.QUOTE_NONE),
    "duckdb": by_duckdb_with_escapes(""),
    "duckdb, all quoted": by_duckdb_with_escapes(", FORCE_QUOTE *"),
}


BARE = "pandas, nothing quoted"
"""Leaves quotes without escapes, so that nothing tells an unusual escape from text."""


def read_and_said(path: Path) -> tuple[list[tuple[str, ...]], bool]:
    """The names and rows of a file as its look finds them, and whether anything is said to be in doubt or rejected."""
    found, rows, bad = sniffed(path), list[tuple[str, ...]](), False
    for chunk in csv_rows.read(path, found.dialect, ("",)):
        rows = rows or [tuple(chunk.cells)]
        wrong = chunk.unreadable.to_pylist()
        cells = zip(*(column.to_pylist() for column in chunk.cells.values()), strict=True)
        rows += [tuple(row) for row, why in zip(cells, wrong, strict=True) if why is None]
        bad = bad or any(why is not None for why in wrong)
    return rows, bad or bool(found.doubts)


def check_escapes(path: Path, rows: list[tuple[str, ...]]) -> None:
    """A written file is read as it was written, or refused, or reported as doubtful."""
    try:
        read, is_said = read_and_said(path)
    except InputError:
        return
    assert is_said or read == rows


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("program", ESCAPING)
@quick
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12), st.sampled_from(ESCAPES))
def test_escapes_are_read_exactly_or_said_to_be_in_doubt(
    tmp_path: Path, program: str, delimiter: str, texts: list[tuple[str, str]], escape: str
) -> None:
    path, escape = tmp_path / "rows.csv", "\\" if program == BARE else escape
    texts = [(a.replace("\\", escape), b.replace("\\", escape)) for a, b in texts]
    rows = [("nr", "left", "price", "right"), *((str(i), a, f"{i}.5", b) for i, (a, b) in enumerate(texts, 100))]
    ESCAPING[program](rows, path, delimiter, escape)
    check_escapes(path, rows)


def test_single_quotes_beside_rows_of_other_widths_are_said(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = [("nr", "left", "price", "right"), ("100", "w;'", "100.5", "w;'")]
    ESCAPING["csv, nothing quoted"](rows, path, ";", "^")
    check_escapes(path, rows)


@pytest.mark.parametrize("escape", ["\\", "^"])
@pytest.mark.parametrize("program", ESCAPING)
def test_escapes_far_into_a_file_are_read_exactly_or_said_to_be_in_doubt(
    tmp_path: Path, program: str, escape: str
) -> None:
    path = tmp_path / "rows.csv"
    plain = [(str(i), "oak and lime", f"{i}.5", "elm") for i in range(12_000)]
    rows = [("nr", "left", "price", "right"), *plain, ("12000", f"w{escape}ash", "9.5", f"a{escape}b"), *plain[:20]]
    ESCAPING[program](rows, path, ",", escape)
    assert path.stat().st_size > 1 << 18
    check_escapes(path, rows)
