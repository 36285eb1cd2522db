"""CSV files read as their dialect says: names, lines around the table, rows that are too long or too short."""

from pathlib import Path
from typing import Any

import pytest

from profiling_core.ingest import csv_rows
from profiling_core.ingest.csv_lines import lines_in
from profiling_core.ingest.files import read_table
from profiling_core.model.account import Account
from profiling_core.model.dialect import MIXED, CsvDialect
from profiling_core.model.errors import InputError


def rows_of(path: Path, **dialect: Any) -> list[tuple[str | None, ...]]:
    """All rows by the row-wise reader; those that cannot be read are told by their reason alone."""
    found = []
    for chunk in csv_rows.read(path, CsvDialect(**dialect), ("",)):
        for row, reason in enumerate(chunk.unreadable.to_pylist()):
            found.append((reason,) if reason else tuple(cells[row].as_py() for cells in chunk.cells.values()))
    return found


def account_of(path: Path, **dialect: Any) -> Account:
    """What became of a file's lines."""
    chunks = csv_rows.read(path, CsvDialect(**dialect), ("",))
    return sum((chunk.account or Account(len(chunk)) for chunk in chunks), Account())


PAGES = {"repeated_header": True}


@pytest.fixture
def csv(tmp_path):
    def write(content: str | bytes) -> Path:
        path = tmp_path / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("header", "dialect", "names"),
    [
        ("a,a,b,a", {}, ("a", "a_2", "b", "a_3")),
        ("a,a,a_2", {}, ("a", "a_3", "a_2")),
        (",b,,d", {}, ("index", "b", "col_2", "d")),
        ("a,b,,", {}, ("a", "b")),
        ("a,b,,", {"width": 4}, ("a", "b", "col_2", "col_3")),
        ("a,b", {"width": 3}, ("index", "a", "b")),
        ("a,b", {"width": 3, "row_names": False}, ("a", "b", "col_2")),
        ("left,,right,\nX,Y,X,Y", {"header": 2}, ("left X", "left Y", "right X", "right Y")),
        ("water,,\ntotal,each,cost", {"header": 2}, ("water total", "each", "cost")),
        ("made by hand\n\na;b", {"skip_rows": 2, "delimiter": ";"}, ("a", "b")),
        ("# one\n# two\na,b", {"comment": "#"}, ("a", "b")),
    ],
)
def test_header_gives_every_column_a_name_of_its_own(csv, header, dialect, names):
    assert csv_rows.header(csv(header + "\n"), CsvDialect(**dialect)) == names


@pytest.mark.parametrize(
    ("content", "dialect", "rows"),
    [
        ("1,x\n2,y\n", {"header": 0, "names": ("n", "t")}, [("1", "x"), ("2", "y")]),
        ("a,b\n1,'x,y'\n", {"quote": "'"}, [("1", "x,y")]),
        ('a,b\n1,"x\\"y"\n', {"escape": "\\"}, [("1", 'x"y')]),
        ('a,b\n"1","a "b" c"\n"2","4" x 2"\n', {"inner_quotes": "single"}, [("1", 'a "b" c'), ("2", '4" x 2')]),
        ('a,b\n"1,""x """"y"""""""\n2,z\n', {"inner_quotes": "rows"}, [("1", 'x "y"'), ("2", "z")]),
        ("a,b\n1,\\N\n2,x\\,y\n3,\\\\n\n", {"escape": "\\"}, [("1", "\\N"), ("2", "x,y"), ("3", "\\n")]),
        ("a,b\n-,-\n1,x\n\na,b\n-,-\n2,y\n", {"header": 2, "repeated_header": True}, [("1", "x"), ("2", "y")]),
        ("a,b\nkg,mm\n1,2\na,b\nkg,mm\n3,4\n", {"skip_below": 1, "repeated_header": True}, [("1", "2"), ("3", "4")]),
        (
            "a,b,c\n1,2,3\n,,\nGroup B,,\na,b,c\n4,,\n5,6,7\n",
            PAGES,
            [("1", "2", "3"), ("4", None, None), ("5", "6", "7")],
        ),
        (
            "a,b,c\n1,2,3\nPage 2\na,b,c\n4,5,6\n7,,8\n\nEnd,,\n",
            PAGES | {"skip_footer": 1},
            [("1", "2", "3"), ("4", "5", "6"), ("7", None, "8")],
        ),
        ("a,b\n1,2\n3,\na,b\n", PAGES, [("1", "2"), ("3", None)]),
        (
            "a,b,c\n1,2,3\nPage 2\n4,5,6\na,b,c\n",
            PAGES,
            [("1", "2", "3"), ("1 values, where the header names 3 columns",), ("4", "5", "6")],
        ),
        ("|a|b|\n|1|x|\n |2||\n", {"delimiter": "|", "framed": True}, [("1", "x"), ("2", None)]),
        ('|a|b|\n|1|"x\n|y"|\n', {"delimiter": "|", "framed": True}, [("1", "x\n|y")]),
        ("|a|b|\n|--|--|\n|1|x|\n", {"delimiter": "|", "framed": True, "header": 2}, [("1", "x")]),
        (
            'nr  name\n 1  a, b\n\n2"  c\nnr  name\n\tlater\nno rows\n 3  d\n',
            {"places": [0, 4], "repeated_header": True},
            [("1", "a, b"), ('2"', "c"), (None, "later"), ("1 values, where the header names 2 columns",), ("3", "d")],
        ),
        ("a,b\n1, x\n", {"trim": True}, [("1", "x")]),
        ("a,b\n1,x\n#no\n2,y\n", {"comment": "#"}, [("1", "x"), ("2", "y")]),
        ("a,b\n1,x,\n2,y,,\n", {}, [("1", "x"), ("2", "y")]),
        ("a,b,c\n1,x\n", {"short_rows": "fill"}, [("1", "x", None)]),
        ("a,b\n1,x, y, z\n", {"long_rows": "join"}, [("1", "x, y, z")]),
        ("a,b,c\n1,x\n", {}, [("2 values, where the header names 3 columns",)]),
        ("a,b,c\n1,x,2\nSource: us\n", {"skip_footer": 1}, [("1", "x", "2")]),
        ("a,b,c\n1,x,2\n,,\nTotal,,2\n", {"skip_footer": 2}, [("1", "x", "2")]),
        ('a,b,c\n1,x,2\nAll\n"/" = none\n', {"skip_footer": 2}, [("1", "x", "2")]),
        (
            "a,b,c\n1,x,2\n,,\n3,y,4\n,,\n* seen,,\nBy: K,,\n",
            {"skip_footer": 2},
            [("1", "x", "2"), (None, None, None), ("3", "y", "4")],
        ),
        (
            "a,b,c\n1,x,2\n\n3,y,4\n* seen,,\nBy: K,,\n",
            {"skip_footer": 2},
            [("1", "x", "2"), ("3", "y", "4")],
        ),
        (
            "a,b,c\n1,x,2\n\n3,y,4\n\nTotal,,4\nBy: K,,\n",
            {"skip_footer": 2},
            [("1", "x", "2"), ("3", "y", "4")],
        ),
        (
            "a,b,c\n1,x,2\n\n3,y,4\n5,y,6\n7,y,8\n",
            {"skip_footer": 2},
            [("1", "x", "2"), ("3", "y", "4"), ("5", "y", "6"), ("7", "y", "8")],
        ),
        (
            "a,b,c\n1,x,2\nSource: us\n2,y,3\n",
            {"skip_footer": 1},
            [("1", "x", "2"), ("1 values, where the header names 3 columns",), ("2", "y", "3")],
        ),
        ("a,b\n1,ü\n".encode("utf-16"), {"encoding": "utf-16"}, [("1", "ü")]),
        ("a,b\n1,d\u0092A\n", {"encoding": MIXED}, [("1", "d’A")]),
        ("a,b\r1,x\r", {}, [("1", "x")]),
    ],
)
def test_rows_are_read_as_the_dialect_says(csv, content, dialect, rows):
    path = csv(content)
    assert rows_of(path, **dialect) == rows
    assert account_of(path, **dialect).total == lines_in(path, CsvDialect(**dialect))


def test_arrow_and_the_row_wise_reader_agree_on_headers_and_lines_in_front(csv):
    path = csv("\ufefftitle\n\nä,a,a\n1,2,3\n4,5,6\n")
    dialect = CsvDialect(skip_rows=2)
    _, table = read_table(path, dialect=dialect, values="text")
    assert table.column_names == ["ä", "a", "a_2"]
    assert (
        [tuple(row.values()) for row in table.to_pylist()]
        == rows_of(path, skip_rows=2)
        == [("1", "2", "3"), ("4", "5", "6")]
    )


def swallowing(last: str) -> str:
    """2,000 rows; a quote opens in line 52, and the next one stands in line 1902."""
    lines = [f"{4000 + i},part {i},{i}" for i in range(2000)]
    lines[50], lines[1900] = '4050,"part 0,4', last
    return "\n".join(["sku,name,pieces", *lines]) + "\n"


@pytest.mark.parametrize("last", ['5900,"part 0,6', '5900,part",6'])
def test_quote_that_swallows_rows_counts_the_lines_that_are_gone(csv, last):
    path = csv(swallowing(last))
    account = account_of(path)
    assert (account.total, account.rows, account.lost) == (2001, 2000, 1850)
    (reason,) = (row for row in rows_of(path) if len(row) == 1)
    assert "a quote opened in line 52 swallows 1,851 lines, up to line 1902" in reason[0]
    with pytest.raises(InputError, match="a quote opened in line 52"):
        read_table(path)


@pytest.mark.parametrize(
    ("broken", "lost"),
    [('7,"part 0,4\n8,"part 1",5\n', 1), ('7,"part 0,4\n8,"part 1,5\n', 1), ('7,"part" 0,4\n8,"part 1",5\n', 0)],
)
def test_quote_that_closes_amid_a_cell_is_a_reject_for_discovery_too(csv, broken, lost):
    plain = "".join(f'{i},"part {i}",{i}\n' for i in range(100))
    path, said = csv(f"sku,name,pieces\n{plain}{broken}{plain}"), []
    account, found = account_of(path), [row for row in rows_of(path) if len(row) == 3]
    assert (len(found), account.lost) == (201 - lost, lost)
    assert read_table(path, values="text", told=said.append)[1].num_rows == len(found)
    assert "1 row cannot be read and is left out" in " ".join(said)


def test_value_of_several_lines_is_no_mistaken_quote(csv):
    text = "Dear all,\nthe roof, it leaks.\nPlease, come.\nYours"
    path = csv("id,text\n" + "".join(f'{i},"{text}"\n' for i in range(5)))
    assert rows_of(path) == [(str(i), text) for i in range(5)]
    assert read_table(path)[1].num_rows == 5


def test_header_without_a_name_for_the_names_of_rows_names_the_other_columns(csv):
    path = csv('"mpg","cyl"\n"Mazda",21,6\n"Datsun",22.8,4\n')
    assert rows_of(path, width=3) == [("Mazda", "21", "6"), ("Datsun", "22.8", "4")]
    assert csv_rows.header(path, CsvDialect(width=3)) == ("index", "mpg", "cyl")
