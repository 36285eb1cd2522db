"""Tables as people publish them, at random: each is written in some dialect, with lines in front, between and behind.

A file is a :class:`Case`, so that what a program reads is compared with the table that the file was made from.
"""

import csv
import io
import random
import re
from collections.abc import Callable, Sequence

from benchmarks.reading_cases import Case

_WORDS = re.findall(r"\w+", "oak lime elm ash birch alder pine larch rowan hazel maple willow poplar cedar spruce yew")
_NAMES = re.findall(
    r"\w+",
    "year month region district name code amount count share price weight length note status kind date rate total city "
    "street number group level class owner station depth temp speed height first last mean",
)
_TITLES = (
    "Trees by district",
    "Annual report of the forest office",
    "Export of 3 May 2021",
    "Table 4.2: Trees felled, in thousands",
    "Created by: Forest Data Service",
    "All figures are provisional",
    "Reporting period: 2019 - 2021",
)
_NOTES = (
    "Source: Forest office",
    "* provisional",
    "(1) without private forests",
    "Note: figures are rounded, and may not add up",
    "End of report",
    "Last updated 2021-05-03",
    "© Forest office 2021, licence CC BY 4.0",
)
_GROUPS = ("North", "South", "East", "West", "Centre", "Coast", "Hills", "Plain")
_DELIMITERS = (",", ",", ",", ";", ";", "\t", "|", "::", "||", "^", "~")
_DAYS = ("{y}-{m:02}-{d:02}", "{d:02}.{m:02}.{y}", "{m}/{d}/{y}", "{d:02}-{m:02}-{y}")


class _File:
    """A file that is being made: its table, its lines and what is odd about it."""

    def __init__(self, seed: int) -> None:
        rng = self._rng = random.Random(seed)
        self._delimiter = rng.choice(_DELIMITERS)
        self._quoting = rng.choice([csv.QUOTE_MINIMAL] * 3 + [csv.QUOTE_ALL])
        self._width, size = rng.randint(2, 12), rng.choice([3, 5, 8, 12, 20, 40, 80])
        mark = "," if self._delimiter != "," and rng.random() < 0.4 else "."
        columns = [self._column(mark) for _ in range(self._width)]
        gaps = [rng.choice([0, 0, 0, 0.1, 0.4]) if place else 0 for place in range(self._width)]
        null = rng.choice(["", "", "", "-", "NA", "n/a"])
        self._odd: list[str] = []
        self._rows = [
            [null if rng.random() < gap else made(i) for made, gap in zip(columns, gaps, strict=True)]
            for i in range(size)
        ]
        self.case = self._made(f"{seed}: {self._delimiter!r}, {size} × {self._width}")

    def _column(self, mark: str) -> Callable[[int], str]:
        """Makes the cells of a column of some kind, given the row."""
        rng = self._rng
        size, words, day = 10 ** rng.randint(1, 6), rng.sample(_WORDS, rng.randint(3, 12)), rng.choice(_DAYS)
        return rng.choice(
            [
                lambda _: str(rng.randint(1, size)),
                lambda _: f"{rng.uniform(-1, 1) * size:.2f}".replace(".", mark),
                lambda _: f"{rng.uniform(0, 100):.1f}".replace(".", mark),
                lambda _: day.format(y=rng.randint(1998, 2023), m=rng.randint(1, 12), d=rng.randint(1, 28)),
                lambda _: rng.choice(words),
                lambda _: " ".join(rng.choice(_WORDS).capitalize() for _ in range(rng.randint(1, 3))),
                lambda _: f"{rng.choice('ABCDEF')}{rng.randint(100, 999)}",
                lambda _: ", ".join(rng.choices(_WORDS, k=rng.randint(1, 4))),
                lambda _: rng.choice(["true", "false"]),
                lambda row: str(row + 1),
            ]
        )

    def _is(self, oddity: str, share: float) -> bool:
        """Whether the file has an oddity, which a share of such files has."""
        if is_so := self._rng.random() < share:
            self._odd.append(oddity)
        return is_so

    def _line(self, *cells: str, padded: bool = False) -> str:
        out = io.StringIO(newline="")
        mark = self._delimiter if len(self._delimiter) == 1 else "\uffff"
        filled = [*cells, *[""] * (self._width - len(cells) if padded else 0)]
        csv.writer(out, delimiter=mark, quoting=self._quoting, lineterminator="").writerow(filled)
        return out.getvalue().replace(mark, self._delimiter)

    def _made(self, name: str) -> Case:
        rng = self._rng
        lines, names = self._header()
        end = self._delimiter if self._is("delimiters at the end", 0.05) else ""
        head = [self._line(*line) + end for line in lines]
        body = [self._line(*row) + end for row in self._rows]
        if len(body) > 20 and head and self._is("header comes again", 0.06):
            body[len(body) // 2 : len(body) // 2] = head
        if len(body) > 8 and self._is("empty lines between rows", 0.04):
            for at in sorted(rng.sample(range(2, len(body)), 2), reverse=True):
                body.insert(at, "")
        text = rng.choice(["\n", "\n", "\r\n"]).join([*self._front(), *head, *body, *self._behind()])
        encoding = rng.choice(["utf-8"] * 5 + ["utf-8-sig", "cp1252", "utf-16"])
        content = (text + "\n" * (rng.random() < 0.8)).encode(encoding)
        return Case(f"{name}: {', '.join(self._odd) or 'plain'}", content, names, tuple(map(tuple, self._rows)))

    def _header(self) -> tuple[list[list[str]], tuple[str, ...]]:
        """The lines of the header, and the names in them."""
        rng, names = self._rng, self._rng.sample(_NAMES, self._width)
        if self._is("no header", 0.08):
            return [], ()
        if self._width > 6 and self._is("groups above the names", 0.12):
            size = rng.choice([2, 3])
            count = (self._width - 1) // size
            first = names[: self._width - count * size]
            groups = rng.choice([[str(2018 + i) for i in range(count)], rng.sample(_GROUPS, count)])
            below = rng.sample(["men", "women", "all", "share"], size)
            upper = [*[""] * len(first), *(cell for group in groups for cell in [group, *[""] * (size - 1)])]
            return [upper, [*first, *below * count]], (*first, *(f"{g} {name}" for g in groups for name in below))
        numbers = [cell.replace(",", ".").lstrip("-").replace(".", "").isdigit() for cell in self._rows[0]]
        if any(numbers) and self._is("units below the names", 0.08):
            units = [rng.choice(["kg", "m", "EUR", "%", "degC"]) if is_number else "" for is_number in numbers]
            bracketed = [f"[{unit}]" if unit else "" for unit in units]
            return [names, rng.choice([units, bracketed])], tuple(names)
        return [names], tuple(names)

    def _front(self) -> list[str]:
        rng = self._rng
        if rng.random() < 0.5:
            return []
        titles = rng.sample(_TITLES, rng.randint(1, 3))
        if self._is("comments in front", 0.2):
            return [f"# {title}" for title in titles]
        if self._is("keys and values in front", 0.25):
            keys = rng.sample(["Station", "Height", "Period", "Unit", "Contact"], rng.randint(2, 5))
            found = [self._line(key, rng.choice([str(rng.randint(1, 900)), "Bonn", "2019"])) for key in keys]
        else:
            padded = self._is("padded titles in front", 0.3)
            found = [self._line(title, padded=padded) for title in titles]
        empty = [rng.choice(["", self._line("", padded=True)])] if self._is("empty line in front", 0.6) else []
        return [*found, *empty]

    def _behind(self) -> list[str]:
        rng, found = self._rng, list[str]()
        if rng.random() < 0.55:
            return []
        if self._is("empty line behind", 0.5):
            found.append("")
        totals = _totals(self._rows)
        if any(totals) and self._is("totals behind", 0.3):
            found.append(self._line("Total", *totals))
        if not found or self._is("notes behind", 0.7):
            padded = self._is("padded", 0.3)
            found += [self._line(note, padded=padded) for note in rng.sample(_NOTES, rng.randint(1, 3))]
        return found


def _totals(rows: Sequence[Sequence[str]]) -> list[str]:
    """The sums of the columns of numbers, the first left out; other columns have none."""
    found = []
    for column in list(zip(*rows, strict=True))[1:]:
        cells = [cell.replace(",", ".") for cell in column if cell.strip("-NAna/")]
        try:
            digits = max((len(cell.partition(".")[2]) for cell in cells), default=0)
            total = f"{sum(map(float, cells)):.{digits}f}"
            found.append(total.replace(".", ",") if any("," in cell for cell in column) else total if cells else "")
        except ValueError:
            found.append("")
    return found


def made(seed: int) -> Case:
    """The file of a seed; its name tells what is odd about it."""
    return _File(seed).case
