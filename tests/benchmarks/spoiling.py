"""Puts errors into deltas: the delta before and after an error, and the lists of errors by name.

An error is a function of a :class:`Delta` that gives what came in its place, or finds that there is no room for it.
Where rows are missing, or a damaged file has to be refused, no row is wrong.
"""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.signal_feeds import Feed, Row
from profiling_core.model.types import LogicalType

NUMBERS = (LogicalType.INTEGER, LogicalType.FLOAT)
DATES = (LogicalType.DATE, LogicalType.TIMESTAMP)
TEXTS = (LogicalType.STRING,)
_ZEROS = ("0", "0.0")
_T = TypeVar("_T")


class NoRoom(Exception):
    """The table, or this delta of it, has nothing that an error of this kind could spoil."""


@dataclass(frozen=True)
class Spoiled:
    """A delta with errors: all its rows, which are wrong, and what its text has become (None: nothing)."""

    rows: Sequence[Row]
    wrong: frozenset[int]
    remade: Callable[[str], bytes] | None = None


@dataclass(frozen=True)
class Delta:
    """What an error begins with: a delta's rows, its feed, the rows of an earlier delta, and chance.

    ``count`` is the number of rows to spoil, for errors that are in some of the rows alone.
    """

    rows: list[Row]
    feed: Feed
    earlier: Sequence[Row]
    rng: random.Random
    count: int

    def kind(self, name: str) -> LogicalType:
        """A column's type."""
        return self.feed.schema.column(name).type

    def different(self, name: str, *, but: Collection[str] = ()) -> set[str]:
        """A column's values, each once, without nulls and without those that are left out."""
        return {text for row in self.rows if (text := row[name]) is not None and text not in but}

    def names(self, *kinds: LogicalType, least: int = 0) -> list[str]:
        """The columns of some types that have at least this number of different values."""
        known = [c.name for c in self.feed.schema.columns if c.type in kinds]
        return [name for name in known if len(self.different(name)) >= least]

    def measures(self) -> list[str]:
        """The columns of numbers with three different values besides zero."""
        return [name for name in self.names(*NUMBERS) if len(self.different(name, but=_ZEROS)) >= 3]

    def one(self, choices: Sequence[_T]) -> _T:
        """One of the choices by chance; there is no room where there are none."""
        if not choices:
            raise NoRoom
        return self.rng.choice(choices)

    def some(self, count: int) -> list[int]:
        """The places of some rows by chance, in order."""
        return sorted(self.rng.sample(range(len(self.rows)), count))

    def became(self, after: Sequence[Row], least: int = 1) -> Spoiled:
        """These rows in place of the delta's: those that differ are wrong, ``least`` of them or more."""
        wrong = frozenset(i for i, (row, was) in enumerate(zip(after, self.rows, strict=True)) if row != was)
        if len(wrong) < least:
            raise NoRoom
        return Spoiled(after, wrong)

    def each(self, change: Callable[[Row], Row], among: Collection[int] | None = None) -> Spoiled:
        """Every row changed, or those at some places alone."""
        return self.became([change(r) if among is None or i in among else r for i, r in enumerate(self.rows)])

    def cells(self, name: str, change: Callable[[str], str | None], among: Collection[int] | None = None) -> Spoiled:
        """The values of a column changed, nulls left as they are."""
        return self.each(lambda row: row if (text := row[name]) is None else row | {name: change(text)}, among)

    def cells_where(self, by: str, value: str, name: str, change: Callable[[str], str | None]) -> Spoiled:
        """The values of a column changed in the rows that have a value in another column."""
        return self.cells(name, change, [i for i, row in enumerate(self.rows) if row[by] == value])

    def with_more(self, more: Sequence[Row]) -> Spoiled:
        """Rows added behind the delta's, which are the wrong ones."""
        if not more:
            raise NoRoom
        return Spoiled([*self.rows, *more], frozenset(range(len(self.rows), len(self.rows) + len(more))))

    def only(self, keep: Callable[[Row], bool]) -> Spoiled:
        """Some of the rows alone."""
        return Spoiled([row for row in self.rows if keep(row)], frozenset())


Maker = Callable[[Delta], Spoiled]


class Errors(Mapping[str, Maker]):
    """A list of errors by name, in the order in which they are written down.

    Args:
        least: rows that a delta needs for an error of this list.
        share: of the rows that are spoilt, in lists whose errors are in some of the rows.
    """

    def __init__(self, least: int = 1, share: float | None = None) -> None:
        self._makers: dict[str, Maker] = {}
        self._least, self._share = least, share
        self.words: dict[str, str] = {}

    def __getitem__(self, name: str) -> Maker:
        return self._makers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def error(self, name: str, words: str = "") -> Callable[[Maker], Maker]:
        """Adds a function to the list.

        Args:
            name: what the error is called on the page.
            words: one of them, separated by bars, is in a headline that names the cause.
        """

        def added(maker: Maker) -> Maker:
            self._makers[name] = maker
            self.words[name] = words
            return maker

        return added

    def spoilt(self, kind: str, feed: Feed, rows: Sequence[Row], earlier: Sequence[Row], seed: int) -> Spoiled | None:
        """A delta with an error of a kind; None: there is no room for it in the table or in this delta."""
        if len(rows) < self._least:
            return None
        parts = (kind, seed, feed.name) if self._share is None else (kind, self._share, seed, feed.name)
        count = min(len(rows), max(1, round((self._share or 0) * len(rows))))
        try:
            return self[kind](Delta(list(rows), feed, earlier, random.Random(" ".join(map(str, parts))), count))
        except NoRoom:
            return None

    def of(self, feed: Feed, label: str, before: str, seed: int) -> Iterator[tuple[str, Spoiled]]:
        """The errors for which a delta has room, by name; ``before`` is the earlier delta."""
        for kind in self:
            spoilt = self.spoilt(kind, feed, feed.deltas[label], feed.deltas[before], seed)
            if spoilt is not None:
                yield kind, spoilt
