"""What a run of ``make test-faults`` put in, written into the page of guarantees: a row per fault and place."""

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


class Row(NamedTuple):
    """A fault, where it was put in, at how many places it could be, at how many it was, and how long that took."""

    what: str
    where: str
    possible: str
    done: str
    seconds: str


@dataclass
class Figures:
    """The rows of a run."""

    rows: list[Row] = field(default_factory=list)

    @contextmanager
    def timed(self, what: str, where: str) -> Iterator[dict[str, int]]:
        """Notes a row when its block ends well; ``possible`` and ``done`` are to be set in it."""
        found, started = {"possible": 0, "done": 0}, time.monotonic()
        yield found
        spent = f"{time.monotonic() - started:.0f}"
        self.rows.append(Row(what, where, f"{found['possible']:,}", f"{found['done']:,}", spent))

    def write(self) -> None:
        """Puts the rows into the page; those that another run of the same command made stay."""
        text = PAGE.read_text("utf-8")
        before, inside, after = re.split(f"{re.escape(_BEGIN)}|{re.escape(_END)}", text)
        rows = {tuple(row[:2]): row for row in (*_rows_of(inside), *self.rows)}
        share = "" if SHARE == 1 else f" SHARE={SHARE:g}"
        made = f"Made by `make test-faults{share}` on {machine()}."
        table = "\n".join([*_HEADER, *(f"| {' | '.join(row)} |" for row in rows.values())])
        PAGE.write_text(f"{before}{_BEGIN}\n\n{made}\n\n{table}\n\n{_END}{after}", "utf-8")


def _rows_of(text: str) -> list[Row]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [Row(*(cell.strip() for cell in line.strip("| ").split(" | "))) for line in lines[2:]]
