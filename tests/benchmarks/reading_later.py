"""More tables and pollutions, written when the sniffer was done and run once before anything was changed for them."""

import csv
import random
from collections.abc import Callable, Iterator

from benchmarks.reading_pollutions import Case, Table, written


def later_tables() -> tuple[Table, ...]:
    """Tables of times and flags, of amounts with a decimal comma, of codes with zeros in front, and of texts alone."""
    draw = random.Random(11)
    sensor = [
        (
            f"{h:02}:{m:02}:00",
            f"{draw.uniform(-5, 30):.1f}",
            draw.choice(("true", "false")),
            draw.choice(("ok", "ok", "low battery")),
        )
        for h in range(6)
        for m in range(0, 60, 10)
    ]
    money = [
        (
            f"{1 + i % 28:02}.03.2024",
            f"{draw.uniform(-900, 900):.2f}".replace(".", ","),
            draw.choice(("Miete", "Strom", "Löhne", "Porto")),
        )
        for i in range(45)
    ]
    codes = [(f"{i:05}", f"{draw.randrange(10**9):010}", draw.choice(("A-1", "B-2", "C-3")), "") for i in range(60)]
    words = ("amber", "basalt", "clay", "dolomite", "emerald", "flint", "gneiss", "halite")
    stones = [
        (f"{draw.choice(words)} {i}", draw.choice(("hard", "soft")), draw.choice(("Alps", "Andes", "Ural")))
        for i in range(35)
    ]
    return (
        Table("sensor", ("time", "degrees", "valid", "state"), tuple(sensor)),
        Table("money", ("Datum", "Betrag", "Zweck"), tuple(money)),
        Table("codes", ("plz", "account", "class", "remark"), tuple(codes)),
        Table("stones", ("stone", "hardness", "found in"), tuple(stones)),
    )


def later_cases() -> Iterator[Case]:
    """Each of these pollutions of each of these tables."""
    for table in later_tables():
        for make in _POLLUTIONS:
            yield from make(table)


def _office(table: Table) -> Iterator[Case]:
    width, rows = len(table.header), (table.header, *table.rows)
    pad = [""] * (width - 1)
    text = written(rows)
    yield table.case("title in the middle", written([["", "Report", *[""] * (width - 2)], [""] * width, *rows]))
    yield table.case("three titles padded", written([["Agency", *pad], ["Year 2024", *pad], [""] * width, *rows]))
    yield table.case("notes behind, padded", written([*rows, [""] * width, ["Notes", *pad], ["1 provisional", *pad]]))
    yield table.case("keys and values in front", f"Station,Bonn\nHeight,60\nOwner,DWD\n\n{text}")
    yield table.case(
        "semicolons in Latin-1, CRLF", written(rows, delimiter=";", lineterminator="\r\n").encode("latin-1")
    )
    yield table.case("texts quoted, semicolons", written(rows, delimiter=";", quoting=csv.QUOTE_ALL))
    yield table.case("UTF-16 with tabs", written(rows, delimiter="\t", lineterminator="\r\n").encode("utf-16"))


def _programs(table: Table) -> Iterator[Case]:
    rows = (table.header, *table.rows)
    numbered = [(str(i), *row) for i, row in enumerate(table.rows, 1)]
    wide = tuple(map(tuple, numbered))
    yield table.case(
        "names of rows without a name", written([table.header, *numbered]), header=("", *table.header), rows=wide
    )
    yield table.case(
        "pandas with its index", written([("", *table.header), *numbered]), header=("", *table.header), rows=wide
    )
    yield table.case(
        "header behind a number sign", "#" + written(rows), header=("#" + table.header[0], *table.header[1:])
    )
    yield table.case("tabs, one at each end", written(rows, delimiter="\t").replace("\n", "\t\n"))
    yield table.case(
        "line ends of two kinds",
        "".join(line + ("\r\n" if i % 2 else "\n") for i, line in enumerate(written(rows).splitlines())),
    )
    yield table.case(
        "bars with blanks around",
        "".join(" | ".join(row) + "\n" for row in rows if not any("," in c for c in row))
        if table.name != "money"
        else written(rows),
    )
    yield table.case("a percent sign before comments", f"% exported\n% 2024\n{written(rows)}")
    yield table.case(
        "header with quotes, rows without", ",".join(f'"{name}"' for name in table.header) + "\n" + written(table.rows)
    )


def _broken(table: Table) -> Iterator[Case]:
    middle, rows = len(table.rows) // 2, table.rows
    again = written([table.header, *rows[:middle], table.header, *rows[middle:]])
    yield table.case("the header once more between rows", again, rows=(*rows[:middle], table.header, *rows[middle:]))
    cut = written((table.header, *rows))[: -len(",".join(rows[-1])) // 2 - 1]
    yield table.case("cut off in the last row", cut, rows=rows[:-1], broken=1)
    yield table.case("first row short", written([table.header, rows[0][:1], *rows[1:]]), rows=rows[1:], broken=1)
    spaced = [tuple(f" {cell}" for cell in row) for row in rows]
    yield table.case("blanks before all cells", written([table.header, *spaced]))
    yield table.case("no header, semicolons", written(rows, delimiter=";"), header=())
    yield table.case("no header, two lines in front", f"exported\nby hand\n{written(rows)}", header=())


_POLLUTIONS: tuple[Callable[[Table], Iterator[Case]], ...] = (_office, _programs, _broken)
