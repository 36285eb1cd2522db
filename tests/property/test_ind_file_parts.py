"""Files read in parts: every row exactly once, in whatever parts; and inclusions as of the whole tables."""

import csv
import io
import random

import pytest
from helpers.examples import examples

from profiling_core.algorithms.inclusions import attribute_clustering
from profiling_core.ingest import csv_parts, csv_ranges
from profiling_core.ingest.files import read_table
from profiling_core.model.constraint import Kind
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.errors import InputError
from profiling_core.pipeline import discover_inclusions
from profiling_core.pipeline.discover import discover
from profiling_core.pipeline.discovery_request import DiscoveryRequest

CELLS = ["", "a", 'say "x"', "two\nlines", "comma, here", "é", '"', "\r\n", "17.00", "17", "0", "2013-03-01", "x" * 40]
PLAIN = ["", "1", "2", "17.00", "17", "1e3", "2013-03-01", "true", "b"]


def written(draw, *, cells=CELLS, columns=3):
    out = io.StringIO(newline="")
    writer = csv.writer(
        out, lineterminator=draw.choice(["\n", "\r\n"]), quoting=draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    )
    writer.writerow([f"c{i}" for i in range(columns)])
    for _ in range(draw.randrange(40)):
        row = [draw.choice(cells) for _ in range(columns)]
        writer.writerow(row if any(row) else ["a", *row[1:]])
    text = out.getvalue()
    return text if draw.random() < 0.8 else text.rstrip("\r\n")


def opened(path, *, texts=True):
    return csv_parts.csv_parts(path, typed_header=False, texts=texts, null_values=("",), dialect=CsvDialect())


def texts_of(path):
    return read_table(path, values="text")[1].to_pylist()


def rows_of(parts):
    return [row for part in range(len(parts)) for row in parts.read(part, parts.schema.names).to_pylist()]


def test_parts_hold_each_row_once(tmp_path, monkeypatch):
    draw, path, several = random.Random(5), tmp_path / "t.csv", 0
    count = examples(300)
    for _ in range(count):
        path.write_text(draw.choice(["", "\ufeff"]) + written(draw), encoding="utf-8", newline="")
        monkeypatch.setattr(csv_parts, "PART_BYTES", draw.choice([1, 20, 100, 1 << 20]))
        monkeypatch.setattr(csv_ranges, "_BLOCK", draw.choice([1, 7, 64, 1 << 20]))
        parts = opened(path)
        several += len(parts) > 1
        assert rows_of(parts) == texts_of(path)
    assert several > count // 2


CLOSED_AMID_A_CELL = [
    'a,b\n1,2\n"x"y,3\n',
    'a,b\n1,"x\n2,"y",3\n4,5\n',
    'a,b\n1,"x"" y\n2,"z"\n',
    'a,b\n1,"x" ,\n2,3\n',
]
IN_PLAIN_CELLS = ['a,b\n5" tube,"x\ny"\n1,2\n', 'a"b,"c\nd"\n1,2\n', 'a,b\n1,x"\n"2",y""\n']


@pytest.mark.parametrize("text", [*CLOSED_AMID_A_CELL, *IN_PLAIN_CELLS, "a,b\n", "a,b"])
def test_quotes_mean_the_same_in_parts_as_in_the_whole_and_line_by_line(tmp_path, monkeypatch, text):
    monkeypatch.setattr(csv_parts, "PART_BYTES", 1)
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    whole, parts = outcome(lambda: texts_of(path)), outcome(lambda: rows_of(opened(path)))
    assert whole == parts
    if text in CLOSED_AMID_A_CELL:
        assert isinstance(whole, tuple), "a quote that closes amid a cell is reported"
    else:
        names, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        assert whole == [dict(zip(names, row, strict=True)) for row in rows]


def outcome(work):
    try:
        return work()
    except InputError as error:
        return error.what, error.where


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ('a,b\n1,"x\ny"\n\n2,2\n1,2,3\n', "3 values, where the header names 2 columns", 6),
        ('a,b\n1,"x\ny"\n1,2\n"open,3\n4,5\n', "a quoted value is never closed and swallows 2 lines", 5),
        ("a,b\n1,2\n3,4\n5\n", "1 values, where the header names 2 columns", 4),
    ],
)
def test_what_is_malformed_in_a_part_is_told_with_its_line_in_the_file(tmp_path, monkeypatch, text, what, line):
    monkeypatch.setattr(csv_parts, "PART_BYTES", 1)
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(InputError) as raised:
        discover([path], DiscoveryRequest(kind=Kind.IND))
    assert (raised.value.what, raised.value.where) == (what, f"{path}, line {line}")


def test_a_value_that_is_not_of_the_declared_type_is_told_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_parts, "PART_BYTES", 1)
    path = tmp_path / "t.csv"
    path.write_text('a(Integer),b(String)\n1,"x\ny"\n2,z\nthree,z\n', encoding="utf-8")
    with pytest.raises(InputError) as raised:
        discover([path], DiscoveryRequest(kind=Kind.IND, typed_header=True))
    assert raised.value.where == f"{path}, line 5"


def text_of(measured):
    return measured.constraint.text


@pytest.mark.parametrize("values", ["typed", "text"])
@pytest.mark.parametrize("spooled", [False, True])
def test_inclusions_of_files_in_parts_are_those_of_whole_tables(tmp_path, monkeypatch, values, spooled):
    monkeypatch.setattr(csv_parts, "PART_BYTES", 40)
    monkeypatch.setattr(discover_inclusions, "_BUCKET_BYTES", 50)
    monkeypatch.setattr(discover_inclusions, "_IN_MEMORY", 0 if spooled else 1 << 20)
    draw, found = random.Random(7), 0
    count = examples(40)
    for _ in range(count):
        paths = [tmp_path / f"{name}.csv" for name in "rs"]
        for path in paths:
            path.write_text(written(draw, cells=PLAIN), encoding="utf-8", newline="")
        request = DiscoveryRequest(kind=Kind.IND, values=values, max_arity=2, max_error=0.4, reduced=False)
        result = discover(paths, request)
        whole = {path.stem: read_table(path, values=values) for path in paths}
        tables, schemas = ({n: both[i] for n, both in whole.items()} for i in (1, 0))
        wanted = attribute_clustering.discover(tables, schemas, values=values, max_arity=2, min_coverage=0.6).inclusions
        assert sorted(result.constraints, key=text_of) == sorted(wanted, key=text_of)
        assert result.sizes == {n: (table.num_rows, 3) for n, table in tables.items()}
        found += len(wanted)
    assert found > 2 * count
