"""Files made to take more than they hold end in an error that names them, before they take much memory or time."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.ingest.sources.extracts import Extract

pytestmark = pytest.mark.slow

READ = """
import resource, sys
from pathlib import Path
from profiling_core.ingest import csv_parts, csv_rows, files, json_rows, parquet_parts
from profiling_core.ingest.sources import parquet_rows
from profiling_core.ingest.text_values import possible_types
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.errors import HoldfastError

def parts(path):
    if path.suffix == ".csv":
        found = csv_parts.csv_parts(path, typed_header=False, texts=False, null_values=("",), dialect=CsvDialect())
        found = found.with_types(found.possible_types(part) for part in range(len(found)))
    else:
        found = parquet_parts.parquet_parts(path, "typed")
    for part in range(len(found)):
        found.read(part, found.schema.names)

def stream(path):
    if path.suffix == ".parquet":
        chunks = parquet_rows.read(path)
    elif path.suffix == ".csv":
        chunks = csv_rows.read(path, CsvDialect(), ("",))
    else:
        chunks = json_rows.read(path, json_rows.columns(path))
    for chunk in chunks:
        for text in chunk.unreadable.drop_null().to_pylist():
            print("row:", text)
        if path.suffix != ".parquet":
            for cells in chunk.cells.values():
                possible_types(cells)

def kilobytes(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))

resource.setrlimit(resource.RLIMIT_AS, ((kilobytes("VmSize") << 10) + 3 * 2**29,) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
for way in sys.argv[2:]:
    try:
        {"table": files.read_table, "parts": parts, "stream": stream}[way](Path(sys.argv[1]))
    except HoldfastError as error:
        print(str(error).replace("\\n", " "), way)
    else:
        print("read", way)
print(kilobytes("VmHWM") >> 10)
"""
ALL = ("table", "parts", "stream")
PLAIN = {"ARROW_DEFAULT_MEMORY_POOL": "system"}  # which takes no addresses in advance


def repeated(place: Path, length: int, rows: int, groups: int) -> Path:
    """A column of one text that a dictionary holds once per group."""
    path = place / "repeated.parquet"
    cells = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * length]))
    table = pa.table({"a": cells})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(groups):
            writer.write_table(table)
    return path


def nothing(place: Path) -> Path:
    path = place / "nothing.parquet"
    table = pa.table({"a": pa.nulls(20_000_000, pa.int64())})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(7):
            writer.write_table(table, row_group_size=20_000_000)
    return path


def compressed(place: Path) -> Path:
    path = place / "compressed.parquet"
    table = pa.table({"a": ["\0" * 100_000_000]})
    with pq.ParquetWriter(path, table.schema, compression="zstd", use_dictionary=False) as writer:
        for _ in range(11):
            writer.write_table(table)
    return path


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
        lambda place: repeated(place, 1_000_000, 1_000_000, 1), ALL, "unpack",
    ),
    "texts in a hundred dictionaries": (lambda place: repeated(place, 100_000, 4_000, 100), ALL, "unpack"),
    "140 million nulls": (nothing, ALL, "unpack"),
    "a gigabyte of zeros, compressed": (compressed, ALL, "unpack"),
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
    "millions of digits": (
        text_file("digits.csv", lambda: iter(["a,b\n", "9" * 3_000_000, ",0.", "1" * 3_000_000])), ALL, "read",
    ),
    "compressed CSV": (zipped, ALL, "not UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_unfolds_ends_in_an_error_within_bounded_memory(tmp_path: Path, name: str) -> None:
    make, ways, said = BOMBS[name]
    command = [sys.executable, "-c", READ, make(tmp_path), *ways]
    found = subprocess.run(command, env=PLAIN, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    *outcomes, mebibytes = found.stdout.splitlines()
    for way in ways:
        assert any(said in line and line.endswith((way, said)) for line in outcomes), (way, found.stdout)
    assert int(mebibytes) < 1200


def test_rows_of_a_database_that_are_all_alike_are_packed_so_little_that_they_may_unfold(tmp_path: Path) -> None:
    extract = Extract(tmp_path / "extract", "a database")
    rows = pa.record_batch({"a": pa.array(["x" * 10_000] * 2_000)})
    extract.add([rows], rows.schema)
    metadata = pq.read_metadata(extract.parts[0].place)
    assert not metadata.row_group(0).column(0).has_dictionary_page
    assert 100 * extract.parts[0].size > rows.nbytes
