"""What runs of ``make test-faults`` put in, written into the page of guarantees: a row per fault and place.

A run may do a part (``ONLY``), take less time (``SHARE``), and go on where the page ends (``MORE``): then its figures
are added to those of the page.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.processes import machine
from stack.files import REPOSITORY

PAGE = REPOSITORY / "docs" / "guarantees.md"
_BEGIN, _END = "<!-- figures, written by make test-faults -->", "<!-- end of the figures -->"
_HEADER = ("| what | where | there are | put in | seconds |", "| --- | --- | ---: | ---: | ---: |")
# Of the time that there is for all faults; `make test-faults SHARE=0.1` takes a tenth of it.
SHARE = float(os.environ.get("FAULTS_SHARE", "1"))
MORE = os.environ.get("FAULTS_MORE") == "1"


class Row(NamedTuple):
    """A fault, where it was put in, at how many places it could be, at how many it was, and how long that took."""

    what: str
    where: str
    possible: str
    done: str
    seconds: str

    def and_more(self, possible: int, done: int, seconds: float, *, grows: bool) -> "Row":
        """The row with what a run adds to it; ``grows``: as many more there are."""
        return self._replace(
            possible=f"{(_number(self.possible) if grows else 0) + possible:,}",
            done=f"{_number(self.done) + done:,}",
            seconds=f"{_number(self.seconds) + seconds:.0f}",
        )


@dataclass
class Figures:
    """The rows of a run, and those that it adds to."""

    rows: list[Row] = field(default_factory=list)
    before: dict[tuple[str, str], Row] = field(default_factory=lambda: _page_rows() if MORE else {})

    def done_before(self, what: str, where: str, possible: int) -> int:
        """How many faults the runs before this one put in, where this one goes on."""
        row = self.before.get((what, where))
        return _number(row.done) if row and _number(row.possible) == possible else 0

    @contextmanager
    def timed(self, what: str, where: str, *, grows: bool = True) -> Iterator[dict[str, int]]:
        """Notes a row when its block ends well; ``possible`` and ``done`` are to be set in it.

        With ``grows`` a further run has others to do, and not the rest of these.
        """
        found, started = {"possible": 0, "done": 0}, time.monotonic()
        yield found
        begun = Row(what, where, "0", "0", "0")
        row = self.before.get((what, where), begun)
        if not grows and _number(row.possible) != found["possible"]:
            row = begun
        self.rows.append(row.and_more(found["possible"], found["done"], time.monotonic() - started, grows=grows))

    def write(self) -> None:
        """Puts the rows into the page; those that another run of the same command made stay."""
        text = PAGE.read_text("utf-8")
        before, inside, after = re.split(f"{re.escape(_BEGIN)}|{re.escape(_END)}", text)
        rows = {tuple(row[:2]): row for row in (*_rows_of(inside), *self.rows)}
        made = f"Made by `make test-faults` on {machine()}, in parts: what each of them put in, and how long that took."
        table = "\n".join([*_HEADER, *(f"| {' | '.join(row)} |" for row in rows.values())])
        PAGE.write_text(f"{before}{_BEGIN}\n\n{made}\n\n{table}\n\n{_END}{after}", "utf-8")


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _page_rows() -> dict[tuple[str, str], Row]:
    inside = PAGE.read_text("utf-8").partition(_BEGIN)[2].partition(_END)[0]
    return {(row.what, row.where): row for row in _rows_of(inside)}


def _rows_of(text: str) -> list[Row]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [Row(*(cell.strip() for cell in line.strip("| ").split(" | "))) for line in lines[2:]]
