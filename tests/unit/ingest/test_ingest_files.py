"""Files as typed tables: formats, inference, and errors that say file, line, what, and what to do."""

import datetime as dt
import errno
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.ingest.files import read_table
from profiling_core.ingest.infer import infer_schema
from profiling_core.ingest.rows import unreadable_file
from profiling_core.ingest.sniffing.sniffer import sniffed
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.errors import InputError
from profiling_core.model.number_marks import Marks
from profiling_core.model.types import LogicalType


@pytest.fixture
def csv(tmp_path):
    def write(content, name="flights.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def types_of(schema):
    return {column.name: column.type.value for column in schema.columns}


def test_types_are_inferred_from_all_values(csv):
    path = csv(
        "b,i,big,f,d,z,s,code,empty,huge\n"
        f"TRUE,-1,{2**63},1,2013-03-01,2013-03-01T10:00:00Z,x,01,,{10**40}\n"
        "false,+2,1,2.5e0,2013-02-28,2013-03-01 12:00:00.5,,02,,1\n"
        ",0,,,,2013-03-01T12:00:00+02:00,\u00e4,10,,\n"
    )
    schema, table = read_table(path)
    assert schema.table == "flights"
    assert types_of(schema) == {
        "b": "boolean", "i": "integer", "big": "decimal", "f": "float", "d": "date", "z": "timestamp",
        "s": "string", "code": "string", "empty": "string", "huge": "string",
    }  # fmt: skip
    rows = table.to_pylist()
    assert [row["b"] for row in rows] == [True, False, None]
    assert [row["i"] for row in rows] == [-1, 2, 0]
    assert [row["big"] for row in rows] == [Decimal(2**63), Decimal(1), None]
    assert [row["f"] for row in rows] == [1.0, 2.5, None]
    assert rows[1]["d"] == dt.date(2013, 2, 28)
    assert [row["z"].isoformat() for row in rows] == [
        "2013-03-01T10:00:00+00:00", "2013-03-01T12:00:00.500000+00:00", "2013-03-01T10:00:00+00:00",
    ]  # fmt: skip
    assert [row["s"] for row in rows] == ["x", None, "\u00e4"]
    assert [row["huge"] for row in rows][1:] == ["1", None]
    assert [c.name for c in schema.columns if c.ordered] == ["i", "big", "f", "d", "z"]


@pytest.mark.parametrize("text", ["2013-02-30", "NaN", "1_000", "0x10", "1 x", "12:60", "2013-13-1", "T", "--1"])
def test_what_is_no_value_of_another_type_makes_a_string(csv, text):
    schema, table = read_table(csv(f"a,b\n{text},1\n"))
    assert types_of(schema) == {"a": "string", "b": "integer"}
    assert table["a"].to_pylist() == [text]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (["1"], ["2.5"], LogicalType.FLOAT),
        (["1"], ["x"], LogicalType.STRING),
        (["1"], [None], LogicalType.INTEGER),
        ([None], [None], LogicalType.STRING),
        (["1"], [str(2**63)], LogicalType.DECIMAL),
        (["2013-01-01"], ["2013-01-01T00:00:01"], LogicalType.TIMESTAMP),
        (["1"], ["02"], LogicalType.STRING),
        (["true"], ["1"], LogicalType.STRING),
    ],
)
def test_chunks_decide_together_in_any_order(first, second, expected):
    for chunks in ([first, second], [second, first], [first + second]):
        texts = pa.table({"a": pa.chunked_array([pa.array(chunk, pa.string()) for chunk in chunks])})
        assert infer_schema("r", texts).columns[0].type is expected


def test_byte_order_mark_quotes_newlines_and_other_delimiters(csv):
    path = csv('\ufeff"a;b";c\n"x\ny";"say ""hi"""\n\n";";2\n')
    schema, table = read_table(path, dialect=CsvDialect(";"))
    assert schema.names == ("a;b", "c")
    assert table.to_pylist() == [{"a;b": "x\ny", "c": 'say "hi"'}, {"a;b": ";", "c": "2"}]


def test_numbers_with_a_decimal_comma_are_exact(csv):
    path = csv("whole;part;thousands;text;day\n1;1,5;1.000,5;1,5;31.05.2024\n-2;,25;2;x;01.06.2024\n")
    schema, table = read_table(path, dialect=CsvDialect(";"), marks=Marks(","))
    expected = {"whole": "integer", "part": "float", "thousands": "string", "text": "string", "day": "date"}
    assert types_of(schema) == expected
    assert table["part"].to_pylist() == [1.5, 0.25]
    assert table["thousands"].to_pylist() == ["1.000,5", "2"]
    assert table["text"].to_pylist() == ["1,5", "x"]
    assert types_of(read_table(path, dialect=CsvDialect(";"))[0])["part"] == "string"


def test_marks_between_thousands_are_read_where_asked(csv):
    path = csv("whole;part;code;text;ip\n1.234;1.234,5;0.123;1.23;1.2.3\n-12.345.678;2;7;x;10.0.0.1\n5;,25;;;\n")
    schema, table = read_table(path, dialect=CsvDialect(";"), marks=Marks(",", "."))
    assert types_of(schema) == {"whole": "integer", "part": "float", "code": "string", "text": "string", "ip": "string"}
    assert table["whole"].to_pylist() == [1234, -12345678, 5]
    assert table["part"].to_pylist() == [1234.5, 2.0, 0.25]


def test_null_values_are_as_asked(csv):
    path = csv('a,b\nNA,""\n1,x\n')
    schema, table = read_table(path, null_values=("NA", "x"))
    assert types_of(schema) == {"a": "integer", "b": "string"}
    assert table.to_pylist() == [{"a": None, "b": ""}, {"a": 1, "b": None}]
    assert read_table(path)[1].to_pylist() == [{"a": "NA", "b": None}, {"a": "1", "b": "x"}]


def test_text_values_stay_as_they_are_written(csv):
    schema, table = read_table(csv("a,b\n017.00,true\n,1e3\n"), values="text")
    assert types_of(schema) == {"a": "string", "b": "string"}
    assert table.to_pylist() == [{"a": "017.00", "b": "true"}, {"a": None, "b": "1e3"}]


def test_a_header_alone_is_an_empty_table(csv):
    schema, table = read_table(csv("a,b\n"))
    assert types_of(schema) == {"a": "string", "b": "string"}
    assert table.num_rows == 0


def test_typed_headers_say_the_types(csv):
    path = csv("n(x)(Integer),s(String),d(Double)\n1,2,3\n")
    schema, table = read_table(path, typed_header=True)
    assert types_of(schema) == {"n(x)": "integer", "s": "string", "d": "float"}
    assert table.to_pylist() == [{"n(x)": 1, "s": "2", "d": 3.0}]
    assert types_of(read_table(path, typed_header=True, values="text")[0]) == {
        "n(x)": "string", "s": "string", "d": "string",
    }  # fmt: skip


def test_a_value_that_the_header_does_not_allow_is_told_with_its_line(csv):
    with pytest.raises(InputError) as error:
        read_table(csv('a(Integer),b(String)\n1,"x\ny"\n\n2.5,z\n'), typed_header=True)
    assert "'a' is integer, not '2.5'" in error.value.what
    assert error.value.where.endswith("flights.csv, line 5")


@pytest.mark.parametrize(
    ("content", "what", "line"),
    [
        ("a,b\n1,2\n3\n", "1 values, where the header names 2 columns", ", line 3"),
        ('a,b\n1,"2\n2"\n3,4,5\n', "3 values", ", line 4"),
        ('a,b\n1,"2\n', "never closed", ", line 2"),
        (b"a,b\n1,\xff\n", "not UTF-8", ", line 2"),
        ("a,b\n\xe9,1\n".encode("latin-1"), "not UTF-8", ", line 2"),
        ("", "no header", ""),
        ("\n\n", "empty line", ""),
        ("a,\n1,2\n", "2 values, where the header names 1 columns", ", line 2"),
    ],
)
def test_malformed_files_end_in_a_clear_message(csv, content, what, line):
    path = csv(content)
    with pytest.raises(InputError) as error:
        read_table(path)
    assert what in error.value.what
    assert error.value.where == f"{path}{line}"
    assert error.value.remedy


@pytest.mark.parametrize("header", ["a,b(Integer)", "a(Text)", "(Integer)"])
def test_headers_without_types_are_refused_where_types_are_due(csv, header):
    with pytest.raises(InputError, match="does not say its type"):
        read_table(csv(f"{header}\n"), typed_header=True)


def test_missing_files_and_folders_are_told(tmp_path):
    for path, said in ((tmp_path / "none.csv", "cannot be read"), (tmp_path, "this is a directory, not a file")):
        with pytest.raises(InputError, match=said) as error:
            read_table(path)
        assert error.value.where == str(path)


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "check the path"),
        (PermissionError(errno.EACCES, "Permission denied"), "let the user who runs this read it"),
        (ValueError("Parquet magic bytes not found in footer"), "mend the file and land it again"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_what_would_help(error, remedy):
    assert unreadable_file("none.csv", error).remedy == remedy


def test_parquet_keeps_its_types(tmp_path):
    path = tmp_path / "r.parquet"
    written = pa.table(
        {
            "i": pa.array([1, None], pa.int16()),
            "u": pa.array([2**64 - 1, 0], pa.uint64()),
            "f": pa.array([float("nan"), -0.0], pa.float32()),
            "d": pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)),
            "y": pa.array([dt.date(2013, 3, 1), None]),
            "z": pa.array([dt.datetime(2013, 3, 1, 12, tzinfo=dt.UTC), None], pa.timestamp("ms")),
            "s": pa.array(["x", None]).dictionary_encode(),
            "b": pa.array([b"\xff", None]),
            "t": pa.array([True, None]),
        }
    )
    pq.write_table(written, path)
    schema, table = read_table(path)
    assert types_of(schema) == {
        "i": "integer", "u": "decimal", "f": "float", "d": "decimal", "y": "date", "z": "timestamp",
        "s": "string", "b": "binary", "t": "boolean",
    }  # fmt: skip
    assert (schema.column("d").precision, schema.column("d").scale) == (9, 2)
    first, second = table.to_pylist()
    assert (first["u"], first["f"], str(second["f"])) == (Decimal(2**64 - 1), None, "0.0")
    assert first["z"] == dt.datetime(2013, 3, 1, 12, tzinfo=dt.UTC)
    assert table.schema.field("z").type == pa.timestamp("us", tz="UTC")


def test_timestamps_finer_than_a_microsecond_are_texts(tmp_path):
    path = tmp_path / "r.parquet"
    pq.write_table(pa.table({"z": pa.array([1], pa.timestamp("ns"))}), path)
    _, table = read_table(path)
    assert table.to_pydict() == {"z": ["1970-01-01 00:00:00.000000001"]}


def test_a_damaged_parquet_file_is_told(tmp_path):
    path = tmp_path / "r.parquet"
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match="cannot be read"):
        read_table(path)


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(range(256)),
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(range(256)),
        b"\x1f\x8b\x08\x00" + bytes(range(256)),
    ],
)
def test_a_workbook_or_archive_is_refused_with_what_to_do(tmp_path, content):
    path = tmp_path / "book.xlsx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"it is (a zip archive|a workbook|compressed)") as error:
        sniffed(path)
    assert ("CSV" in error.value.remedy) is (content[:2] != b"\x1f\x8b")
    path.write_bytes(b"BZh1,name\n1,a\n")
    assert sniffed(path).dialect == CsvDialect()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "a PDF document"),
        ("<!DOCTYPE html>\n<html><head><title>Login</title></head>\n<p>Please, log in</p></html>\n", "a web page"),
        ('\ufeff<?xml version="1.0"?>\n<rows><r a="1"/></rows>\n', "XML"),
        ('[{"id":1,"v":2},{"id":2,"v":3}]\n', "JSON"),
        ('{"id":1,"v":2}\n{"id":2,"v":3}\n', "JSON"),
        ('[\n  {\n    "id": 1,\n', "JSON"),
    ],
)
def test_text_of_another_format_is_refused_with_what_to_do(tmp_path, content, what):
    path = tmp_path / "t.csv"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=f"the file is not CSV: it is {what}") as error:
        sniffed(path)
    assert error.value.remedy


def test_cells_that_are_json_are_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("".join(f'{{"a": {i}}}|{i}\n' for i in range(40)), "utf-8")
    assert sniffed(path).dialect.delimiter == "|"


def test_numbers_with_a_decimal_comma_are_numbers_and_said(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("id;price\n1;1,50\n2;2.003,75\n3;NA\n", "utf-8")
    said: list[str] = []
    schema, rows = read_table(path, dialect=CsvDialect(";"), null_values=None, told=said.append)
    assert str(schema.column("price").type) == "float"
    assert rows["price"].to_pylist() == [1.5, 2003.75, None]
    assert "numbers are read with ',' before fractions and '.' between thousands" in said
    plain, _ = read_table(path, dialect=CsvDialect(";"), null_values=("", "NA"))
    assert str(plain.column("price").type) == "string"
