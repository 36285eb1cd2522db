"""Compressed files of text are read as what they hold, within a bound, or refused with a word."""

import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest

from profiling_core.ingest.files import read_table
from profiling_core.ingest.landed_names import format_of, plain_name, stem_of
from profiling_core.ingest.sources.objects import Copies
from profiling_core.ingest.unfolded_texts import unfold, unfolded
from profiling_core.model.errors import InputError, known_places
from profiling_core.model.source import SourceFormat
from profiling_core.state.settings import Settings

ROWS = b"id,n\n1,2\n"


def archive(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name in names:
            file.writestr(name, ROWS)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [("rows.csv.gz", gzip.compress(ROWS)), ("ROWS.CSV.ZIP", archive("in/", "in/x.txt")), ("rows.csv", ROWS)],
)
def test_what_a_compressed_file_holds_is_there_for_a_while(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with unfolded([path]) as (plain,):
        assert plain.read_bytes() == ROWS
        assert plain.name == plain_name(name)
    assert path.exists()
    assert plain.exists() == (plain == path)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".gz", ".xz"])
def test_a_small_file_that_unfolds_to_a_disk_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows.csv{ending}"
    with gzip.open(path, "wb", 1) if ending == ".gz" else lzma.open(path, "wb", preset=0) as file:
        for _ in range(1100):
            file.write(b"0" * (1 << 20))
    with pytest.raises(InputError, match="unpack to far more than its size"):
        unfold(path, tmp_path / "plain")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("rows.csv.gz", gzip.compress(ROWS)[:-9], "ended before"),
        ("rows.csv.gz", ROWS, "Not a gzipped file"),
        ("rows.csv.bz2", ROWS, "Invalid data stream"),
        ("rows.csv.xz", ROWS, "not supported"),
        ("rows.csv.zip", ROWS, "not a zip file"),
        ("rows.csv.zip", archive(), "has 0 files"),
        ("rows.csv.zip", archive("a.csv", "b.csv"), "has 2 files"),
    ],
)
def test_what_cannot_be_unfolded_is_refused_by_its_name(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=said) as refused:
        unfold(path, tmp_path / "plain")
    assert refused.value.where == str(path)


def test_names_tell_formats_and_ids() -> None:
    assert stem_of("Orders 1.CSV.gz", SourceFormat.CSV) == "Orders 1"
    assert stem_of("orders.tsv", SourceFormat.CSV) == "orders"
    assert stem_of("orders.parquet.gz", SourceFormat.PARQUET) is None
    assert format_of("orders.jsonl.zip") is SourceFormat.JSONL
    assert format_of("orders.gz") is None


def test_errors_name_the_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"id,name\n1,a\n2,b\n" + b"".join(b"3,a,more\n" for _ in range(9))))
    with pytest.raises(InputError, match="3 values") as refused, unfolded([path]) as (plain,):
        read_table(plain)
    assert refused.value.where == f"{path}, line 4"
    settings = Settings.of_new()
    with pytest.raises(InputError, match="3 values") as refused, Copies(settings) as copies, known_places(copies.known):
        read_table(copies.of(path))
    assert refused.value.where == f"{path}, line 4"
