"""Clean tables written as other programs and people write them: one pollution each, after Pollock (VLDB 2023).

A case holds the file's bytes and what a person reads in it. A row that is broken, so that a person could not say what
its cells are, is not among the rows to read; a reader has to leave it out with a word, or refuse the file.
"""

import csv
import io
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Row = Sequence[str]
NOWHERE = "\0"
"""Stands for a cell of a clean version that its file does not have: its author mistyped, and nobody can read it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A polluted file: its name, its bytes, and the table in it.

    ``header`` is empty where the file names no columns; ``broken`` counts rows whose cells nobody could tell.
    """

    name: str
    content: bytes
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    broken: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A clean table."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def case(self, name: str, text: str | bytes, **changed: object) -> Case:
        """A case that holds this table, but for what is said."""
        content = text if isinstance(text, bytes) else text.encode()
        values: dict[str, object] = {"header": self.header, "rows": self.rows} | changed
        return Case(f"{self.name}: {name}", content, **values)  # type: ignore[arg-type] # the fields of a case


def written(rows: Sequence[Row], **options: object) -> str:
    """Rows as CSV by Python's writer, with its options."""
    text = io.StringIO()
    csv.writer(text, **({"lineterminator": "\n"} | options)).writerows(rows)  # type: ignore[arg-type] # as given
    return text.getvalue()


def tables() -> tuple[Table, ...]:
    """Made-up tables, of numbers, words, dates, and long texts with delimiters, quotes and line breaks."""
    return (_stock(), _people(), _measurements(), _texts(), _places())


def _stock() -> Table:
    draw = random.Random(1)
    rows = [
        (
            str(100 + i),
            draw.choice("ABC"),
            f"{draw.uniform(1, 90):.2f}",
            str(draw.randrange(500)),
            f"2024-03-{1 + i % 28:02}",
        )
        for i in range(80)
    ]
    return Table("stock", ("sku", "group", "price", "pieces", "counted"), tuple(rows))


def _people() -> Table:
    draw = random.Random(2)
    first, last = (
        ("Anna", "Björn", "Chloé", "Dieter", "Ebba", "François"),
        ("Müller", "Sørensen", "Smith", "O'Neill", "Żak"),
    )
    rows = [
        (
            f"P{i:04}",
            f"{draw.choice(last)}, {draw.choice(first)}",
            draw.choice(("yes", "no", "")),
            str(draw.randrange(18, 90)),
        )
        for i in range(60)
    ]
    return Table("people", ("id", "name", "active", "age"), tuple(rows))


def _measurements() -> Table:
    draw = random.Random(3)
    rows = [tuple(f"{draw.gauss(0, 10):.4f}" for _ in range(12)) for _ in range(50)]
    return Table("measurements", tuple(f"x{i}" for i in range(12)), tuple(rows))


def _texts() -> Table:
    draw = random.Random(4)
    words = [
        "the",
        "quick",
        "brown",
        "fox,",
        "jumps;",
        "over",
        '"the"',
        "lazy",
        "dog",
        "|",
        "and",
        "runs\naway:",
        "5'",
        "tall",
    ]
    rows = [
        (
            str(i),
            " ".join(draw.choices(words, k=9)),
            draw.choice(("open", "closed")),
            f"2024-0{1 + i % 9}-11 10:{i % 60:02}:00",
        )
        for i in range(40)
    ]
    return Table("texts", ("ticket", "text", "state", "opened"), tuple(rows))


def _places() -> Table:
    draw = random.Random(5)
    names = ("Köln", "Paris", "New York", "São Paulo", "Göteborg", "Bonn", "Łódź")
    rows = [
        (draw.choice(names), draw.choice(("DE", "FR", "US", "BR", "SE")), str(draw.randrange(10_000, 9_000_000)))
        for _ in range(30)
    ]
    return Table("places", ("city", "country", "inhabitants"), tuple(rows))


def cases() -> Iterator[Case]:
    """All cases: each pollution of each table that can have it."""
    for table in tables():
        for make in _POLLUTIONS:
            yield from make(table)


def _dialects(table: Table) -> Iterator[Case]:
    whole = (table.header, *table.rows)
    yield table.case("clean", written(whole))
    for said, mark in {"semicolon": ";", "tab": "\t", "bar": "|", "blank": " ", "caret": "^"}.items():
        yield table.case(f"delimiter {said}", written(whole, delimiter=mark))
    yield table.case("delimiter comma and blank", written(whole, quoting=csv.QUOTE_ALL).replace('","', '", "'))
    yield table.case("quote '", written(whole, quotechar="'"))
    yield table.case("all quoted", written(whole, quoting=csv.QUOTE_ALL))
    yield table.case("all texts quoted by '", written(whole, quotechar="'", quoting=csv.QUOTE_ALL))
    yield table.case("escape backslash", written(whole, escapechar="\\", doublequote=False))
    yield table.case("semicolon, texts quoted", written(whole, delimiter=";", quoting=csv.QUOTE_NONNUMERIC))


def _encodings(table: Table) -> Iterator[Case]:
    text = written((table.header, *table.rows))
    yield table.case("UTF-8 with mark", b"\xef\xbb\xbf" + text.encode())
    for name in ("utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "cp1250"):
        try:
            content = text.encode(name)
        except UnicodeEncodeError:
            continue
        if text.isascii() and name in ("cp1252", "latin-1", "cp1250"):
            continue
        yield table.case(f"encoding {name}", content)


def _line_ends(table: Table) -> Iterator[Case]:
    whole = (table.header, *table.rows)
    yield table.case("record ends CRLF", written(whole, lineterminator="\r\n"))
    if not any("\n" in cell for row in table.rows for cell in row):
        yield table.case("record ends CR", written(whole, lineterminator="\r"))
    yield table.case("no end at the end", written(whole).rstrip("\n"))
    yield table.case("two ends at the end", written(whole) + "\n")
    yield table.case(
        "empty lines between rows", written(whole).replace("\n", "\n\n") if table.name != "texts" else written(whole)
    )


def _around(table: Table) -> Iterator[Case]:
    text = written((table.header, *table.rows))
    empty = "," * (len(table.header) - 1)
    yield table.case("a title in front", f"Report of all {table.name}\n{text}")
    yield table.case("a title with a comma in front", f"Report of {table.name}, as of 3 May 2024\n{text}")
    yield table.case("a title and an empty line in front", f"Report\n\n{text}")
    yield table.case("five lines in front", f"Source: office\nMade: 2024-05-03\nBy: A. B.\n\nTable 1\n{text}")
    yield table.case("a title padded by delimiters", f"Report{empty}\n{empty}\n{text}")
    yield table.case("comment lines in front", f"# made by a program\n# version 2\n{text}")
    first, *rest = text.split("\n", 1)
    if table.name != "texts":
        lines = rest[0].split("\n")
        yield table.case("a comment line between rows", "\n".join((first, *lines[:9], "# second part", *lines[9:])))
    yield table.case("sep= line", f"sep=;\n{written((table.header, *table.rows), delimiter=';')}")
    yield table.case("a footer", f"{text}Source: statistical office\n")
    yield table.case("an empty line and two footers", f"{text}\nSource: statistical office\nNo warranty\n")
    yield table.case("empty rows at the end", text + f"{empty}\n" * 3)


def _headers(table: Table) -> Iterator[Case]:
    rows = table.rows
    yield table.case("no header", written(rows), header=())
    yield table.case("header alone", written([table.header]), rows=())
    yield table.case("one row", written([table.header, rows[0]]), rows=rows[:1])
    groups = tuple("left" if i == 0 else "right" if i == 2 else "" for i in range(len(table.header)))
    joined = tuple(f"{group} {name}".strip() for group, name in zip(groups, table.header, strict=True))
    yield table.case("two header lines", written([groups, table.header, *rows]), header=joined)
    yield table.case(
        "a name twice",
        written([(table.header[0], *table.header[:-1]), *rows]),
        header=(table.header[0], f"{table.header[0]}_2", *table.header[1:-1]),
    )
    yield table.case(
        "a name empty",
        written([(table.header[0], "", *table.header[2:]), *rows]),
        header=(table.header[0], "", *table.header[2:]),
    )
    yield table.case(
        "header in capitals with blanks around",
        written([[f" {n.upper()} " for n in table.header], *rows]),
        header=tuple(n.upper() for n in table.header),
    )


def _ragged(table: Table) -> Iterator[Case]:
    whole = (table.header, *table.rows)
    yield table.case("an empty column at the end", written([(*row, "") for row in whole]))
    yield table.case("three empty columns at the end", written([(*row, "", "", "") for row in whole]))
    yield table.case(
        "rows end with a delimiter, the header does not", written([table.header, *((*row, "") for row in table.rows)])
    )
    shortened = [row[:-1] if i % 3 == 0 else row for i, row in enumerate(table.rows)]
    padded = tuple((*row[:-1], "") if i % 3 == 0 else row for i, row in enumerate(table.rows))
    yield table.case("empty last cells left out", written([table.header, *shortened]), rows=padded)
    middle = len(table.rows) // 2
    kept = (*table.rows[:middle], *table.rows[middle + 1 :])
    yield table.case("a row with a cell too many", _with_row(table, (*table.rows[middle], "7")), rows=kept, broken=1)
    yield table.case("a row with a cell too few", _with_row(table, table.rows[middle][1:]), rows=kept, broken=1)
    odd = table.rows[middle]
    text = (
        written([table.header, *table.rows[:middle]])
        + written([odd], delimiter=";")
        + written(table.rows[middle + 1 :])
    )
    yield table.case("a row with another delimiter", text, rows=kept, broken=1)


def _quotes(table: Table) -> Iterator[Case]:
    middle = len(table.rows) // 2
    kept = (*table.rows[:middle], *table.rows[middle + 1 :])
    row = table.rows[middle]
    before, after = written([table.header, *table.rows[:middle]]), written(table.rows[middle + 1 :])
    broken = ",".join((row[0], f'"{row[1]}'.replace("\n", " "), *row[2:]))
    yield table.case("a quote that is never closed", f"{before}{broken}\n{after}", rows=kept, broken=1)
    late = table.rows[-3]
    second = ",".join((late[0], f'"{late[1]}'.replace("\n", " "), *late[2:]))
    text = f"{before}{broken}\n{written(table.rows[middle + 1 : -3])}{second}\n{written(table.rows[-2:])}"
    kept = (*table.rows[:middle], *table.rows[middle + 1 : -3], *table.rows[-2:])
    yield table.case("two rows with a quote too many", text, rows=kept, broken=2)
    inches = tuple((*row[:1], '5" pipe', *row[2:]) if i == middle else row for i, row in enumerate(table.rows))
    if table.name not in ("texts", "people"):
        text = "\n".join(",".join(row) for row in (table.header, *inches)) + "\n"
        yield table.case("a quote within a cell", text, rows=inches)


def _with_row(table: Table, row: Row) -> str:
    middle = len(table.rows) // 2
    return written([table.header, *table.rows[:middle], row, *table.rows[middle + 1 :]])


_POLLUTIONS: tuple[Callable[[Table], Iterator[Case]], ...] = (
    _dialects,
    _encodings,
    _line_ends,
    _around,
    _headers,
    _ragged,
    _quotes,
)
