"""How a file is written, found by a look at it: whatever it was made by, it is read as a person reads it or refused."""

import random
from pathlib import Path

import pytest
from benchmarks.reading_cases import Case, cases

from profiling_core.ingest import csv_rows
from profiling_core.ingest.files import read_table
from profiling_core.ingest.rows import RowChunk
from profiling_core.ingest.sniffing.described import told_of
from profiling_core.ingest.sniffing.sniffer import sniffed
from profiling_core.model.errors import InputError

KEPT_EMPTY = "empty rows at the end"
"""Rows of empty cells are rows: a reader that drops them would drop them between other rows, too."""
REFUSED = {"a quote that is never closed", "two rows with a quote too many", "texts: delimiter comma and blank"}


def read(path: Path) -> tuple[tuple[str, ...], list[tuple[str, ...]], int]:
    """The names, the good rows, and how many rows were rejected."""
    names, rows, bad = (), [], 0
    for chunk in csv_rows.read(path, sniffed(path).dialect, ("",)):
        names = tuple(chunk.cells)
        rows += _good(chunk)
        bad += chunk.unreadable.is_valid().to_pylist().count(True)
    return names, rows, bad


def _good(chunk: RowChunk) -> list[tuple[str, ...]]:
    columns = [cells.to_pylist() for cells in chunk.cells.values()]
    return [
        tuple((cell or "").replace("\r\n", "\n") for cell in row)
        for row, wrong in zip(zip(*columns, strict=True), chunk.unreadable.to_pylist(), strict=True)
        if wrong is None
    ]


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.name) for case in cases("one pollution") if KEPT_EMPTY not in case.name]
)
def test_polluted_file_is_read_as_the_clean_table_or_refused(tmp_path, case: Case):
    path = tmp_path / "t.csv"
    path.write_bytes(case.content)
    may_refuse = case.name in REFUSED or case.name.split(": ")[1] in REFUSED
    try:
        names, rows, bad = read(path)
    except InputError:
        assert may_refuse
        return
    if may_refuse:
        assert bad
        return
    assert rows == [tuple(cell.replace("\r\n", "\n") for cell in row) for row in case.rows]
    assert (bad > 0) == (case.broken > 0)
    if case.header:
        assert [given.strip() or name for name, given in zip(names, case.header, strict=True)] == [
            n.strip() for n in names
        ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n3,4\n", []),
        ("nr;gruppe;preis, netto\n1;A;2,50\n2;B;3,50\n", ["read as: ';' between cells."]),
        ("1,2\n3,4\n", ["read as: no header."]),
        ("0,1,2\n7,8,5\n3,3,4\n", ["in doubt: the first line counts up and is read as the header."]),
        ("Report\n\na,b\n1,2\n3,4\n", ["read as: 2 lines in front."]),
        ("a,a\n1,2\n", ["1 name is repeated and was renamed: 'a' 'a_2'."]),
        (",b\n1,2\n", ["the first column has no name; it is called 'index' here."]),
        (
            "+----+-----+\n| nr | day |\n+----+-----+\n| 1  | 1.5 |\n| 2  | 2.5 |\n| 3  | 3.5 |\n+----+-----+\n",
            [
                "read as: '|' between cells, lines that begin with +-- are no rows, lines begin with one more '|'.",
                "1 columns at the end without name or value are left out.",
            ],
        ),
        (
            "a,b\nx,y\nz,w\n",
            ["in doubt: all cells are texts: the cells of the first line are taken for names."],
        ),
        (
            '"mpg","cyl"\n"Mazda",21,6\n"Datsun",22.8,4\n',
            [
                "read as: 3 columns, not all of them named.",
                "the first column has no name; it is called 'index' here.",
                (
                    "in doubt: the header has one name fewer than rows have cells; "
                    "the first name is assumed to be missing."
                ),
            ],
        ),
    ],
)
def test_what_was_taken_for_granted_is_said(tmp_path, text, said):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    assert told_of(path) == said


@pytest.mark.parametrize(
    ("text", "names", "first"),
    [
        ("time,temp\ns,degC\n0,1.5\n1,1.6\n2,1.7\n", ("time", "temp"), ("0", "1.5")),
        (
            "Year,2011,,2012,\nArea,M,F,M,F\nA,1,2,3,4\nB,5,6,7,8\n",
            ("Year Area", "2011 M", "2011 F", "2012 M", "2012 F"),
            ("A", "1", "2", "3", "4"),
        ),
        (
            "Station,Bonn\nHeight,60\n\ndate,temp\n2024-01-01,5.1\n2024-01-02,5.2\n2024-01-03,5.2\n",
            ("date", "temp"),
            ("2024-01-01", "5.1"),
        ),
        ("area,2011,2012\nA,1,2\nB,3,4\n", ("area", "2011", "2012"), ("A", "1", "2")),
        ("name   x  y\nabc    1.5  2\nde     2.5  3\n", ("name", "x", "y"), ("abc", "1.5", "2")),
        ("name\nAnna Smith\nBob Jones\n", ("name",), ("Anna Smith",)),
        ("id,a,b,c\n1,x\n2,,y\n3,x,y,z\n4\n5,,,z\n", ("id", "a", "b", "c"), ("1", "x", "", "")),
    ],
)
def test_header_and_rows_are_told_apart(tmp_path, text, names, first):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    found, rows, _ = read(path)
    assert (found, rows[0]) == (names, first)


_BODY = "".join(f"item{i};{i};{i * 3}\n" for i in range(1, 21))


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        (f"name;n;m\n{_BODY}\nitem21;5;9\n", ("name", "n", "m"), 21),
        (f"name;n;m\n{_BODY}\n{_BODY}", ("name", "n", "m"), 40),
        (f"#name;n;m\n{_BODY}", ("#name", "n", "m"), 20),
        (f"# made by us\n#name;n;m\n{_BODY}", ("#name", "n", "m"), 20),
        (f"# made;by;us\nname;n;m\n{_BODY}", ("name", "n", "m"), 20),
        (f"name;n;m\n{_BODY}# the;end;x\n", ("name", "n", "m"), 20),
        (f"# name;n;m\n{_BODY}# end\n# name;n;m\n{_BODY}", ("# name", "n", "m"), 40),
        (f"\nname;n;m\n----;--;--\n{_BODY}\nname;n;m\n----;--;--\n{_BODY}\n40 rows\n", ("name", "n", "m"), 40),
        (f"name;n;m\n{_BODY}\nname;n;m\n{_BODY}Page two of 2;;\n", ("name", "n", "m"), 40),
        (f"Group A;;\nname;n;m\n{_BODY};;\nGroup B;;\nname;n;m\n{_BODY}", ("name", "n", "m"), 40),
        (f"name;n;m\n{_BODY}Page 2\n\nname;n;m\n{_BODY}Page 3\n\nname;n;m\n{_BODY}", ("name", "n", "m"), 60),
    ],
)
def test_comments_as_wide_as_rows_and_headers_that_come_again_are_no_rows(tmp_path, text, names, rows):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    found = read(path)
    assert (found[0], len(found[1])) == (names, rows)


def test_rows_behind_an_empty_line_of_a_later_day_are_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"name;n;m\n{_BODY}\nTotal;210;630\n", "utf-8")
    dialect = sniffed(path).dialect
    path.write_text(f"name;n;m\n{_BODY}\n{_BODY}", "utf-8")
    assert sum(len(chunk) for chunk in csv_rows.read(path, dialect, ("",))) == 40


def test_row_of_numbers_at_the_end_is_no_footer(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3\n", "utf-8")
    assert read(path) == (("a", "b"), [("1", "2")], 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"name;n;m\n{_BODY}Sum;210;630\n", "a row at the end has sums of the others, and is read as a row"),
        (f"name;n;m\n{_BODY}Sum;210;7\n", "a row at the end has sums of the others, and is read as a row"),
        (f"name;n;m\n{_BODY}item21;21;63\n", ""),
        ("name;n\n" + "a;0\n" * 9, ""),
        (
            f"name;n;m\nof it;pieces;kg\n{_BODY}",
            "what is below the names is left out, and may be a row: of it;pieces;kg",
        ),
        (f"name;left;\n;n;m\n{_BODY}", "the first 2 lines are read as the header"),
    ],
)
def test_doubt_of_totals_and_of_lines_below_the_names_is_said(tmp_path, text, said):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    found = [
        doubt
        for doubt in sniffed(path).doubts
        if any(of in doubt for of in ("sums of", "as the header, with", "below"))
    ]
    assert [doubt[: len(said)] for doubt in found] == ([said] if said else [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "id,name,n,tag\n1,a,20,x\n2,b,30,x,y\n" + "3,c,40,x,y,z,u\n" * 9 + "4,d,5,x,y\n" * 9,
            "no line is read as names; line 2",
        ),
        ("n,when,note\n\n" + "1,2024-01-01,,\n2,2024-01-02,,\n" * 9, "no line is read as names; line 1"),
        ("|Sheep||Goats|\nTown|12|40|7|3\n" + "a|1|7|9|3\nb|8|5|2|6\n" * 9, "3 columns have no name"),
        ("a,b,c\n1,2,x\n4,5,x\n", ""),
        ("export 7\n\na,b,c\n1,2,x\n4,5,x\n", ""),
        (",b,c\n1,2,3.5\n4,5,6.5\n", ""),
    ],
)
def test_names_that_are_not_found_are_said(tmp_path, text, said):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    found = [doubt for doubt in sniffed(path).doubts if "read as names" in doubt or "have no name" in doubt]
    assert [doubt[: len(said)] for doubt in found] == ([said] if said else [])


def test_second_table_behind_the_first_one_is_not_filled_up(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("page,n,m\na,1,2.5\nb,2,3.5\n\nday,n\n" + "".join(f"1/{i}/24,{i}\n" for i in range(1, 9)), "utf-8")
    assert sniffed(path).dialect.short_rows == "reject"


def test_several_titles_above_the_names_are_lines_in_front(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"Stock;;\nby item;;\nname;n;m\n{_BODY}", "utf-8")
    assert sniffed(path).dialect.skip_rows == 2
    assert read(path)[0] == ("name", "n", "m")


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        (
            "TITLE,p\nORIGIN,us\nDATE,17/09/05\nFIRST,1.5\nLAST,9\nDATA\n" + "1.5,2\n2.5,3\n" * 20,
            ("col_0", "col_1"),
            40,
        ),
        ("Version\t2\nDate\t1\t2\nX0\t0\t0\nEnd\nn\tm\tk\tnote\n" + "1\t2\t3\n" * 20, ("n", "m", "k", "note"), 20),
        (
            "t,a,b,c\nid,r,k,l,m,o\nT,N,V,C,D,X\n,,Min,Avg,Avg,Max\n" + "1,2,3,4,5,6\n" * 9,
            ("id", "r", "k"),
            9,
        ),
        (",,of the week\nplace,n,m\n" + "Ulm,1,2\nBonn,2,4\n" * 9, ("place", "n", "m"), 18),
        (
            "day;rate;flags\nwhat;USD;\nunit;one;\nof;ECB;\nat;12:05;\n" + "2024-01-02;.;none\n2024-01-03;1.5;\n" * 9,
            ("day", "rate", "flags"),
            18,
        ),
        ('Plot: B\n"#",when,t\n' + "1,2016-07-01,15.5\n2,2016-07-02,16.5\n" * 9, ("#", "when", "t"), 18),
        ("s,n,m,note\n" + "a,1,n.d.\nb,2,3\nc,4,5\n" * 9 + "d,6,7,late\ne,8,9\n", ("s", "n", "m", "note"), 29),
        (",1,2,3,4\nA,0.5,1.5,0.5,2.5\nB,1.5,2.5,3.5,0.5\n", ("index", "1", "2", "3", "4"), 2),
        ("what,place,since\n" + "a,b,\n" * 5 + "a,c,2024\nd,e,2023\n" * 5, ("what", "place", "since"), 15),
        (
            "id,used,,,why\n,bus,tram,car,text\n" + "1,bus,,,far\n2,,,,\n3,,tram,,\n" * 9,
            ("id", "used bus", "tram", "car"),
            27,
        ),
        ("stop,,12,14,16,18\n" + "a,at,4.38,5.08,5.38,6.08\nb,at,4.4,5.1,5.4,6.1\n" * 9, ("stop", "col_1", "12"), 18),
        ("a\x01b,c\x015\n" + "d\x01e\x01\\N\nf\x01g\x0130\n" * 9, ("col_0", "col_1", "col_2"), 19),
        ("a:b,c:d:0\n" + "d:e,,,:f:2\nf:g::30\n" * 9, ("col_0", "col_1", "col_2", "col_3"), 19),
        ("n,t,serial\n1,5.5,0081\n" + "2,5.6\n3,5.7\n" * 9, ("n", "t", "serial"), 19),
        (
            "ms,at,n\n\n" + "".join(f"{i},2010/7/4 9:{i}:0,4{i}.5\n\n" for i in range(60)),
            ("ms", "at", "n"),
            60,
        ),
        ("id;place;lead;n\n;;ug/l;m\n" + "k1;Ulm;<0,03;7\nk2;Bonn;1,5;9\n" * 9, ("id", "place", "lead", "n"), 18),
        (
            " No  Name            from day  to day    h\n"
            + "".join(f"{i:3}  {'PORT ' * (i % 4):<14}  sep 1953            {i}9\n" for i in range(1, 9))
            + "  9  ULM             nov 1962  mai 2008  12\n 10  BONN - EAST     jan 1986            14\n",
            ("No", "Name", "from day", "to day", "h"),
            10,
        ),
    ],
)
def test_table_begins_with_its_names_whatever_stands_above(tmp_path, text, names, rows):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    found = read(path)
    assert (found[0][: len(names)], len(found[1])) == (names, rows)


def test_first_rows_with_texts_in_columns_of_numbers_are_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code;n;m\n" + "".join(f"{i};secret;{i}\n" for i in range(9)) + _BODY, "utf-8")
    assert len(read(path)[1]) == 29


def test_table_of_fewer_columns_below_another_is_not_taken_for_short_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("page,views,time\n" + "/a,5,7\n/b,6,8\n" * 9 + "\nday,views\n" + "1/2/22,5\n" * 9, "utf-8")
    assert sniffed(path).dialect.short_rows == "reject"


def test_quotes_that_are_not_doubled_are_a_part_of_the_cell(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"Parts"\n"n";"part"\n' + '"1";"pipe 1/2" x 3"\n"2";"a; b"\n' * 9, "utf-8")
    assert read(path)[1][:2] == [("1", 'pipe 1/2" x 3'), ("2", "a; b")]
    assert any("not doubled" in doubt for doubt in sniffed(path).doubts)


def test_lines_that_were_quoted_as_a_whole_are_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n,part,price\n" + '1,bolt,2.5\n"2,""nut """"M6"""""",3.5"\n"3,""a, b"",4.5"\n' * 9, "utf-8")
    assert read(path)[1][:3] == [("1", "bolt", "2.5"), ("2", 'nut "M6"', "3.5"), ("3", "a, b", "4.5")]


def test_backslashes_in_pairs_are_escapes_and_other_signs_are_text(tmp_path):
    for sign, escape in (("\\", "\\"), ("^", "")):
        path = tmp_path / f"{ord(sign)}.csv"
        path.write_text(f'nr,place\n1,"c:{2 * sign}temp"\n2,"d:{2 * sign}home"\n')
        found = sniffed(path)
        assert found.dialect.escape == escape
        assert any("may be an escape" in doubt for doubt in found.doubts)


def test_lines_below_complete_names_are_no_part_of_them(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{i},{i}.5,{i % 7}\n" for i in range(30))
    for lines, names in (
        ("station,rain,snow\n5s,14n,10s\n", ("station", "rain", "snow")),
        ("station,rain,snow\ncode,mm,mm\n,sum,sum\n", ("station", "rain", "snow")),
        ("station,2020,\n,rain,snow\n", ("station", "2020 rain", "snow")),
        ("station,of day,of day\ncode,rain,snow\n", ("station code", "of day rain", "of day snow")),
        ("station,rain,snow\n[code],[mm],[mm]\n", ("station [code]", "rain [mm]", "snow [mm]")),
    ):
        path.write_text(lines + rows)
        assert read(path)[0] == names
        assert len(read(path)[1]) == 30
        assert sniffed(path).doubts


def test_escape_before_a_letter_is_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('1,"say \\"ho\\"",\\N\n2,"say",3\n' * 9, "utf-8")
    assert read(path)[1][:2] == [("1", 'say "ho"', "\\N"), ("2", "say", "3")]


def test_values_behind_the_last_name_are_doubted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("at,what\n" + "1,in\n2,out, again, and again\n" * 9, "utf-8")
    assert any("behind the last name" in doubt for doubt in sniffed(path).doubts)


def test_names_of_rows_do_not_come_again(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("level,n\n" + "info,1,started\nwarning,2,late\n" * 9, "utf-8")
    assert read(path)[0] == ("level", "n", "col_2")


def test_short_rows_with_a_single_cell_are_no_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("item,at,note\n" + ("cup,Bonn,old\ntea,Ulm,new\n" * 9 + "Page\n") * 3, "utf-8")
    assert sniffed(path).dialect.short_rows == "reject"


def test_empty_lines_between_rows_part_no_table(tmp_path):
    path = tmp_path / "t.csv"
    parts = [[f"{i},Kind of Blue,{1950 + i},VG" + ",torn" * (i % 3 > 0) for i in at] for at in (range(9), range(9, 40))]
    path.write_text("nr,title,year,state,notes\n" + "\n\n".join("\n".join(part) for part in parts) + "\n", "utf-8")
    names, good, bad = read(path)
    assert (names[:2], len(good), bad) == (("nr", "title"), 40, 0)


def test_header_that_comes_again_with_a_byte_order_mark_is_no_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,city\n1,Bonn\n2,Ulm\n\ufeffid,city\n3,Bonn\n4,Ulm\n" * 2, "utf-8")
    assert [row[0] for row in read(path)[1]] == ["1", "2", "3", "4"] * 2


def test_blocks_of_zeros_at_the_end_are_no_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,n\n" + b"".join(b"%d,%d\n" % (i, i) for i in range(30)) + b"\0" * 512)
    assert (len(read(path)[1]), read(path)[2]) == (30, 0)


def test_lines_of_blanks_are_empty_lines(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,name,n\n" + "1,a,2\n" * 9 + "   \n" + "2,b,3\n" * 9 + "\t\n \n", "utf-8")
    assert (len(read(path)[1]), read(path)[2]) == (18, 0)


def test_quotes_that_no_cell_closes_are_a_part_of_it(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n\tword\tms\n" + '1\t"the\t80\n2\tdog."\t90\n3\truns\t70\n' * 9, "utf-8")
    assert read(path)[1][:3] == [("1", '"the', "80"), ("2", 'dog."', "90"), ("3", "runs", "70")]


def test_title_of_more_words_than_any_name_is_a_line_in_front(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "Table 4. Lead variants by gene,,\nGene,Position (hg19),P\n" + "FTO,117,0.5\nLEP,22,0.1\n" * 9, "utf-8"
    )
    assert read(path)[0] == ("Gene", "Position (hg19)", "P")
    path.write_text("drained,,\nX,Y,Z\n" + "1.5,117,0.5\n2.5,22,0.1\n" * 9, "utf-8")
    assert read(path)[0] == ("drained X", "Y", "Z")
    path.write_text(
        "Employed persons by region,,\nRegion,2024,2025\n" + "Fejér,209.4,209.0\nTolna,94.8,93.3\n" * 9, "utf-8"
    )
    assert read(path)[0] == ("Region", "2024", "2025")


def test_two_numbers_that_may_be_years_are_values_below_complete_names(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{letter}X,2000,Town {letter},{ord(letter)}\n" for letter in "ABCDEFGH")
    path.write_text(f"iso2,year,capital,people\nNA,2000,Windhoek,1800\n{rows}")
    assert (len(read(path)[1]), sniffed(path).doubts) == (9, ())


def test_lines_at_the_end_are_no_rows_for_the_reader_either(tmp_path):
    path = tmp_path / "t.csv"
    notes = "Source: office\n* provisional\n(1) rounded\n"
    path.write_text(
        "id;n;m;k\n" + "".join(f"{i};{i * 3};{i * 5};x\n" for i in range(20)) + "\n20;1;2;y\n21;4;5;y\n" + notes
    )
    assert (sniffed(path).dialect.skip_footer, len(read(path)[1]), read(path)[2]) == (3, 22, 0)


def test_notes_in_a_table_of_two_columns_that_are_read_as_rows_are_doubted(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{i * 7 % 90},5;{i};\n" for i in range(40))
    path.write_text(f"n;id;\n{rows}Last updated 2021;\n(1) rounded;\n")
    assert len(read(path)[1]) == 40 or sniffed(path).doubts


def test_some_values_with_a_sign_in_front_are_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("tag,count\n" + "".join(f"{'' if i % 3 else '#'}t{i},{i * 7}\n" for i in range(30)))
    assert len(read(path)[1]) == 30


def test_shorter_rows_behind_all_others_are_not_filled(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"2024-01-{i:02},{i},{i * 2},{i * 3}\n" for i in range(1, 29))
    path.write_text("day,a,b,c\n" + rows + "".join(f"2024-02-{i:02},{i}\n" for i in range(1, 20)))
    assert sniffed(path).dialect.short_rows == "reject"


def test_marked_names_with_fewer_delimiters_at_their_end_than_rows_are_names(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "#For:;\nA. Person;\n\n#Day;#What;#Amount;\n" + "2026-10-31;fuel;-138,66;;\n2026-10-30;food;-53,78;;\n" * 9
    )
    names, rows, bad = read(path)
    assert (names, len(rows), bad) == (("#Day", "#What", "#Amount"), 18, 0)


def test_section_behind_the_table_is_no_part_of_it(tmp_path):
    path = tmp_path / "t.csv"
    rows = "2020-01-03,28.01,61.20,Bonn,full\n2020-01-12,39.26,40.71,Ulm,\n" * 20
    path.write_text(
        f"day,litres,price,city,note\n{rows}Types of costs\nid,name,rank,color\n1,Service,0,red\n2,Parking,0,blue\n",
        "utf-8",
    )
    assert (len(read(path)[1]), read(path)[2]) == (40, 0)


def test_sign_for_micro_is_of_no_language(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("rate,torque [µNm],viscosity [Pa·s]\n".encode("cp1252") + b"1,2.5,3.5\n" * 9)
    assert read(path)[0] == ("rate", "torque [µNm]", "viscosity [Pa·s]")


def test_quotes_that_enclose_no_cell_are_a_part_of_it(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n\ttitle\tyear\n" + '1\t"Hello" and goodbye\t1929\n2\tBye\t1930\n' * 9, "utf-8")
    assert read(path)[1][:2] == [("1", '"Hello" and goodbye', "1929"), ("2", "Bye", "1930")]


def test_years_that_count_up_over_numbers_are_names(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1990,1991,1992,1993\n" + "3.5,4.1,4.0,3.9\n2.5,2.1,2.0,3.0\n" * 5, "utf-8")
    assert read(path)[0] == ("1990", "1991", "1992", "1993")
    assert "counts up" in sniffed(path).doubts[0]


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", ["Müller", "Größe", "Straße", "Überweisung"]),
        ("cp1252", ["préfecture", "hôpital", "élève", "où"]),
        ("cp1252", ["25 °C", "m³", "£"]),
        ("cp1252", ["€ 464,75", "Parasol ø 3 m"]),
        ("cp1252", ["NO2 [µg/m³]", "O3 [µg/m³]", "Temperatur [°C]"]),
        ("cp932", ["2010年1月", "総合", "食料", "住居"]),
        ("cp1250", ["Příjmení", "Světlá", "Křižovatka", "Žďár", "úřad"]),
        ("cp1253", ["Αθήνα", "Θεσσαλονίκη", "έτος", "Πάτρα"]),
        ("cp1254", ["İstanbul", "işgücü", "Ağrı", "Muğla", "yaş"]),
        ("cp1251", ["Москва", "область", "город", "население"]),
        ("mac_roman", ["préfecture", "hôpital", "élève", "Société Générale", "Orléans"]),
        ("cp932", ["施設一覧", "東京都", "表示", "図書館", "千葉市"]),
        ("gbk", ["北京市", "上海", "人口数量", "广州市"]),
    ],
)
def test_words_tell_a_files_encoding(tmp_path, encoding, words):
    path = tmp_path / "t.csv"
    rows = [f"{i},{words[i % len(words)]},{i * 7}" for i in range(40)]
    text = "\n".join(["id,name,n", *rows]) + "\n"
    path.write_bytes(text.encode(encoding))
    assert path.read_bytes().decode(sniffed(path).dialect.codec) == text
    assert any("not UTF-8" in doubt for doubt in sniffed(path).doubts)


def test_lines_that_end_in_a_carriage_return_alone_tell_the_encoding_of_macs(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{i},{('M. Grünwald', 'J. Peña', 'R. Côté')[i % 3]},{i * 7}" for i in range(40)]
    path.write_bytes("\r".join(["id,name,n", *rows, ""]).encode("mac_roman"))
    assert sniffed(path).dialect.encoding == "mac-roman"


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        (
            "A Bank;\n#Client;\nANNA;\n\n#Day;#What;#Amount\n"
            + "".join(f"2022-01-0{i};x;{i},5\n" for i in range(1, 9)),
            ("#Day", "#What", "#Amount"),
            8,
        ),
        (
            "# by hand\nid,gain\n"
            + "".join(f"S{i},0.{i}\n# flood\n# S,1\n" if i == 4 else f"S{i},0.{i}\n" for i in range(9)),
            ("id", "gain"),
            9,
        ),
        (
            "Town;No;Name\n" + "".join(f"t{i};1;A;2;B;3;C\n" for i in range(9)),
            ("Town", "No", "Name", "col_3", "col_4", "col_5", "col_6"),
            9,
        ),
    ],
)
def test_header_is_found_above_below_or_beside_what_it_lacks(tmp_path, text, names, rows):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    found, good, bad = read(path)
    assert (found, len(good), bad) == (names, rows, 0)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp874", "ชื่อโรงเรียน,จังหวัด\nบ้านหนองบัว,นครราชสีมา\nในเมือง,ตำบล\n"),
        ("cp1252", "REGIÃO,ESTAÇÃO,°C\nSÃO JOÃO,PRECIPITAÇÃO,m²\n"),
    ],
)
def test_letters_of_two_scripts_and_signs_within_words_tell_against_an_encoding(tmp_path, encoding, text):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    assert sniffed(path).dialect.encoding == encoding


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        (
            "From:;a\nTo:;b\nKind:;c\nOf:;d\nIn:;e\n\nDay;What;Text;In;Out\nd1;x;t;;p\nd2;y;u;q;\nd3;x;v;;q\n",
            ("Day", "What", "Text", "In", "Out"),
            3,
        ),
        (
            'T 7\nBy;;;\n;All;Men;Women\nH;/;x;728\nY;-;28;117\nE;x;x;.\nAll;.;155;/\n___\n"/" = few;\nThe office\n',
            ("index", "All", "Men", "Women"),
            4,
        ),
        (
            "id\tname\tnote\n" + "".join(f'{i}\t"Best {i}" Mug{chr(9) if i % 2 else ""}\n' for i in range(9)),
            ("id", "name", "note"),
            9,
        ),
        (
            "  id  | email \n------+-------\n" + "".join(f"    {i} | u{i}@b.org \n" for i in range(9)) + "(9 rows)\n\n",
            ("id  ", "email "),
            9,
        ),
    ],
)
def test_preambles_signs_bare_quotes_and_drawn_rules_are_told_from_rows(tmp_path, text, names, rows):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    found, good, bad = read(path)
    assert ([name.strip() for name in found], len(good), bad) == ([name.strip() for name in names], rows, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no name day\n" + "".join(f"{i} VAN DYK {i}.5\n{i} KING {i}.5\n" for i in range(9)), "part of values"),
        ("# time,a\n" + "".join(f"{i},0.{i}\n" for i in range(9)), "begins with #"),
        ("".join(f"|s{i}|{i}.5\n" for i in range(9)), "neither a name nor a value"),
        (
            "#Fields: day n\n" + "".join(f"2024-01-0{i} {i}\n" for i in range(1, 10)),
            "names are those of a comment: day, n",
        ),
        ("".join(f"1{i}.5   {i}  70\tcar {i}\n" for i in range(9)), "column 1 has several numbers"),
        ("a,b,c,n\n" + "".join(f"x{i},y,z,{i}\n" for i in range(9)) + "All,--,--,7\n", "rows at the end lack values"),
        ("a,b,n\n" + "".join(f"x{i % 7},y,{i}\n" for i in range(99)) + "All,--,700\n", "rows at the end lack values"),
    ],
)
def test_readings_that_may_be_wrong_are_doubted(tmp_path, text, said):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    assert any(said in doubt for doubt in sniffed(path).doubts)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (random.Random(7).randbytes(20_000), "not text"),  # test data
        (b"ARROW1\0\0" + bytes(200), "it is Arrow"),
        (b"SQLite format 3\0" + bytes(200), "it is a SQLite database"),
        (b"{}\n{}\n", "it is JSON"),
    ],
)
def test_files_of_other_kinds_are_no_tables(tmp_path, content, said):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        sniffed(path)


PAGE = """
    NR NAME             WAGE
------ ---------- ----------
     1 VAN DYK       1000.50
     2 O'HARA,"X"
    13 KING             20.1
    14 DE LA CRUZ       20.1
    15 SMITH            31.0
"""
ALIGNED = """Id    Name              Fed  Title      Rating
71    Li, Yu            CHN             2301
1042  de Vries, Jan     NED  GM,FST     99
1043  O'Hara "Sue" An   IRL             1720
9     Zhu, Jiner        CHN             1801
11    Lee, Bo           KOR             1900
12    Zhu               CHN             2000
130   Garcia Lopez, A   ESP             1500
131   Li, Yu, jr.       CHN             1501
"""


def test_aligned_columns_without_a_delimiter_are_cut_at_their_places(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("SQL> select nr, name, wage from staff;\n" + 3 * PAGE + "\n15 rows selected.\n\nSQL> spool off\n")
    names, rows, bad = read(path)
    assert (names, len(rows), bad) == (("NR", "NAME", "WAGE"), 15, 0)
    assert rows[10:12] == [("1", "VAN DYK", "1000.50"), ("2", 'O\'HARA,"X"', "")]
    path.write_text(ALIGNED)
    names, rows, _ = read(path)
    assert (names, rows[1]) == (
        ("Id", "Name", "Fed", "Title", "Rating"),
        ("1042", "de Vries, Jan", "NED", "GM,FST", "99"),
    )
    assert "cells are cut where all lines have blanks" in "".join(told_of(path))


def test_line_with_one_value_above_names_is_a_title_in_a_table_of_texts(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("[Header],,\nDate,x,\n,,\n[Data],,\nid,kind,code\nS1,blood,AAC\nS2,brain,ACT\nS3,liver,AGG\n")
    assert read(path) == (
        ("id", "kind", "code"),
        [("S1", "blood", "AAC"), ("S2", "brain", "ACT"), ("S3", "liver", "AGG")],
        0,
    )


def test_names_in_a_comment_are_the_columns_names_and_that_is_said(tmp_path):
    path = tmp_path / "t.log"
    rows = "".join(f"2024-01-{day:02d} 10:00:00 GET /a/{day} 200\n" for day in range(1, 20))
    path.write_text("#Software: IIS\n#Fields: date time method path status\n" + rows + "#Software: IIS\n" + rows)
    names, found, bad = read(path)
    assert (names, len(found), bad) == (("date", "time", "method", "path", "status"), 38, 0)
    assert "the names are those of a comment" in "".join(told_of(path))


def test_common_delimiter_is_taken_where_another_is_nearly_as_plausible(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{i},2024/03/12 10:{i:02d}:{i:02d},+ {i}.5,LLLL\n" for i in range(1, 50))
    path.write_text("Number,Date&Time,CH1,Alarm\n" + rows)
    assert sniffed(path).dialect.delimiter == ","


def test_sum_behind_an_empty_line_is_no_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("nr;name;wage\n1;a;1,50\n2;b;3,00\n3;c;4,50\n4;d;2,00\n;;\n;Total:;11,00\n")
    assert (sniffed(path).dialect.skip_footer, len(read(path)[1])) == (1, 4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,name,n\nTotal,,66\n" + "".join(f"k{i},n{i % 3},{i}\n" for i in range(1, 12)), "at the beginning has sums"),
        (
            "g,q,v\n" + "".join(f"G{i},,{3 * i}\na,1,{i}\nb,2,{2 * i}\n" for i in (4, 5, 7)) + "All,,48\n",
            "at the end has sums",
        ),
        (
            "g;v\n"
            + "".join(f"g{i};{i} 0{i}7,50\n" for i in range(1, 8)).replace(" ", "\u00a0")
            + "All;28\u00a0332,50\n",
            "at the end has sums",
        ),
        ("s,i,j,n\n  most,,,9\n" + "".join(f"s{i},{i},x{i},{i}\n" for i in range(40)), "at the beginning lack values"),
        (
            "c,day,n\n" + "".join(f"c{g},,\n" + f",2024-01-0{g},NaN\n,2024-02-0{g},5\n" * 3 for g in (1, 2)),
            "titles of groups",
        ),
    ],
)
def test_rows_that_may_be_totals_or_titles_are_doubted(tmp_path, text, said):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert said in "; ".join(sniffed(path).doubts)


def test_title_below_an_empty_line_is_no_group_of_columns(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"S{i},2024-02-{i:02d},Fee,{i}.50\n" for i in range(1, 25))
    path.write_text(
        "Name:,JOHN,,\nPeriod:,2024,,\n,,,\nDETAILED STATEMENT,,,\nReceipt No.,Time,Details,Paid In\n" + rows
    )
    assert read(path)[0] == ("Receipt No.", "Time", "Details", "Paid In")


@pytest.mark.parametrize("mark", ["::", "||", "~|~", "\t|\t", "^^"])
def test_delimiter_of_several_signs_is_found(tmp_path, mark):
    """Single signs of it are text, and a quoted cell may have all of it."""
    path = tmp_path / "t.csv"
    rows = [(str(i), f"Star{f'{mark[0]} Episode' if i % 9 == 1 else ''} {i % 7}", "", f"{i}.5") for i in range(1, 60)]
    header, cell = ("nr", "title", "note", "price"), f"a{mark}b\n{mark}c"
    lines = [mark.join(header), *map(mark.join, rows), mark.join(("60", f'"{cell}"', "x", "1.5"))]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert read(path) == (header, [*rows, ("60", cell, "x", "1.5")], 0)
    assert sniffed(path).doubts == ()
    _, table = read_table(path, dialect=sniffed(path).dialect, null_values=())
    assert table["title"].to_pylist()[-1] == cell


@pytest.mark.parametrize("mark", [",", ";"])
def test_two_signs_between_all_cells_are_doubted(tmp_path, mark):
    """Every second column would be empty, without a word; empty columns here and there are ordinary."""
    doubled, empty = tmp_path / "doubled.csv", tmp_path / "empty.csv"
    rows = [(i, f"Star{f'{mark} Episode' if i % 9 == 0 else ''} {i % 7}", "Action", i % 5) for i in range(1, 60)]
    doubled.write_text("".join((2 * mark).join(map(str, row)) + "\n" for row in rows))
    empty.write_text("".join(f"{i};;{i % 7};;{i};3\n".replace(";", mark) for i in range(50)))
    assert "stand between all cells" in "; ".join(sniffed(doubled).doubts)
    assert "stand between all cells" not in "; ".join(sniffed(empty).doubts)


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("|Sheep||Goats|\nTown|2019|2020|2019|2020\n" + "a|1|7|9|3\nb|8|5|2|6\n" * 9, 5, 18),
        ("pole\nkiln\nroad\nkiln\npole\nhill\n", 1, 6),
        ("".join(f"{name}.example\n" for name in ["pole", "kiln", "road", "hill", "mill"]), 1, 5),
        ("Scope,12,x\nParts,1,2\nPart,At,Since\n#1,12-May-2011,0\nTime,Ampl\n" + "1.5,2.5\n2.5,3.5\n" * 9, 2, 18),
        (
            "NR    NAME                POINTS\n"
            + "".join(
                f"{i}    {('Lee, Ann', 'van den Berg, Jo', 'Ode, F. K.')[i % 3]:<19} {i * 7}\n" for i in range(10, 50)
            )
            + "\x1a",
            3,
            40,
        ),
        (
            "when,where,n\n" + "".join(f"Q{i % 4},r{i},{i}.5\n" for i in range(20)) + ",,\nQuota,,\nA. Lee,128%,\n",
            3,
            20,
        ),
    ],
)
def test_groups_of_years_lists_and_second_tables_are_told_from_rows(tmp_path, text, names, rows):
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    found, good, bad = read(path)
    assert (len(found), len(good), bad) == (names, rows, 0)
    assert names == 1 or "col_" not in " ".join(found)


def test_letters_that_windows_does_not_have_tell_against_its_encoding(tmp_path):
    path = tmp_path / "t.csv"
    names = ("MØLLER", "ÅGÅRD", "SØRENSEN", "NØRRE ÆBELØ")
    path.write_bytes(("NR;NAVN\n" + "".join(f"{i};{names[i % 4]}\n" for i in range(40))).encode("cp850"))
    _, rows, _ = read(path)
    assert rows[:4] == [(str(i), name) for i, name in enumerate(names)]


def test_words_in_capitals_of_dos_are_not_drawn_boxes(tmp_path):
    path = tmp_path / "t.csv"
    names = ("BOULON À OEIL", "CÂBLE NOIR", "MÈTRE RUBAN", "ÉQUERRE", "RÂTEAU ACIER", "CLÉ PLATE", "COLLE NÉOPRÈNE")
    path.write_bytes("".join(f"{i:06};{names[i % 7]};{i},5\r\n" for i in range(40)).encode("cp850"))
    _, rows, _ = read(path)
    assert [row[1] for row in rows] == [names[i % 7] for i in range(40)]


def test_names_below_keys_and_values_of_as_many_columns_are_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "Height;2019\nContact;542\nStation;2019\nPeriod;2019\nUnit;2019\n\nlevel;speed\nfalse;41.1\ntrue;72.9\nfalse;81.6\n",
        "utf-8",
    )
    assert any("this one may have them: level;speed" in said for said in sniffed(path).doubts)


def test_sums_below_each_group_are_said(tmp_path):
    path = tmp_path / "t.csv"
    groups = "".join(
        "".join(f"C{n},Name {n},{n * 17 + i}.50,{i}.25\n" for i in range(1, 5)) + f",,Sums {n},{n * 68 + 12}.00\n\n"
        for n in range(1, 6)
    )
    path.write_text(f"code,name,due,paid\n{groups}", "utf-8")
    assert any(said.startswith("rows at the end of pages lack values") for said in sniffed(path).doubts)


_BILLS = "".join(f"{i};item{i};{i * 17}.{i:02d};{101 * i}\n" for i in range(1, 13))
_ROWS = [tuple(line.split(";")) for line in _BILLS.splitlines()]


@pytest.mark.parametrize(
    ("behind", "begin"),
    [
        ("Total;;1326.78;7878\n", "Total;"),
        (";Total;1326.78;7878\n", ";Total;"),
        ('"Total";"";"1326.78";""\n', '"Total";'),
        ("Total;;1326.78;656.5\n", "Total;"),  # an average
        ("Total;;1326.78;\n\nSource: the shop\n", "Total;"),
        ("Total: items;;1326.78;\nTotal: all;;1326.78;\n", "Total: "),
        ("Total;;1326.74;\n", "Total;"),  # added up before each row was rounded
        ("Mean;;110.565;656.5\n", "Mean;"),
        ("Mean;;110.57;657\n", "Mean;"),  # rounded
    ],
)
def test_total_that_adds_up_is_left_out_and_said(tmp_path, behind, begin):
    path = tmp_path / "t.csv"
    path.write_text(f"nr;name;price;grams\n{_BILLS}{behind}", "utf-8")
    found = sniffed(path)
    assert (found.dialect.comment, read(path)) == (begin, (("nr", "name", "price", "grams"), _ROWS, 0))
    assert f"what begins with {begin} is left out: it has the sums or means of all rows: " in "; ".join(found.doubts)


def test_several_tabs_that_put_columns_in_line_count_as_one(tmp_path):
    path = tmp_path / "t.csv"
    rows = [("name", "age", "city"), ("Bob", "12", "Rome"), ("Alexander", "13", "York"), ("Maximilian", "14", "Lund")]
    aligned = [row[0] + "\t" * (2 - len(row[0]) // 8) + "\t".join(row[1:]) + "\n" for row in rows]
    path.write_text("".join(aligned), "utf-8")
    assert "several tabs count as one" in sniffed(path).said
    assert read(path) == (rows[0], rows[1:], 0)


def test_empty_cells_between_tabs_stay(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name\tage\tcity\nBob\t\tRome\nAnn\t13\t\nEve\t14\tLund\n", "utf-8")
    assert read(path) == (("name", "age", "city"), [("Bob", "", "Rome"), ("Ann", "13", ""), ("Eve", "14", "Lund")], 0)


@pytest.mark.parametrize(
    "last",
    [
        "Total;;1326.87;7878",  # two digits are exchanged, so that half of the numbers add up
        "item3;;1326.78;7878",  # the name of a row
        "Mean;;110.565;656.4",  # one mean is none
        "Mean;;110;656.5",  # too few digits
        "Total;;1326.78;7878\nTotalled;x;1;20\n14;item14;5.00;10",  # not at the end
    ],
)
def test_last_row_that_may_be_one_stays_a_row(tmp_path, last):
    path = tmp_path / "t.csv"
    path.write_text(f"nr;name;price;grams\n{_BILLS}{last}\n", "utf-8")
    assert (sniffed(path).dialect.comment, len(read(path)[1])) == ("", 13 + last.count("\n"))


def test_lines_with_a_sign_in_front_are_rows_where_most_lines_are(tmp_path):
    path = tmp_path / "t.csv"
    rows = [(f"#{i}", f"2021-04-{i:02d}", f"{i}.50") for i in range(1, 20)]
    path.write_text(
        "ORDERS\norder,day,price\n" + "".join(f"{','.join(row)}\n" for row in rows) + "\nSTOCK\nsku,left\nA,4\nB,2\n"
    )
    assert read(path) == (("order", "day", "price"), rows, 0)


def test_a_bracket_that_is_not_opened_is_no_part_of_a_number(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"Aeshna {name} (Linnaeus 17{i})" for i, name in enumerate(("aenea", "najas", "virgo", "puella"), 58)]
    path.write_text("\n".join(["name", *names]) + "\n")
    assert read(path) == (("name",), [(name,) for name in names], 0)


def test_quotes_are_text_where_more_stand_within_cells_than_around_them(tmp_path):
    path = tmp_path / "t.csv"
    rows = [(f"SC{i}", f'{i}/8"', '"button"' if i % 2 else "pan", f"{i}.25") for i in range(1, 30)]
    path.write_text("\n".join("\t".join(row) for row in (("part", "size", "head", "price"), *rows)) + "\n")
    assert read(path) == (("part", "size", "head", "price"), rows, 0)


def test_first_and_last_columns_without_values_are_columns_unless_they_are_drawn(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(",,,\n,month,rent,\n" + "".join(f",m{i},{i}.50,\n" for i in range(1, 9)))
    assert read(path)[0][1:3] == ("month", "rent")
    assert "the first column has neither a name nor a value" in sniffed(path).doubts


_NOTES = ("lamp out", "slow query, 3.2 s, table=orders", "retry 1, 2, 3 failed", "link up")


@pytest.mark.parametrize("front", ["", "# a log\n# day,host,text\n"])
def test_delimiters_in_prose_of_the_last_column_part_no_cells(tmp_path, front):
    path = tmp_path / "t.csv"
    rows = [(f"04:{i:02d}:30", f"host{i % 3}", _NOTES[i % 4]) for i in range(40)]
    path.write_text(front + "\n".join(",".join(row) for row in (("day", "host", "text"), *rows)) + "\n")
    found = sniffed(path)
    assert (found.dialect.long_rows, read(path)) == ("join", (("day", "host", "text"), rows, 0))
    assert (
        "values behind the last name have a blank before them, as in prose; they are joined to the last column"
        in found.doubts
    )


@pytest.mark.parametrize(
    "rows",
    [
        "".join(f"{i},host{i},{i}, {i}\n{i},host,{i}\n" for i in range(20)).replace(",h", ", h"),  # all are trimmed
        "".join(f"{i},host{i},lamp,out\n{i},host,on\n" for i in range(20)),  # no blank follows
        "".join(f"{i},host{i},lamp\n" for i in range(20)) + "21,host,lamp, out\n",  # one row alone
    ],
)
def test_rows_that_are_too_long_are_joined_for_prose_alone(tmp_path, rows):
    path = tmp_path / "t.csv"
    path.write_text(f"nr,host,text\n{rows}")
    assert sniffed(path).dialect.long_rows == "reject"


def test_formulas_that_are_read_as_written_are_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("ean;name;n\n" + "".join(f'="00{i}";Oak;{i}\n' for i in range(10, 20)))
    assert (read(path)[1][0], sniffed(path).doubts) == (
        ('="0010"', "Oak", "10"),
        ('cells like ="0010" are formulas, which are read as written',),
    )


@pytest.mark.parametrize("numbers", ["(1),(2),(3)", "1,2,3", "[1],[2],[3]"])
def test_line_that_numbers_the_columns_is_left_out_and_said(tmp_path, numbers):
    path = tmp_path / "t.csv"
    rows = [(str(i), f"town {i}", str(90 * i)) for i in range(1, 13)]
    path.write_text("\n".join(["nr,town,people", numbers, *map(",".join, rows)]) + "\n")
    assert read(path) == (("nr", "town", "people"), rows, 0)
    assert sniffed(path).doubts == (f"what is below the names is left out, and may be a row: {numbers}",)


def test_first_row_that_counts_up_in_columns_of_numbers_is_a_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("rank,wins,points\n" + "".join(f"{i},{i + 1},{i + 2}\n" for i in range(1, 12)))
    assert (read(path)[1][0], sniffed(path).doubts) == (("1", "2", "3"), ())


def test_rule_below_the_names_of_a_table_of_texts_is_no_row(tmp_path):
    path = tmp_path / "t.csv"
    rows = [(f"f{i}", f"{i} kB", f"{i}.5 ms") for i in range(12)]
    drawn = [("function", "size", "time"), (":---", ":---:", "---:"), *rows]
    path.write_text("".join(f"| {' | '.join(row)} |\n" for row in drawn))
    assert [tuple(map(str.strip, row)) for row in read(path)[1]] == rows


def test_addresses_of_devices_are_one_column(tmp_path):
    rng = random.Random(2)
    rows = [(":".join(f"{rng.randrange(256):02X}" for _ in range(6)),) for _ in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("".join(f"{address}\n" for (address,) in rows))
    assert read(path) == (("col_0",), rows, 0)


def test_rows_that_lack_most_values_at_the_end_of_pages_are_said(tmp_path):
    path = tmp_path / "t.csv"
    rng = random.Random(3)

    def page(number: int) -> list[str]:
        rows = [f"{100 * number + i},{rng.randrange(9)},{rng.randrange(400)},{rng.randrange(90)}" for i in range(20)]
        return [
            *([f"Page {number},,,", ""] if number > 1 else []),
            "cow,lact,days,milk",
            *rows,
            f"Pen {number},,,8{number}.4",
        ]

    path.write_text("\n".join([*page(1), *page(2), *page(3)][:-1]) + "\n")
    said = "rows at the end of pages lack values that others have, and are read as rows: Pen 1,,,81.4"
    assert (len(read(path)[1]), said in sniffed(path).doubts) == (62, True)


_UNITS = ("Œuvre", "Ordre, 2", "Série; b", "Année", 'Hôtel "Le Lys"')


@pytest.mark.parametrize(("mark", "encoding"), [("¦", "cp1252"), ("¬", "latin-1"), ("!", "utf-8"), ("\x1e", "utf-8")])
def test_a_sign_that_all_lines_have_equally_often_parts_cells(tmp_path, mark, encoding):
    path = tmp_path / "t.csv"
    rows = [
        (f"{i:04d}", _UNITS[i % (4 + (encoding == "utf-8"))].replace("Œ", "O"), f"{i},5", f"{i}.125") for i in range(30)
    ]
    path.write_bytes("\n".join(mark.join(row) for row in (("nr", "unité", "prix", "poids"), *rows)).encode(encoding))
    assert read(path) == (("nr", "unité", "prix", "poids"), rows, 0)


def test_signs_within_values_part_no_cells(tmp_path):
    path = tmp_path / "t.csv"
    values = [f"{i}%×4×{i}@home#{i}&<b>*{i}*</b>" for i in range(30)]
    path.write_text("\n".join(["note", *values]) + "\n")
    assert read(path) == (("note",), [(value,) for value in values], 0)


@pytest.mark.parametrize(("mark", "quote"), [("^", "~"), ("|", "#"), (",", "%")])
def test_other_signs_may_stand_around_cells(tmp_path, mark, quote):
    path = tmp_path / "t.csv"
    rows = [(f"0{i}", f"bar{mark}{i % 7}", "" if i % 3 else "7.5") for i in range(1, 30)]
    path.write_text("\n".join(f"{quote}{nr}{quote}{mark}{quote}{name}{quote}{mark}{price}" for nr, name, price in rows))
    assert read(path)[1] == rows


@pytest.mark.parametrize("behind", ["", "\nditto marks are kept\n"])
def test_quotes_that_are_whole_cells_are_ditto_marks(tmp_path, behind):
    path = tmp_path / "t.csv"
    rows = [
        (f"{i}", f"farm {i}", "oats") if i % 4 == 1 else (f"{i}", '"', '"' if i % 3 else "rye") for i in range(1, 40)
    ]
    path.write_text("\n".join("\t".join(row) for row in (("plot", "farm", "crop"), *rows)) + "\n" + behind)
    assert read(path) == (("plot", "farm", "crop"), rows, 0)


def test_the_euro_sign_tells_latin_9(tmp_path):
    path = tmp_path / "t.csv"
    rows = [(f"Crédit {i}", f"€ {i},50") for i in range(12)]
    path.write_bytes("".join(f"{name};{price}\n" for name, price in (("nom", "prix (€)"), *rows)).encode("iso8859-15"))
    assert read(path) == (("nom", "prix (€)"), rows, 0)


def test_kanji_without_kana_are_told_from_chinese(tmp_path):
    path = tmp_path / "t.csv"
    places = "草津町 嬬恋村 旭川市 釧路市 高山村 滝川市 長野原町 留萌市 上野村 富岡市 名寄市 赤平市 沼田市 美唄市"
    rows = [(place, str(100 + i)) for i, place in enumerate(places.split())]
    path.write_bytes("".join(",".join(row) + "\n" for row in (("市町村名", "世帯数"), *rows)).encode("euc_jp"))
    assert read(path) == (("市町村名", "世帯数"), rows, 0)


def test_a_closing_balance_behind_an_empty_line_is_no_row(tmp_path):
    path = tmp_path / "t.csv"
    rows = [(f"{i:02d}.03.2021", "rent", *((f"{i},10", "") if i % 5 else ("", f"{i},20"))) for i in range(1, 20)]
    path.write_text("day;text;out;in\n" + "".join(";".join(row) + "\n" for row in rows) + "\nClosing;;;120,45\n")
    assert read(path) == (("day", "text", "out", "in"), rows, 0)


def test_names_may_be_wrapped_over_three_lines(tmp_path):
    path = tmp_path / "t.csv"
    rows = [(f"S{i}", f"Ward {i}", str(3 * i), f"{i}.5") for i in range(1, 20)]
    lines = [("", "", "Pupils", "Per"), ("", "", "enrolled", "1,000"), ("Code", "Ward", "in May", "persons"), *rows]
    path.write_text("\n".join(",".join(f'"{cell}"' for cell in line) for line in lines))
    assert read(path) == (("Code", "Ward", "Pupils enrolled in May", "Per 1,000 persons"), rows, 0)


def test_a_table_in_front_of_a_longer_one_is_doubted(tmp_path):
    path = tmp_path / "t.csv"
    first = "".join(f"shop {i},{i},{i}.5\n" for i in range(6))
    path.write_text(f"shop,staff,sales\n{first}\nday,sales\n" + "".join(f"2021-05-{i:02d},{i}\n" for i in range(1, 30)))
    assert "7 lines in front of the table are left out, and may be one, too: shop,staff,sales" in sniffed(path).doubts


def test_single_quotes_beside_double_ones_are_doubted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('nr\tleft\tprice\tright\n100\tw^"\t100.5\t"w\n\'"\n101\t"w\'\n"\t101.5\tlime\n')
    assert "cells begin with single and with double quotes; the single ones are read as quotes" in sniffed(path).doubts


def test_number_of_hundreds_of_digits_is_looked_at(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,n\n" + "".join(f"{i},{i * 3}\n" for i in range(30)) + f"30,{'7' * 400}\n")
    assert sniffed(path).dialect.header == 1
