"""Clean tables written as other programs and people write them: one pollution each, after Pollock (VLDB 2023).

``data/polluted.zip`` has them, ``data/README.md`` says how. A row that is broken, so that a person could not say what
its cells are, is not among the rows to read; a reader has to leave it out with a word, or refuse the file.
"""

import csv
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.rules_data import DATA

NOWHERE = "\0"
"""Stands for a cell of a clean version that its file does not have: its author mistyped, and nobody can read it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A polluted file: its name, its bytes, and the table in it.

    ``header`` is empty where the file names no columns; ``broken`` counts rows whose cells nobody could tell.
    ``lacks_name``: the header has one name fewer than rows have cells, and nothing says which column has none.
    ``is_debatable``: its author says that another reading may be right, too.
    """

    name: str
    content: bytes
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    broken: int = 0
    lacks_name: bool = False
    is_debatable: bool = False


def cases(*rounds: str) -> Iterator[Case]:
    """The cases of some rounds: ``one pollution``, ``later``, ``portals``."""
    with zipfile.ZipFile(DATA / "polluted.zip") as packed:

        def lines(member: str) -> list[tuple[str, ...]]:
            text = io.StringIO(packed.read(member).decode(), newline="")
            return [tuple(row) for row in csv.reader(text)]

        for of, name, file, clean, named, broken in lines("cases.csv")[1:]:
            if of in rounds:
                rows = lines(clean)
                header = rows.pop(0) if named == "yes" else ()
                yield Case(name, packed.read(file), header, tuple(rows), int(broken))
