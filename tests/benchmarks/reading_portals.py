"""Files as public portals and offices publish them, written with the sniffer in view."""

import random
from collections.abc import Callable, Iterator

from benchmarks.reading_pollutions import Case, Table, written


def portal_tables() -> tuple[Table, ...]:
    """Tables of years in columns, of counts by area, of a timetable, and of a register with quotations and accents."""
    draw = random.Random(23)
    areas = ("Ahrweiler", "Bitburg-Prüm", "Cochem-Zell", "Daun", "Kusel", "Mayen-Koblenz", "Neuwied", "Trier")
    budget = [
        (
            f"{number:03}",
            draw.choice(("Schools", "Roads", "Parks")),
            *(str(draw.randrange(900, 99_000)) for _ in range(5)),
        )
        for number in range(1, 41)
    ]
    counts = [
        (
            str(7_100 + i),
            areas[i % 8],
            str(draw.randrange(300, 90_000)),
            f"{draw.uniform(0, 100):.1f}",
            draw.choice("abc"),
        )
        for i in range(48)
    ]
    stops = [
        (f"R{1 + i // 10}", f"{5 + i // 6:02}:{10 * (i % 6):02}", areas[i % 8], draw.choice(("daily", "weekdays")))
        for i in range(60)
    ]
    register = [
        (
            f"2023-{1 + i % 12:02}-{1 + i % 28:02}",
            draw.choice(("Café Ångström", "O'Connor & Söhne", "Żabka S.A.", "Ñandú, Ltd.")),
            draw.choice(("granted", "refused", "")),
            str(draw.randrange(10**6, 10**7)),
        )
        for i in range(36)
    ]
    return (
        Table("budget", ("code", "purpose", "2019", "2020", "2021", "2022", "2023"), tuple(budget)),
        Table("counts", ("key", "area", "inhabitants", "share", "class"), tuple(counts)),
        Table("stops", ("line", "departs", "stop", "runs"), tuple(stops)),
        Table("register", ("date", "holder", "decision", "file number"), tuple(register)),
    )


def portal_cases() -> Iterator[Case]:
    """Each of these pollutions of each of these tables."""
    for table in portal_tables():
        for make in _POLLUTIONS:
            yield from make(table)


def _around(table: Table) -> Iterator[Case]:
    rows, width = (table.header, *table.rows), len(table.header)
    pad = [""] * (width - 1)
    text, semicolons = written(rows), written(rows, delimiter=";")
    yield table.case(
        "title, source and notes", f"Table 3.1: Overview\nas of 31.12.2023\n\n{text}\nSource: Agency\n(1) provisional\n"
    )
    yield table.case("padded title and source", written([["Overview", *pad], *rows, ["Source: Agency, 2023", *pad]]))
    yield table.case("separator named, semicolons", f"sep=;\n{semicolons}")
    yield table.case(
        "metadata behind number signs", f"# title: overview\n# licence: CC-BY, 4.0\n# rows: {len(rows) - 1}\n{text}"
    )
    yield table.case(
        "long sentence with delimiters in front", f"Numbers, names, and states, as of May, 2023.\n\n{text}"
    )
    yield table.case("empty lines between all rows", text.replace("\n", "\n\n"))
    yield table.case("end mark of DOS", text + "\x1a")
    yield table.case("number of rows behind", f"{text}\n({len(table.rows)} rows affected)\n")
    small = written([["remark", "times"], ["provisional", "3"], ["estimated", "4"]])
    yield table.case("a second small table behind", f"{text}\n\n{small}")
    yield table.case("a small table in front", f"{small}\n\n{text}")


def _columns(table: Table) -> Iterator[Case]:
    rows, width = (table.header, *table.rows), len(table.header)
    yield table.case("three empty columns at the end", written([[*row, "", "", ""] for row in rows]))
    empty_first = tuple(("", *row) for row in table.rows)
    yield table.case(
        "an empty column in front", written([["", *row] for row in rows]), header=("", *table.header), rows=empty_first
    )
    yield table.case(
        "a delimiter behind rows alone", written([table.header, *([*row, ""] for row in table.rows)], delimiter=";")
    )
    filled = list(map(list, rows))
    for row in filled[2::3]:
        row[-1] = ""
    cut = "\n".join(line.rstrip(";") for line in written(filled, delimiter=";").splitlines()) + "\n"
    yield table.case("cells cut at the end", cut, rows=tuple(map(tuple, filled[1:])))
    group = ["", *(["first"] + [""] * ((width - 2) // 2)), *(["second"] + [""] * width)][:width]
    upper, above = "", []
    for cell in group:
        upper = cell or upper
        above.append(upper)
    joined = tuple(f"{one} {name}".strip() for one, name in zip(above, table.header, strict=True))
    yield table.case("groups of columns above the header", written([group, *rows]), header=joined)
    units = ["", *["[unit]"] * (width - 1)]
    with_units = tuple(f"{name} {unit}".strip() for name, unit in zip(table.header, units, strict=True))
    yield table.case("units below the header", written([table.header, units, *table.rows]), header=with_units)
    broken = tuple(f"{name}\n(2023)" if i == 1 else name for i, name in enumerate(table.header))
    yield table.case("a line break within a name", written([broken, *table.rows]), header=broken)
    yield table.case("no header, tabs", written(table.rows, delimiter="\t"), header=())


def _characters(table: Table) -> Iterator[Case]:
    rows = (table.header, *table.rows)
    text = written(rows, delimiter=";")
    central = str.maketrans("ÅåÑñú", "AaNnu")  # Windows-1250 has none of them
    of_central = tuple(tuple(cell.translate(central) for cell in row) for row in table.rows)
    old = text.translate(central).replace("\n", "\r\n").encode("cp1250")
    yield table.case("Windows-1250 with CRLF", old, rows=of_central)
    yield table.case("UTF-16 without a mark", text.encode("utf-16-le"))
    yield table.case("returns alone as line ends", text.replace("\n", "\r"))
    half = len(rows) // 2
    mixed = written(rows[:half]).encode() + written(rows[half:]).encode("cp1252", "replace")
    first, second = table.rows[: half - 1], table.rows[half - 1 :]
    expected = (*first, *(tuple(c.encode("cp1252", "replace").decode("cp1252") for c in row) for row in second))
    yield table.case("two encodings in one file", mixed, rows=expected)
    said = [[f'the "{cell}" case' if i == 1 else cell for i, cell in enumerate(row)] for row in table.rows]
    bare = "\n".join(";".join(f'"{cell}"' for cell in row) for row in [table.header, *said]) + "\n"
    yield table.case("quotes within quotes, not doubled", bare, rows=tuple(map(tuple, said)))
    noted = [[f'"{cell}" (sic)' if i == 1 else cell for i, cell in enumerate(row)] for row in table.rows]
    yield table.case("quotes doubled at the beginning", written([table.header, *noted]), rows=tuple(map(tuple, noted)))


def _layouts(table: Table) -> Iterator[Case]:
    rows = (table.header, *table.rows)
    sizes = [max(len(row[i]) for row in rows) for i in range(len(table.header))]
    padded = [[cell.ljust(size) for cell, size in zip(row, sizes, strict=True)] for row in rows]
    line = "-+-".join("-" * size for size in sizes)
    shell = [" | ".join(row) for row in padded]
    lines = [f" {shell[0]}", f"-{line}-", *(f" {row}" for row in shell[1:]), f"({len(rows) - 1} rows)", ""]
    yield table.case("printed by a database's shell", "\n".join(lines))
    marks = "|" + "|".join("---" for _ in sizes) + "|"
    yield table.case("Markdown", "\n".join([f"| {shell[0]} |", marks, *(f"| {row} |" for row in shell[1:]), ""]))
    pages = []
    for first in range(0, len(table.rows), 15):
        pages += [table.header, *table.rows[first : first + 15], [f"Page {1 + first // 15}"], []]
    yield table.case("pages with a header each", written(pages))


_POLLUTIONS: tuple[Callable[[Table], Iterator[Case]], ...] = (_around, _columns, _characters, _layouts)
