"""Files with rows that cannot be read: ``discover`` and ``init`` look at the rest and say what is left out."""

import os
import pty
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from profiling_core.cli.discover_options import DiscoverOptions
from profiling_core.ingest import csv_parts, csv_rows
from profiling_core.ingest.files import read_table
from profiling_core.ingest.sniffing.sniffer import sniffed
from profiling_core.model.constraint import Kind
from profiling_core.model.dialect import PLAIN_DIALECT
from profiling_core.model.errors import InputError
from profiling_core.pipeline.discover import discover
from profiling_core.pipeline.init.landing_files import proposed

ODD = r"\xf6 is not in the file's encoding"


def written(tmp_path: Path, broken: int) -> Path:
    rows = [f"{i},x,{i * 2}" if i >= broken else f"{i},x,{i * 2},more" for i in range(100)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b,c", *rows]) + "\n", "utf-8")
    return path


def test_few_broken_rows_are_left_out_and_said(tmp_path):
    told: list[str] = []
    _, table = read_table(written(tmp_path, 3), told=told.append)
    assert table.num_rows == 97
    (said,) = told
    assert said.startswith("3 rows cannot be read and are left out; the first is at t.csv, line 2: 4 values")


def test_rows_with_bytes_of_another_encoding_are_left_out_with_their_lines(tmp_path):
    path, told = tmp_path / "t.csv", []
    rows = [f"{i},Köln {i}".encode() for i in range(100)]
    rows[40], rows[60] = b"40,K\xf6ln 40", b'60,"K\xf6ln\n60"'
    path.write_bytes(b"\n".join([b"id,town", *rows]))
    found = sniffed(path)
    _, table = read_table(path, dialect=found.dialect, told=told.append)
    assert found.dialect.encoding == "utf-8"
    assert found.doubts == ("2 bytes are not UTF-8, the first in line 42; rows with one are rejected",)
    assert set(range(100)) - {*table["id"].to_pylist()} == {40, 60}
    assert told == [f"2 rows cannot be read and are left out; the first is at t.csv, line 42: {ODD}"]
    chunk, *_ = csv_rows.read(path, found.dialect, ())
    assert chunk.texts[40].as_py() == r"40,K\xf6ln 40"
    assert chunk.account.lost == 1


def test_file_in_whose_letters_most_bytes_are_not_its_encoding_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,town\n" + b"".join(f"{i},Köln {i}\n".encode("cp1252") for i in range(100)))
    assert sniffed(path).dialect.encoding == "cp1252"
    with pytest.raises(InputError, match="not UTF-8 text") as refused:
        [*csv_rows.read(path, PLAIN_DIALECT, ())]
    assert refused.value.where == f"{path}, line 2"


@pytest.mark.parametrize("kind", list(Kind))
def test_each_kind_leaves_them_out_and_says_so(tmp_path, kind):
    path, told = written(tmp_path, 3), []
    request = DiscoverOptions(kind=kind).request()
    found = discover([path], request, told=lambda *said: told.append(said))
    assert found.sizes == {"t": (97, 3)}
    ((table, said),) = told
    assert table == "t"
    assert said.startswith("3 rows cannot be read and are left out; the first is at t.csv, line 2: 4 values")


@pytest.mark.parametrize("values", ["typed", "text"])
def test_inclusions_leave_broken_rows_of_each_part_out(tmp_path, monkeypatch, values):
    monkeypatch.setattr(csv_parts, "PART_BYTES", 100)
    path, other, told = written(tmp_path, 3), tmp_path / "all.csv", []
    other.write_text("id\n" + "".join(f"{i}\n" for i in range(3, 100)), "utf-8")
    request = replace(DiscoverOptions(kind=Kind.IND).request(), values=values)
    found = discover([path, other], request, told=lambda *said: told.append(said))
    assert [c.constraint.text for c in found.constraints] == ["all.id ⊆ t.a", "t.a ⊆ all.id"]
    assert [table for table, _ in told] == ["t"]


def test_inclusions_refuse_a_file_with_too_many_broken_rows(tmp_path):
    request = DiscoverOptions(kind=Kind.IND).request()
    with pytest.raises(InputError, match="4 values, where the header names 3 columns"):
        discover([written(tmp_path, 6)], request)


def test_init_says_them_too(tmp_path):
    assert "3 rows cannot be read and are left out" in proposed(written(tmp_path, 3)).notes["delimiter"]


def test_a_file_of_which_more_is_broken_than_apply_allows_is_refused(tmp_path):
    with pytest.raises(InputError, match="4 values, where the header names 3 columns"):
        read_table(written(tmp_path, 6))


def test_init_asks_on_a_terminal_what_is_in_doubt(tmp_path):
    (tmp_path / "x.csv").write_text("red;green\n" + "".join(f"a{i};b{i}\n" for i in range(30)), "utf-8")
    keyboard, terminal = pty.openpty()
    command = [sys.executable, "-m", "profiling_core.cli.main", "init", "x.csv"]
    settings = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
    with subprocess.Popen(command, cwd=tmp_path, stdin=terminal, stdout=subprocess.PIPE, env=settings) as process:
        os.write(keyboard, b"n\n;\n0\n\n\n")
        said, _ = process.communicate(timeout=120)
    assert b"in doubt: all cells are texts" in said
    (made,) = (tmp_path / "dags" / "datasets").glob("*.yaml")
    assert "header: 0" in made.read_text("utf-8")
    assert 'names: ["col_0", "col_1"]' in made.read_text("utf-8")


def test_json_that_lands_as_csv_is_called_so(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('[{"id":1,"name":"x"}]\n')
    with pytest.raises(InputError, match="not CSV: it is JSON"):
        csv_rows.header(path)
