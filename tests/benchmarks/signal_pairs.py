"""Clean tables made dirty: public tables whose errors are known because they are put in, as cleaning is measured.

``hospital`` and ``tax10k`` are read from a directory that a person has (``DATA=directory``), since this repository may
not carry them. Their rows come in 40 deltas, shuffled by a seed: the files are sorted, and a delta of one state more
is no usual delta. In 5 % of a delta's rows one cell is wrong, after the noise models of HoloClean (Rekatsinas et al.,
PVLDB 2017: a character becomes ``x``), BART (Arocena et al., PVLDB 2015: a value of the same column from another row)
and Raha (Mahdavi et al., SIGMOD 2019: missing values).
"""

import csv
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from benchmarks.datasets import unmarked
from benchmarks.signal_feeds import Feed, Row, cut
from benchmarks.spoiling import Spoiled

PAIRS = ("hospital", "tax10k")
DELTAS = 40
SHARE = 0.05
_FIRST = date(2024, 1, 1)


def pairs(directory: Path) -> Iterator[Feed]:
    """The tables that the directory has, as feeds."""
    for name in PAIRS:
        path = directory / f"{name}.csv"
        if path.exists():
            yield _feed(name, path)


def _feed(name: str, path: Path) -> Feed:
    with unmarked(path).open(encoding="utf-8", newline="") as file:
        rows: list[Row] = [{column: value or None for column, value in row.items()} for row in csv.DictReader(file)]
    random.Random(name).shuffle(rows)
    days = {id(row): _FIRST + timedelta(days=number * DELTAS // len(rows)) for number, row in enumerate(rows)}
    return cut(name, rows, lambda row: days[id(row)].isoformat(), {})


def dirtied(kind: str, rows: Sequence[Row], feed: Feed, seed: int) -> Spoiled | None:
    """A delta with errors of a kind in some of its rows, one cell each; None: there is no room for them."""
    rng = random.Random(f"{kind} {seed} {feed.name}")
    after, wrong = list(rows), set()
    for i in rng.sample(range(len(rows)), max(1, round(SHARE * len(rows)))):
        name = rng.choice([column for column in feed.schema.names if rows[i][column]])
        spoilt = PAIR_KINDS[kind](str(rows[i][name]), [row[name] for row in rows], rng)
        if spoilt != rows[i][name]:
            after[i] = rows[i] | {name: spoilt}
            wrong.add(i)
    return Spoiled(after, frozenset(wrong)) if wrong else None


def _misspelt(text: str, _: Sequence[str | None], rng: random.Random) -> str | None:
    at = rng.randrange(len(text))
    return f"{text[:at]}x{text[at + 1 :]}"


def _of_another_row(text: str, values: Sequence[str | None], rng: random.Random) -> str | None:
    return rng.choice([value for value in values if value != text] or [text])


def _missing(_: str, __: Sequence[str | None], ___: random.Random) -> str | None:
    return None


def _any(text: str, values: Sequence[str | None], rng: random.Random) -> str | None:
    return rng.choice((_misspelt, _of_another_row, _missing))(text, values, rng)


PAIR_KINDS: Mapping[str, Callable[[str, Sequence[str | None], random.Random], str | None]] = {
    "a character wrong": _misspelt,
    "another row's value": _of_another_row,
    "a value missing": _missing,
    "all three": _any,
}
