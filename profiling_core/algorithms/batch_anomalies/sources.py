"""The numbers of each group of a load's rows: regions, currencies, stations, hours, stores, with one row or many.

Among the rows of one load a wrong number may be any other row's; compared with its own group's earlier numbers it
stands out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.batch_anomalies.surprise import Figures
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, TypeClass

# Numbers that are kept by groups of several rows, at most.
_MOST_COLUMNS = 14
JOINED = " · "  # between the parts of a group's name, for people
BESIDE = "\u241f"  # separates the parts of a name: the symbol for a unit separator
# A load's numbers by group are kept up to this many, about 32 kB.
_MOST_CELLS = 4_000
# Bounds of work and of kept numbers: columns that name each row, columns that are paired, values of a column that
# groups, and pairs of values.
_MOST_NAMING, _MOST_PAIRED, MOST_GROUPS, _MOST_PAIRS = 2, 3, 40, 100
_LEAST_SOURCES = 3
LEAST_ROWS = 4  # of a group that is judged: the median of fewer is any row
# If at least this many loads all had the same names, these are all names.
LEAST_PANEL = 2 * LEAST_LOADS
_DIGITS = 12


class Panel(NamedTuple):
    """The rows of a load by their names in ``by``, several columns joined by :data:`BESIDE`.

    Per name, ``rows`` is its number of rows, and ``numbers`` the median of their numbers.
    """

    by: str
    names: tuple[str, ...]
    rows: tuple[int, ...]
    numbers: Mapping[str, tuple[float | None, ...]]

    @property
    def columns(self) -> list[str]:
        """The columns that name rows."""
        return self.by.split(BESIDE)

    @property
    def names_each_row(self) -> bool:
        """Whether no two rows have the same name."""
        return max(self.rows) == 1

    def said(self, names: Sequence[str], number: str) -> Figures:
        """float64[names]: the number of each name, NaN if it has no row, or no number."""
        known = dict(zip(self.names, self.numbers.get(number, (None,) * len(self.names)), strict=True))
        return np.array([np.nan if (x := known.get(name)) is None else x for name in names], np.float64)

    def under(self, former: Mapping[str, str]) -> Self:
        """The panel after columns of the table were renamed."""
        numbers = {former[name]: some for name, some in self.numbers.items() if name in former}
        return self._replace(by=BESIDE.join(former[name] for name in self.columns), numbers=numbers)


Panels = tuple[Panel, ...]


def earlier_panels(stored: Sequence[Any]) -> list[Any]:
    """The stored panels of any release in today's form.

    In 0.2 panels had one row per name; later ones had moments and nulls by group, which are left out.
    """
    if stored and isinstance(stored[0], dict):
        names, numbers = stored
        return [(by, some, [1] * len(some), numbers) for by, some in names.items()]
    return [panel[: len(Panel._fields)] for panel in stored]


def panels_of(found: Profile, schema: TableSchema) -> Panels:
    """The panels by columns that name each row, then those by columns with few values; none with too many numbers."""
    naming = _naming(found, schema) if _LEAST_SOURCES <= found.rows == len(found.sample) <= _MOST_CELLS else {}
    known = set().union(*naming)
    numeric = [c.name for c in schema.profiled if c.type.type_class is TypeClass.NUMERIC]
    said = {n: numbers_of(found.sample[n]) for n in numeric if found.columns[n].rows and n not in known}
    some = dict(list(said.items())[:_MOST_COLUMNS])
    grouping = {by: names for by, names in _grouping(found, schema).items() if by not in naming}
    return (*_panels_by(naming, said, max(1, len(naming))), *_panels_by(grouping, some, 1))


def _panels_by(columns: Mapping[tuple[str, ...], list[str]], said: Mapping[str, Figures], most: int) -> Panels:
    """The panels by these columns that have, with all before, at most ``most`` times as many numbers as are kept."""
    groups = [(by, *_coded(names)) for by, names in columns.items()]
    cells = np.cumsum([len(names) for _, names, _ in groups]) * len(said)
    few = zip(groups, cells.tolist(), strict=True)
    return tuple(_panel(*group, said) for group, upto in few if upto <= _MOST_CELLS * most)


def _panel(by: Sequence[str], names: list[str], codes: npt.NDArray[np.intp], said: Mapping[str, Figures]) -> Panel:
    rows = tuple(np.bincount(codes, minlength=len(names)).tolist())
    numbers = {name: tuple(_middles(x, codes, len(names))) for name, x in said.items()}
    return Panel(BESIDE.join(by), tuple(names), rows, numbers)


def _grouping(found: Profile, schema: TableSchema) -> dict[tuple[str, ...], list[str]]:
    """The columns with few values, then pairs of the first ones, and each row's name in them.

    A column that an earlier one determines makes no groups of its own.
    """
    known: dict[tuple[str, ...], list[str]] = {}
    for by in _of_few(found, schema):
        names = names_of(found.sample, (by,))
        if not any(_determines(some, names) for some in known.values()):
            known[by,] = names
    first = list(known)[:_MOST_PAIRED]
    pairs = {(*one, *other): names_of(found.sample, (*one, *other)) for one, other in combinations(first, 2)}
    return known | {by: names for by, names in pairs.items() if len(set(names)) <= _MOST_PAIRS}


def _of_few(found: Profile, schema: TableSchema) -> list[str]:
    """The columns with few values: texts and truth values; whole numbers are sizes or times."""
    named = (c.name for c in schema.profiled if c.type.type_class in (TypeClass.STRING, TypeClass.BOOLEAN))
    few = [name for name in named if 1 < len(found.columns[name].values or ()) <= MOST_GROUPS]
    return sorted(few, key=lambda name: are_codes(found.columns[name].values or ()))


def _determines(some: Sequence[str], others: Sequence[str]) -> bool:
    return len(set(zip(some, others, strict=True))) == len(set(some))


def _naming(found: Profile, schema: TableSchema) -> dict[tuple[str, ...], list[str]]:
    """The first columns that name each row, alone or as the key without its day, and the names."""
    texts = [(c.name,) for c in schema.profiled if c.type is LogicalType.STRING]
    names = {by: names_of(found.sample, by) for by in (*texts, _key_within(found, schema)) if by}
    apart = [by for by, some in names.items() if len(set(some)) == found.rows]
    return {by: names[by] for by in sorted(apart, key=lambda by: are_codes(names[by]))[:_MOST_NAMING]}


def _key_within(found: Profile, schema: TableSchema) -> tuple[str, ...]:
    """The key's columns that differ within a load, without its day."""
    return tuple(name for name in schema.key if name in found.columns and not found.columns[name].has_one_value)


def names_of(rows: pa.Table, by: Sequence[str]) -> list[str]:
    """The name of each row: its texts in these columns, empty for nulls."""
    texts = [pc.fill_null(_written(rows[name]), "").to_pylist() for name in by]
    return [JOINED.join(parts) for parts in zip(*texts, strict=True)]


def _written(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column's values as texts; of a time on the day that most rows have its hour and minute: each load has a day."""
    if not pa.types.is_timestamp(values.type) or values.null_count == len(values):
        return values.cast(pa.string())
    days = pc.floor_temporal(values, unit="day")
    of_the_day = pc.equal(days, pc.mode(days.cast(pa.int64()))[0]["mode"].cast(days.type))
    return pc.if_else(of_the_day, pc.strftime(values, format="%H:%M"), values.cast(pa.string()))


def are_codes(names: Iterable[str]) -> bool:
    """Whether some have no small letter: people prefer names to codes."""
    return not all(any(map(str.islower, name)) for name in names)


def _coded(names: Sequence[str]) -> tuple[list[str], npt.NDArray[np.intp]]:
    distinct, codes = np.unique(np.array(names, np.str_), return_inverse=True)
    return distinct.tolist(), codes


def numbers_of(values: pa.ChunkedArray) -> Figures:
    """float64[n]: a column's numbers; nulls and infinities are NaN."""
    numbers = pc.fill_null(doubles(present(values)), np.nan).to_numpy()
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _middles(numbers: Figures, codes: npt.NDArray[np.intp], groups: int) -> Iterator[float | None]:
    """The median of each group, the lower one of two, so that it is a number that came."""
    order = np.lexsort((numbers, codes))
    there = order[np.isfinite(numbers[order])]
    counts = np.bincount(codes[there], minlength=groups)
    ends = np.cumsum(counts)
    for end, count in zip(ends, counts, strict=True):
        yield float(f"{numbers[there[end - count + (count - 1) // 2]]:.{_DIGITS}g}") if count else None


def named(by: Sequence[str], names: Sequence[str]) -> Callable[[pa.Table], npt.NDArray[np.bool_]]:
    """Selects the rows of these names."""
    wanted = frozenset(names)
    return lambda rows: np.array([name in wanted for name in names_of(rows, by)], np.bool_)
