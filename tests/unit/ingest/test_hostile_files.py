"""Files made to take more than they hold end in an error that names them, before they take much memory or time."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.apart import read_file, said_apart
from helpers.unfolding import nulls, repeated, zeros

from profiling_core.ingest.sources.extracts import Extract

pytestmark = pytest.mark.slow

ALL = ("table", "parts", "stream")


def declared(place: Path) -> Path:
    """The numbers of rows, 1,000 each, are written over in the footer by a greater one."""
    path = place / "declared.parquet"
    pq.write_table(pa.table({"a": range(1000)}), path)
    path.write_bytes(path.read_bytes().replace(b"\xd0\x0f", b"\xfe\x7f"))
    return path


def wide(place: Path) -> Path:
    path = place / "wide.parquet"
    pq.write_table(pa.table([pa.array([1])] * 20_000, names=[f"c{i}" for i in range(20_000)]), path)
    return path


def text_file(name: str, parts: Callable[[], Iterator[str]]) -> Callable[[Path], Path]:
    def write(place: Path) -> Path:
        path = place / name
        with path.open("w", encoding="utf-8") as file:
            file.writelines(parts())
        return path

    return write


def zipped(place: Path) -> Path:
    path = place / "zipped.csv"
    path.write_bytes(gzip.compress(b"a,b\n" * 10_000_000))
    return path


NAMES = ",".join(f"c{i}" for i in range(100_000)) + "\n"
NESTED = '{"a":' + "[" * 500 + "]" * 500 + "}\n" + '{"a":' * 50_000 + "1" + "}" * 50_000 + "\n"
BOMBS: dict[str, tuple[Callable[[Path], Path], tuple[str, ...], str]] = {
    "a text of a megabyte in a million cells": (
        lambda place: repeated(place / "repeated.parquet", 1_000_000, 1_000_000), ALL, "unpack",
    ),
    "texts in a hundred dictionaries": (
        lambda place: repeated(place / "repeated.parquet", 100_000, 4_000, 100), ALL, "unpack",
    ),
    "140 million nulls": (lambda place: nulls(place / "nulls.parquet"), ALL, "unpack"),
    "a gigabyte of zeros, compressed": (lambda place: zeros(place / "zeros.parquet"), ALL, "unpack"),
    "rows that are declared and not there": (declared, ALL, "cannot be read"),
    "20,000 columns of Parquet": (wide, ALL, "20,000 columns"),
    "100,000 columns of CSV": (text_file("wide.csv", lambda: iter([NAMES])), ALL, "100,000 columns"),
    "100,000 keys of JSON": (
        text_file("keys.jsonl", lambda: (json.dumps({f"k{i}": 1}) + "\n" for i in range(100_000))),
        ("stream",), "100,000 columns",
    ),
    "a value of 100 MB in CSV": (
        text_file("long.csv", lambda: iter(["a,b\n1,", *["x" * 1_000_000] * 100])),
        ("table", "stream"), "a row is longer",
    ),
    "a quote that is never closed": (
        text_file("open.csv", lambda: iter(['a,b\n1,"', *["x\n" * 1_000_000] * 20])), ALL, "a row is longer",
    ),
    "a value of 100 MB in JSON": (
        text_file("long.jsonl", lambda: iter(['{"a":"', *["x" * 1_000_000] * 100])), ("stream",), "a row is longer",
    ),
    "lists and objects without end": (
        text_file("deep.jsonl", lambda: iter([NESTED])), ("stream",), "row: nested more than 100 deep",
    ),
    "exponents": (
        text_file("e.csv", lambda: iter(["a,b\n", *["1e999999999,-1E-999999999\n"] * 100])), ALL, "read",
    ),
    "a million digits": (
        text_file("digits.csv", lambda: iter(["a,b\n", "9" * 1_000_000, ",0.", "1" * 1_000_000])), ALL, "read",
    ),
    "compressed CSV": (zipped, ALL, "not UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_unfolds_ends_in_an_error_within_bounded_memory(tmp_path: Path, name: str) -> None:
    make, ways, said = BOMBS[name]
    outcomes, mebibytes = said_apart(read_file, make(tmp_path), ways)
    for way in ways:
        assert any(said in line and line.endswith((way, said)) for line in outcomes), (way, outcomes)
    assert mebibytes < 1200


def test_rows_of_a_database_that_are_all_alike_are_packed_so_little_that_they_may_unfold(tmp_path: Path) -> None:
    extract = Extract(tmp_path / "extract", "a database")
    rows = pa.record_batch({"a": pa.array(["x" * 10_000] * 2_000)})
    extract.add([rows], rows.schema)
    metadata = pq.read_metadata(extract.parts[0].place)
    assert not metadata.row_group(0).column(0).has_dictionary_page
    assert 100 * extract.parts[0].size > rows.nbytes
