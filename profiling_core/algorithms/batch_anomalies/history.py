"""The history of a table's loads: a summary of each of the latest, as plain JSON data."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from math import ceil
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from profiling_core.algorithms.batch_anomalies.copies import Pair, equal_columns
from profiling_core.algorithms.batch_anomalies.orders import counted_after
from profiling_core.algorithms.batch_anomalies.profile import Profile, twins_of
from profiling_core.algorithms.batch_anomalies.sketch import STEPS, ColumnSketch, Counts
from profiling_core.algorithms.batch_anomalies.sources import (
    Panel,
    Panels,
    earlier_panels,
    numbers_of,
    panels_of,
)
from profiling_core.algorithms.batch_anomalies.surprise import LATEST, WINDOW, Figures, seasons_of
from profiling_core.algorithms.batch_anomalies.things import Things, followed_by
from profiling_core.model.delta import BEFORE
from profiling_core.model.delta_ids import moment_of
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import Stored
from profiling_core.model.types import TypeClass

# Hashes of a load's rows that are kept to recognise it, and hours of a load that are kept, at most.
KEPT_HASHES = 64
MOST_HOURS = 200
_DIGITS = 4
# The shares of the rows at which the numbers of a column are kept.
LEVELS = np.linspace(0.0, 1.0, 11)
# Up to this many odd loads in a row are left out: the next one is judged by those before, and their incident goes on.
_STILL_ODD = 6
LASTING = _STILL_ODD + 1
# Loads that keep their panels, so that enough of them are usual.
_WITH_PANELS = LATEST + _STILL_ODD
# Odd loads that make up more than this share of all count as usual.
_FEW_ODD = 0.2
# The kind of anomalies that the next load mended.
_MENDED = "mended"
# The kinds of anomalies by which rows are missing.
_OF_FEWER = ("row count", "completeness")
_SECONDS_OF_A_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class ColumnSummary(Stored):
    """One column of a load: the part of its sketch that is kept.

    In addition ``size``, the median size of its numbers in doublings; the ``spread`` between their quartiles; ``top``,
    the share of the commonest value; the number of ``distinct`` values; and the ``deciles`` of numbers, with the least
    and the greatest one. ``marked`` texts begin with neither a letter nor a digit, ``twins`` are rows that repeat
    another one in all columns but this (None: unknown), and ``cells`` counts the changed ones by what happened.
    ``after`` has by other column the rows of the sample in which this one is later, and those that have both.
    """

    __listed__: ClassVar[bool] = True
    rows: int
    nulls: int
    digest: int
    one_value: bool
    negative: int
    garbled: int
    size: float | None
    spread: float | None
    top: float
    distinct: int
    longest: int | None
    values: Mapping[str, int] | None
    hours: Counts | None
    grains: Counts
    deciles: tuple[float, ...] = ()
    marked: int | None = None
    twins: int | None = None
    cells: Counts | None = None
    after: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, found: ColumnSketch, counts: Sequence[int], deciles: tuple[float, ...], twins: int | None) -> Self:
        """The summary of a column's sketch, of the counts and deciles of its values, and of its rows' twins.

        These are those of all rows, or of the sample.
        """
        low, size, high = (_quantile(found.sizes, share) for share in (0.25, 0.5, 0.75))
        spread = None if low is None or high is None else high - low
        hours = found.hours if found.hours is not None and 0 < len(found.hours) <= MOST_HOURS else None
        return cls(
            found.rows,
            found.nulls,
            found.digest,
            found.has_one_value,
            found.negative,
            found.garbled,
            size,
            spread,
            round(max(counts) / sum(counts), _DIGITS) if counts else 0.0,
            len(counts),
            max(found.lengths, default=None),
            found.values,
            hours,
            found.grains,
            deciles,
            found.marked,
            twins,
            found.cells,
        )

    @classmethod
    def _as_fields(cls, data: Any) -> Any:
        place, kept = cls.__slots__.index("deciles"), list(data)
        if not isinstance([*kept, ()][place], Sequence):
            del kept[place]  # earlier releases counted stand-ins here
        return kept


class Shown(NamedTuple):
    """An anomaly that a load showed: its kind, columns and subject, whether something was more than usual, and how far.

    ``magnitude`` is as in an anomaly: 1 is the bar.
    """

    kind: str
    columns: tuple[str, ...]
    subject: str
    more: bool
    magnitude: float = 0.0

    def is_like(self, other: "Shown") -> bool:
        """Whether both show the same, however far."""
        return self[:-1] == other[:-1]


@dataclass(frozen=True, slots=True)
class LoadSummary(Stored):
    """One load.

    ``repeats`` is the share of rows that came twice; ``hashes`` are the smallest of its rows'. ``panels`` has the
    numbers by group. ``odd``: it had an anomaly; ``shown`` are the anomalies of an odd load (none: unknown). ``equal``
    are columns that are equal to another one (None: unknown).
    """

    __listed__: ClassVar[bool] = True
    id: str
    rows: int
    repeats: float
    hashes: tuple[int, ...]
    columns: Mapping[str, ColumnSummary]
    equal: tuple[Pair, ...] | None = None
    odd: bool = False
    panels: Panels = ()
    shown: tuple[Shown, ...] = ()

    def mended(self, figures: Collection[tuple[str, tuple[str, ...]]]) -> Self:
        """The load after what it showed in these figures was mended; it stays odd in their columns."""
        shown = (one._replace(kind=_MENDED) if (one.kind, one.columns) in figures else one for one in self.shown)
        return replace(self, shown=tuple(shown))

    def is_odd_in(self, columns: Collection[str] | None) -> bool:
        """Whether it is odd as a whole or in one of these columns (None: in any)."""
        if not self.odd or columns is None or not self.shown:
            return self.odd
        return any(not one.columns or not set(columns).isdisjoint(one.columns) for one in self.shown)

    def panel(self, by: str) -> Panel | None:
        """The numbers by the names in these columns; None: unknown."""
        return next((panel for panel in self.panels if panel.by == by), None)

    @classmethod
    def _as_fields(cls, data: Any) -> Any:
        name, rows, repeats, *data = data
        if not isinstance(data[0], Sequence):
            del data[0]  # earlier releases counted rows of earlier loads here
        hashes, columns, equal, *later = data
        equal = None if isinstance(equal, dict) else equal  # earlier releases kept correlations in its place
        # earlier releases kept sizes by group, and magnitudes that nobody was told of
        later = [one for one in later if not isinstance(one, dict)]
        return [name, rows, repeats, hashes, columns, equal, *later[:1], *map(earlier_panels, later[1:2]), *later[2:3]]


def summarised(delta_id: str, found: Profile, schema: TableSchema) -> LoadSummary:
    """The summary that is kept of a load."""
    deciles = {c.name: deciles_of(found, c.name) for c in schema.profiled if c.type.type_class is TypeClass.NUMERIC}
    twins = {name: int(there.sum()) for name, there in twins_of(found.sample, schema).items()}
    # of changed rows the sample has the changed cells alone, in which many are alike
    whole = len(found.sample) == found.rows and BEFORE not in found.sample.column_names
    columns = {
        name: ColumnSummary.of(column, _counts(found, name), deciles.get(name, ()), twins.get(name) if whole else None)
        for name, column in found.columns.items()
    }
    hashes = tuple(np.unique(found.hashes)[:KEPT_HASHES].tolist())
    panels = panels_of(found, schema)
    repeats = round(found.repeats, _DIGITS)
    equal = tuple(equal_columns(found, schema))
    after = counted_after(found, schema)
    columns = {name: replace(column, after=after.get(name, {})) for name, column in columns.items()}
    return LoadSummary(delta_id, found.rows, repeats, hashes, columns, panels=panels, equal=equal)


def deciles_of(found: Profile, name: str) -> tuple[float, ...]:
    """The least number of a column in the sample, its deciles, and the greatest; empty: it has no finite number."""
    numbers = numbers_of(found.sample[name])
    there = np.isfinite(numbers)
    return quantiles(numbers[there]) if there.any() else ()


def quantiles(numbers: Figures) -> tuple[float, ...]:
    """The least number, the deciles, and the greatest number, each of them a number that came: float64[n], n > 0."""
    return tuple(float(f"{x:.12g}") for x in np.quantile(numbers, LEVELS, method="inverted_cdf"))


def _counts(found: Profile, name: str) -> list[int]:
    """The counts of a column's values: in all rows if known, else in the sample."""
    column = found.columns[name]
    if column.values:
        return list(column.values.values())
    if column.has_one_value:
        return [column.rows]
    counts: list[int] = found.sample[name].drop_null().combine_chunks().value_counts().field("counts").to_pylist()
    return counts


def _quantile(counts: Counts, share: float) -> float | None:
    """The size that this share of the rows does not exceed, in doublings."""
    if not counts:
        return None
    sizes = np.array(sorted(counts))
    upto = np.cumsum([counts[size] for size in sizes.tolist()])
    return float(sizes[np.searchsorted(upto, share * upto[-1])]) / STEPS


@dataclass(frozen=True, slots=True)
class LoadHistory(Stored):
    """The latest loads of a table; ``lengths`` counts the texts of all loads per column by characters.

    ``since`` is the first load that was judged with enough others; empty: there has been none. ``things`` are those of
    which new rows speak again.
    """

    loads: tuple[LoadSummary, ...] = ()
    lengths: Mapping[str, Counts] = field(default_factory=dict)
    since: str = ""
    things: tuple[Things, ...] = ()

    @property
    def has_rows(self) -> bool:
        """Whether some load had rows."""
        return any(load.rows for load in self.loads)

    def followed_by(self, load: LoadSummary, found: Profile, schema: TableSchema) -> "LoadHistory":
        """The history with one more load."""
        lengths = {
            name: dict(Counter(self.lengths.get(name, {})) + Counter(column.lengths))
            for name, column in found.columns.items()
            if column.lengths or name in self.lengths
        }
        load = replace(load, panels=tuple(panel for panel in load.panels if self._may_come_again(panel)))
        *older, last = (*self.loads, load)[-WINDOW:]
        faded = [replace(one, panels=()) for one in older[: -_WITH_PANELS + 1]]
        odd = [name for name in found.columns if self._is_still_odd(load, name)]
        things = followed_by(self.things, found, schema, odd)
        return LoadHistory((*faded, *older[-_WITH_PANELS + 1 :], last), lengths, self.since, things)

    def _is_still_odd(self, load: LoadSummary, name: str) -> bool:
        """Whether a load is odd in a column, and the run of odd loads is too short to be the new usual."""
        before = self.loads[-_STILL_ODD:]
        lasts = len(before) == _STILL_ODD and all(one.is_odd_in((name,)) for one in before)
        return load.is_odd_in((name,)) and not lasts

    def _may_come_again(self, panel: Panel) -> bool:
        """Whether the names of a panel are not new with each load, as a running number is."""
        before = next((known for one in reversed(self.loads) if (known := one.panel(panel.by))), None)
        return before is None or not set(before.names).isdisjoint(panel.names)

    @property
    def days(self) -> float:
        """The usual distance of loads in days; 1 if their ids do not show it."""
        moments = [moment for load in self.loads if (moment := moment_of(load.id))]
        gaps = sorted((b - a).total_seconds() for a, b in pairwise(moments))
        return max(gaps[len(gaps) // 2], 1.0) / _SECONDS_OF_A_DAY if gaps else 1.0

    def is_late(self, delta_id: str) -> bool:
        """Whether a load is further from the one before than any so far: one between was refused, or did not come."""
        last, now = moment_of(self.loads[-1].id) if self.loads else None, moment_of(delta_id)
        known = [moment for load in self.loads if (moment := moment_of(load.id))]
        gaps = [b - a for a, b in pairwise(known)]
        return last is not None and now is not None and bool(gaps) and now - last > max(gaps)

    @property
    def lacking(self) -> int:
        """How many rows, at least one, the last load lacks of the middle number, if it was odd in too few; else 0."""
        if not any(one.kind in _OF_FEWER and not one.more for load in self.loads[-1:] for one in load.shown):
            return 0
        usual = float(np.median([load.rows for load in self.loads]))
        return max(1, ceil(usual) - self.loads[-1].rows)

    def begun(self, delta_id: str) -> "LoadHistory":
        """The history with this load as the first that could be judged, if there are enough before it."""
        return self if self.since or len(self.loads) < LEAST_LOADS else replace(self, since=delta_id)

    def under(self, named: Mapping[str, str]) -> "LoadHistory":
        """The history after columns of the table were renamed; ``named`` has the former name by present name."""
        former = {old: new for new, old in named.items()}
        loads = tuple(_under(load, former) for load in self.loads)
        lengths = {former[name]: counts for name, counts in self.lengths.items() if name in former}
        things = tuple(one.under(former) for one in self.things if one.by in former)
        return LoadHistory(loads, lengths, self.since, things)

    def flagged(self, odd: Mapping[str, bool]) -> "LoadHistory":
        """The history with these loads marked as odd, or not."""
        return replace(self, loads=tuple(replace(one, odd=odd.get(one.id, one.odd)) for one in self.loads))

    def without_the_table(self) -> "LoadHistory":
        """The history of new rows as the first change of earlier rows comes: what the table began with is no load."""
        return self.flagged({self.loads[0].id: True}) if len(self.loads) == 1 else self

    def also_odd(self, shown: tuple[Shown, ...]) -> "LoadHistory":
        """The history with its last load odd in these ways, too."""
        *before, last = self.loads
        return replace(self, loads=(*before, replace(last, odd=True, shown=(*last.shown, *shown))))

    def mended(self, figures: Collection[tuple[str, tuple[str, ...]]]) -> "LoadHistory":
        """The history whose last load mended the one before it in these figures, by kind and columns.

        What was mended was an error, and is no habit of the feed (record.py).
        """
        if not figures:
            return self
        *before, wrong, last = self.loads
        return replace(self, loads=(*before, *(load.mended(figures) for load in (wrong, last))))

    def settled(self, columns: Collection[str] | None = None) -> "LoadHistory":
        """The history without loads that are odd in these columns (None: in any) or as a whole.

        Those that are usual by their number stay.
        """
        loads = self.loads
        if not any(load.odd for load in loads):
            return self
        odd = next((i for i, load in enumerate(reversed(loads)) if not load.is_odd_in(columns)), len(loads))
        if 0 < odd <= _STILL_ODD and len(loads) - odd >= LEAST_LOADS:
            loads = loads[:-odd]
        runs = ((odd, tuple(run)) for odd, run in groupby(loads, key=lambda load: load.is_odd_in(columns)))
        usual = tuple(load for odd, run in runs for load in run if not odd or len(run) > _STILL_ODD)
        few = len(usual) >= max(LEAST_LOADS, (1 - _FEW_ODD) * len(loads))
        return replace(self, loads=usual if few else loads)

    def column(self, name: str) -> list[ColumnSummary]:
        """A column in the loads that had it: all, or the latest if it was added later."""
        return [load.columns[name] for load in self.loads if name in load.columns]

    def seasons(self, now: str) -> tuple[object, ...]:
        """The season of each load, and of the one that has come now."""
        return seasons_of((*(load.id for load in self.loads), now))

    @classmethod
    def _as_fields(cls, data: Any) -> Any:
        later = (load[0] for load in data["loads"][LEAST_LOADS:])
        return {"since": next(later, "")} | data  # histories of 0.1.0 have no since


def _under(load: LoadSummary, former: Mapping[str, str]) -> LoadSummary:
    columns = {former[name]: _renamed(column, former) for name, column in load.columns.items() if name in former}
    panels = [p.under(former) for p in load.panels if all(name in former for name in p.columns)]
    known = (tuple(former.get(name, "") for name in pair) for pair in load.equal or ())
    equal = None if load.equal is None else tuple((one, other) for one, other in known if one and other)
    shown = tuple(one._replace(columns=tuple(former.get(name, name) for name in one.columns)) for one in load.shown)
    return replace(load, columns=columns, panels=tuple(panels), equal=equal, shown=shown)


def _renamed(column: ColumnSummary, former: Mapping[str, str]) -> ColumnSummary:
    return replace(column, after={former[name]: counts for name, counts in column.after.items() if name in former})


def series(rows: Iterable[Sequence[float | tuple[float | None, ...] | None]]) -> Figures:
    """float64[loads, figures], NaN for None."""
    return np.array([*rows], np.float64)
