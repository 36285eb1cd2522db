"""Whether as many cells of each column changed as usual; of rows that were there before, each is its own witness.

What happened to the cells is read off the rows before: the likeliest change that gives most of the new values.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Mask, listed, values_of
from profiling_core.algorithms.batch_anomalies.form import digits_in_words
from profiling_core.algorithms.batch_anomalies.garbled import garbled
from profiling_core.algorithms.batch_anomalies.history import LoadSummary, series
from profiling_core.algorithms.batch_anomalies.moments import duration, swapped, zone
from profiling_core.algorithms.batch_anomalies.renamed import WRITINGS
from profiling_core.algorithms.batch_anomalies.sketch import HOUR, grains_of, micros_of
from profiling_core.algorithms.batch_anomalies.sources import numbers_of
from profiling_core.algorithms.batch_anomalies.surprise import LATEST, Figures, counted_by_luck, odds
from profiling_core.algorithms.batch_anomalies.undoing import FACTOR, WAYS, likeliest, offset, scaled
from profiling_core.algorithms.columns.changed_cells import CellChange, changes, values_before
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import LogicalType, TypeClass

KIND = "changes"
# An explanation gives four of five unusual changes, as new writings do (renamed): some cells change by right that day.
_MOST = 0.8
# Numbers that were rounded after a change of unit lie within this share of what the change gives.
_ROUNDED = 0.01
# Each code has four cells on average. With one cell each, any change maps each old value to one new value.
_REPEATED = 4
_VALUES = (CellChange.OTHER, CellChange.RISEN, CellChange.FALLEN)
# Each changed cell has one of these changes.
_OF_ALL = (CellChange.OTHER, CellChange.FILLED, CellChange.EMPTIED)
_BARE = {
    CellChange.OTHER: ("changed", ""),
    CellChange.RISEN: ("rose", ""),
    CellChange.FALLEN: ("fell", ""),
    CellChange.FILLED: ("are there and were not", ""),
    CellChange.EMPTIED: ("are empty and were not", "a field that was not filled?"),
}


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges how many cells of each column have another value, have one where none was, or have none any more."""
    own = replace(case, level=case.level / (len(CellChange) * max(1, len(case.found.columns))))
    for name in case.found.columns:
        every = {kind: one for kind in CellChange if (one := _counted(own.of(name), name, kind))}
        for kind, one in _unusual(every, own.level).items():
            yield _anomaly(own, name, kind, one) if one.now > one.usual else _fewer(own, name, kind, one)


def _unusual(every: Mapping[CellChange, "_Counted"], level: float) -> dict[CellChange, "_Counted"]:
    """The unusual numbers; where more cells have other values than usual, fewer that rose or fell are no news."""
    found = {kind: one for kind, one in every.items() if one.chance < level}
    more = {kind: found[kind] for kind in _VALUES if kind in found and found[kind].now > found[kind].usual}
    if len(more) > 1 and CellChange.OTHER in every:  # one change raises some values and lowers others
        chance = min(one.chance for one in more.values())
        more = {CellChange.OTHER: every[CellChange.OTHER]._replace(chance=chance)}
    return {kind: one for kind, one in found.items() if not more or kind not in _VALUES} | more


def is_renewed(case: Case, name: str) -> bool:
    """Whether most of the rows that change have usually had another value of a column: their values are news."""
    loads = [load for load in case.of(name).usual if load.rows]
    changed = [sum(_count(load, name, kind) or 0 for kind in _OF_ALL) / load.rows for load in loads]
    return 2 * sum(share > 1 / 2 for share in changed) > len(changed)


def are_changed_back(case: Case, names: Collection[str]) -> bool:
    """Whether cells of columns may be as they were before the last load: it was odd in them, or broke their rules.

    As many as it changed may, and as many rows as broke rules; three standard deviations more are chance.
    """
    last = case.every.loads[-1]
    broken = max((case.broken.get(name, 0) for name in names), default=0)
    before, now = (_changed(load, names) for load in (last, case.summary))
    return (last.is_odd_in(names) or broken > 0) and now <= before + broken + 3 * sqrt(before + broken)


def _changed(load: LoadSummary, names: Collection[str]) -> int:
    """The changed cells of columns, or all changed rows."""
    return sum(_count(load, name, kind) or 0 for name in names for kind in _OF_ALL) if names else load.rows


class _Counted(NamedTuple):
    """A number of changed cells: its chance, the usual number, the spread of its root."""

    now: int
    chance: float
    usual: float
    spread: float

    @property
    def further(self) -> float:
        """How far it is from the usual, on the scale on which chance moves all numbers equally."""
        return float(np.sqrt(self.now) - np.sqrt(self.usual))


def _counted(case: Case, name: str, kind: CellChange) -> _Counted | None:
    now = (case.found.columns[name].cells or {}).get(kind, 0)
    counts = series([_count(load, name, kind)] for load in case.history.loads)
    known = counts[np.isfinite(counts)]
    every = [load.rows for load in case.history.loads]
    if len(known) < LEAST_LOADS or (now == case.found.rows and counts.ravel().tolist() == every):
        return None  # a column that changes with each row tells no more than the number of rows
    found = case.surprise(np.sqrt(counts), np.sqrt([float(now)]), unit=0.5)  # chance moves all roots equally
    usual = max(0.0, float(found.expected[0])) ** 2
    luck = counted_by_luck(now, max(float(known[-LATEST:].mean()), 0.5 / len(known)))
    return _Counted(now, max(float(found.chance[0]), luck), usual, float(found.spread[0]))


def _anomaly(case: Case, name: str, kind: CellChange, found: _Counted) -> Anomaly:
    most = max(_MOST * (found.now - found.usual) / found.now, 1 / 2)
    cells = changes(case.found.sample, name).get(kind, np.zeros(len(case.found.sample), np.bool_))
    happened = _Change(case, name, case.found.sample.filter(pa.array(cells)), most)
    are_seen = bool(cells.any())  # the sample of a great load may have none of them
    told = next(happened.likeliest(), _BARE[kind]) if are_seen and kind is not CellChange.EMPTIED else _BARE[kind]
    usually = "none" if found.usual < 1 / 2 else f"about {found.usual:,.0f}"
    return Anomaly(
        KIND,
        f"{values_of(found.now, case.found.rows, name)} {told[0]}, usually {usually}",
        (name,),
        cause=told[1],
        details=happened.examples() if are_seen else (),
        suspect_rows=lambda rows: changes(rows, name).get(kind, np.zeros(len(rows), np.bool_)),
        magnitude=odds(found.chance) / odds(case.level),
        subject=kind.name.casefold(),
        size=found.further,
        room=found.spread,
    )


def _fewer(case: Case, name: str, kind: CellChange, found: _Counted) -> Anomaly:
    """Fewer cells changed than usual: the column may be that of an earlier file."""
    return Anomaly(
        KIND,
        f"{f'{found.now:,}' if found.now else 'no'} value{'' if found.now == 1 else 's'} of {name} {_BARE[kind][0]}, "
        f"usually about {found.usual:,.0f}",
        (name,),
        cause="the values of an earlier load?",
        magnitude=odds(found.chance) / odds(case.level),
        subject=f"fewer {kind.name.casefold()}",
        size=found.further,
        room=found.spread,
    )


def _count(load: LoadSummary, name: str, kind: CellChange) -> int | None:
    """How many cells of a column an earlier load changed so; None: unknown."""
    column = load.columns.get(name)
    if column is None or not load.rows:
        return None if column is None else 0
    return None if column.cells is None else column.cells.get(kind, 0)


@dataclass(frozen=True, slots=True)
class _Change:
    """The rows in which a column's cells changed in one way, and the share of them that an explanation gives."""

    case: Case
    name: str
    rows: pa.Table
    most: float

    def examples(self) -> tuple[str, ...]:
        """The commonest changes in words."""
        if self.name in self.case.hidden:
            return ()
        columns = (values_before(self.rows, self.name), self.rows[self.name])
        old, now = (["nothing" if cell is None else str(cell) for cell in column.to_pylist()] for column in columns)
        pairs = Counter(zip(old, now, strict=True)).most_common(3)
        return (f"For example, {listed([f'{was} became {became}' for (was, became), _ in pairs])}.",)

    def likeliest(self) -> Iterator[tuple[str, str]]:
        """What gives most of the new values, and its likely cause; the likelier first."""
        own, before, now = self.case.schema.column(self.name), values_before(self.rows, self.name), self.rows[self.name]
        yield from self._of_another_column()
        old, new = before.to_pylist(), now.to_pylist()
        if own.type is LogicalType.STRING:
            yield from self._written_otherwise(old, new)
            if self._is_most(garbled(now) & ~garbled(before)):
                yield "are read in a wrong encoding", "UTF-8 read as Latin-1, or letters that were lost?"
        value, count = Counter(new).most_common(1)[0]
        default = self._is_most(count) and len(new) > 1
        became = f"became {self.case.shown(self.name, str(value))}"
        are_one = own.type.type_class is TypeClass.NUMERIC and len({*old}) == 1  # it may be a hundred times what it was
        if default and not are_one:
            yield became, "a default?" if len({*old}) > 1 else ""
        if len({*old} | {*new}) <= 2 < len(new) and not are_one:
            yield "are the other one of two values", "inverted?"
        if own.type.type_class is TypeClass.NUMERIC:
            yield from self._of_numbers(numbers_of(before), numbers_of(now))
        elif own.type.type_class is TypeClass.TEMPORAL and not before.null_count:
            yield from self._of_times(micros_of(before) / HOUR, micros_of(now) / HOUR)
        if default and are_one:
            yield became, ""
        yield from self._by_value(old, new)

    def _shown(self, names: list[str]) -> str:
        return "" if self.name in self.case.hidden else f": {listed(names, 3)}"

    def _is_most(self, found: Sequence[bool] | Mask | int) -> bool:
        count = found if isinstance(found, int) else int(np.sum(np.asarray(found, np.bool_)))
        return count >= self.most * len(self.rows)

    def _of_another_column(self) -> Iterator[tuple[str, str]]:
        own, now = self.case.schema.column(self.name), self.rows[self.name]
        for other in self.case.schema.profiled:
            of_numbers = other.type.type_class is own.type.type_class is TypeClass.NUMERIC
            if other.name != self.name and (other.type is own.type or of_numbers):
                same = pc.fill_null(pc.equal(now, values_before(self.rows, other.name)), fill_value=False)
                if self._is_most(same.to_numpy()):
                    yield f"are those of {other.name}", f"{other.name} in place of {self.name}?"

    def _written_otherwise(self, old: Sequence[str | None], now: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The forms of writing in which texts differ from those before, and in nothing else; or they are cut."""
        for writing in WRITINGS:
            if self._is_most([writing.same(was or "") == writing.same(is_) for was, is_ in zip(old, now, strict=True)]):
                yield f"changed in {writing.said} alone", "written otherwise?"
        longest = max(map(len, now))
        if self._is_most([(was or "").startswith(is_) for was, is_ in zip(old, now, strict=True)]):
            yield f"are cut at {longest} character{'' if longest == 1 else 's'}", "texts cut?"

    def _of_numbers(self, old: Figures, now: Figures) -> Iterator[tuple[str, str]]:
        fine, coarse = (max(grains_of(some[np.isfinite(some) & (some != 0)]), default=0) for some in (old, now))
        if coarse < fine and self._is_most(np.abs(now - old) < 10.0**-coarse):
            yield f"are {digits_in_words(coarse)} and were {digits_in_words(fine)}", "rounded, or digits lost?"

        def unusual(undone: Figures) -> float:
            return 0.0 if self._is_most(np.abs(undone - old) <= _ROUNDED * np.abs(old)) else np.inf

        ratios = (now / old)[(old != 0) & np.isfinite(now / old)]
        by = float(np.median(ratios)) if len(ratios) else 1.0
        own = (scaled(by, "", FACTOR),) if by > 0 and by != 1 else ()  # as a year's salary for a month's
        if way := likeliest((*WAYS, offset(float(np.median(now - old))), *own), now, unusual):
            yield way.said, way.cause
        powers = np.log10(ratios[ratios > 0])
        if self._is_most((np.round(powers) > 0) & (np.abs(powers - np.round(powers)) <= _ROUNDED)):
            yield "have lost their decimal point", "another decimal mark?"

    def _of_times(self, old: Figures, now: Figures) -> Iterator[tuple[str, str]]:
        if self._is_most([swapped(int(hour)) == int(was) for was, hour in zip(old, now, strict=True)]):
            yield "have day and month exchanged", "another format of dates?"
        hours = float(np.median(now - old))
        if hours and self._is_most(now - old == hours):
            yield f"are {duration(hours)} {'later' if hours > 0 else 'earlier'}", zone(hours)

    def _by_value(self, old: Sequence[object], now: Sequence[object]) -> Iterator[tuple[str, str]]:
        """Each value has become another one; or the values are in other rows."""
        pairs = Counter(zip(old, now, strict=True))
        codes = {was: (new, count) for (was, new), count in reversed(pairs.most_common())}
        are_codes = len({new for new, _ in codes.values()}) == len(codes) <= len(now) / _REPEATED
        if are_codes and len(codes) > 1 and self._is_most(sum(count for _, count in codes.values())):
            yield (
                "have other codes" + self._shown(sorted(f"{new} for {was}" for was, (new, _) in codes.items())),
                "other codes?",
            )
        others = {*now} - {*old} if isinstance(now[0], str) else set()  # numbers and times are often new
        if len(others) <= len(now) / _REPEATED and self._is_most([new in others for new in now]):
            yield "have values that were not there" + self._shown(sorted(map(str, others))), "other codes?"
        if len(now) > 1 and self._is_most((Counter(old) & Counter(now)).total()):
            yield "are in other rows", "the values of other rows?"
