"""Readers of CSV and JSON lines: rows with their lines and source text, whatever is quoted, empty or malformed."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profiling_core.ingest import csv_rows, json_rows
from profiling_core.ingest.rows import RowChunk
from profiling_core.model.dialect import CsvDialect

CELLS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('",\n\r;'), max_size=8)


def rows_of(chunks: Any) -> list[tuple[int, str, str | None, dict[str, Any]]]:
    """Line, text, reason and cells of each row."""
    return [row for chunk in chunks for row in _rows(chunk)]


def _rows(chunk: RowChunk) -> list[tuple[int, str, str | None, dict[str, Any]]]:
    assert chunk.texts is not None
    cells = [
        dict(zip(chunk.cells, values, strict=True))
        for values in zip(*(c.to_pylist() for c in chunk.cells.values()), strict=True)
    ]
    return list(zip(chunk.lines.to_pylist(), chunk.texts.to_pylist(), chunk.unreadable.to_pylist(), cells, strict=True))


@settings(deadline=None, max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(CELLS, CELLS), max_size=6), st.sampled_from(["\n", "\r\n"]), st.sampled_from([",", ";", "\t"])
)
def test_csv_that_was_written_is_read(tmp_path: Path, rows: list[tuple[str, str]], end: str, delimiter: str) -> None:
    path = tmp_path / "t.csv"
    # Older Pythons' writer does not by itself quote a carriage return where lines end otherwise.
    quoting = csv.QUOTE_ALL if any("\r" in cell for row in rows for cell in row) else csv.QUOTE_MINIMAL
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator=end, delimiter=delimiter, quoting=quoting)
        writer.writerows([("a", "b"), *rows])
    found = rows_of(csv_rows.read(path, CsvDialect(delimiter), ()))
    assert [(cells["a"], cells["b"]) for _, _, _, cells in found] == rows
    with path.open(encoding="utf-8", newline="") as file:
        lines = file.readlines()
    ends = [*(line for line, *_ in found), len(lines) + 1][1:]
    for (line, text, reason, _), end_line in zip(found, ends, strict=True):
        assert reason is None
        assert "".join(lines[line - 1 : end_line - 1]).rstrip("\r\n") == text


def test_csv_lines_nulls_and_faults(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes('\ufeffa,b\r\n1,"x\r\n\r\ny"\r\n\r\n2\r\n"3"x,4\r\nNA,""\r\n5,6'.encode())
    assert rows_of(csv_rows.read(path, CsvDialect(), ("NA", ""))) == [
        (2, '1,"x\r\n\r\ny"', None, {"a": "1", "b": "x\r\n\r\ny"}),
        (6, "2", "1 values, where the header names 2 columns", {"a": None, "b": None}),
        (7, '"3"x,4', "',' expected after '\"'", {"a": None, "b": None}),
        (8, 'NA,""', None, {"a": None, "b": None}),
        (9, "5,6", None, {"a": "5", "b": "6"}),
    ]


def test_an_operation_is_never_null(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("_op,a\n,\ninsert,\n")
    assert [cells for *_, cells in rows_of(csv_rows.read(path, CsvDialect(), ("", "insert")))] == [
        {"_op": "", "a": None},
        {"_op": "insert", "a": None},
    ]


def test_csv_comes_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiling_core.ingest.rows.CHUNK_ROWS", 7)
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "".join(f"{i}\n" for i in range(20)))
    chunks = list(csv_rows.read(path, CsvDialect(), ()))
    assert [len(chunk) for chunk in chunks] == [7, 7, 6]
    assert [cells["a"] for *_, cells in rows_of(chunks)] == [str(i) for i in range(20)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | CELLS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(CELLS, inner, max_size=2),
    max_leaves=4,
)


@settings(deadline=None, max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from("abc"), JSON), max_size=5))
def test_json_that_was_written_is_read(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    path = tmp_path / "t.jsonl"
    lines = [json.dumps(row, ensure_ascii=bool(i % 2)) for i, row in enumerate(rows)]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    seen: set[str] = set()
    found = rows_of(json_rows.read(path, ("a", "b", "c"), seen))
    assert [(line, text, reason) for line, text, reason, _ in found] == [(i, t, None) for i, t in enumerate(lines, 1)]
    assert seen == {key for row in rows for key in row}
    for (*_, cells), row in zip(found, rows, strict=True):
        for name, cell in cells.items():
            value = row.get(name)
            assert cell == value if value is None or isinstance(value, str) else json.loads(cell) == value


def test_json_keeps_every_digit(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 12345678901234567890.12345678901234567890, "b": {"z": 1.10, "y": [1e2]}}\n{"a": NaN}\n')
    assert [cells for *_, cells in rows_of(json_rows.read(path, ("a", "b")))] == [
        {"a": "12345678901234567890.12345678901234567890", "b": '{"y":[1e2],"z":1.10}'},
        {"a": None, "b": None},
    ]
    assert json_rows.kinds(path) == {"a": {"number"}, "b": {"nested"}}
