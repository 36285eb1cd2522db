"""Anomalies of a load, in words for people and with the rows that show them; and the input of a judge."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from profiling_core.algorithms.batch_anomalies.history import LoadHistory, LoadSummary
from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.batch_anomalies.surprise import LATEST, Figures, Surprise, surprise
from profiling_core.algorithms.batch_anomalies.value_counts import UNCOUNTED, ValueCounts
from profiling_core.model.alert_budget import USUAL_PER_MONTH, AlertBudget
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType


class DeltaPart(StrEnum):
    """The part of a delta that a load is: new rows, rows that update earlier ones (as they are now), removed rows."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"


Mask = npt.NDArray[np.bool_]
SuspectRows = Callable[[pa.Table], Mask]
Values = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Anomaly:
    """One anomaly of a load; :class:`~profiling_core.model.finding.Finding` explains the parts.

    ``suspect_rows`` selects the rows of a batch that are at fault; None: no row that came (others are missing).
    ``mended`` gives the right texts of a row's wrong cells; None: unknown. ``missing`` is how many rows have not come
    by
    this anomaly. ``size`` is its distance from the usual on a scale of its own, with its direction, and ``room`` the
    part
    that chance explains. What only ``explains`` others is no evidence by itself, and what is so ``again`` no news.
    """

    kind: str
    headline: str
    columns: tuple[str, ...] = ()
    cause: str = ""
    details: tuple[str, ...] = ()
    suspect_rows: SuspectRows | None = None
    magnitude: float = 1.0
    subject: str = ""
    whole_load: bool = True
    mended: Callable[[Values], Values] | None = None
    missing: float = 0.0
    size: float = 0.0
    room: float = 0.0
    values: tuple[str, ...] = ()
    explains: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Audience:
    """Who is told of a load: how many false alarms they accept, and which columns' values they may not see.

    Loads that nobody ``listens`` to, as the first ones of a table, show how far chance goes in this feed. ``part`` is
    the part of a delta that the load is. ``taken`` are the rows that the load before was odd in taking, bringing or
    lacking, and that this one may mend; a ``late`` one brings what others did not. ``broken`` are, by column, the rows
    of the delta before that broke rules.
    """

    budget: AlertBudget
    hidden: frozenset[str] = frozenset()
    listens: bool = True
    part: DeltaPart = DeltaPart.NEW
    taken: int = 0
    late: bool = False
    broken: Mapping[str, int] = field(default_factory=dict)


EVERYBODY = Audience(AlertBudget(USUAL_PER_MONTH))


@dataclass(frozen=True, slots=True)
class Case:
    """A load that is judged: its profile, the loads before, and the accepted chance of a false alarm per judge.

    ``every`` has all loads, and ``history`` those that it is judged by, without the ones that are odd in ``columns``
    (None: in any). ``hidden`` are columns whose values no sentence may show; ``latest`` the loads just before it, odd
    or not, whose common values count as usual. Rows of a load that ``mends`` may come again. ``table`` has
    the rows of the table by value, ``broken`` by column those of the delta before that broke rules.
    """

    id: str
    found: Profile
    summary: LoadSummary
    history: LoadHistory
    every: LoadHistory
    schema: TableSchema
    level: float
    hidden: frozenset[str] = frozenset()
    columns: tuple[str, ...] | None = None
    latest: tuple[LoadSummary, ...] = ()
    part: DeltaPart = DeltaPart.NEW
    mends: bool = False
    late: bool = False
    table: ValueCounts = UNCOUNTED
    broken: Mapping[str, int] = field(default_factory=dict)

    def of(self, *columns: str) -> "Case":
        """The case of these columns (none: of the load as a whole): loads that are odd in others are usual in them."""
        return replace(self, columns=columns, history=self.every.settled(columns))

    @property
    def usual(self) -> list[LoadSummary]:
        """The latest loads without odd ones; all of them, if the others are too few."""
        loads = self.history.loads[-LATEST:]
        usual = [load for load in loads if not load.is_odd_in(self.columns)]
        return usual if len(usual) >= LEAST_LOADS else list(loads)

    def may_name_sources(self, besides: Collection[str]) -> list[str]:
        """The other columns of texts, which may name the source of rows; numbers and times are sizes or moments."""
        texts = (column.name for column in self.schema.profiled if column.type is LogicalType.STRING)
        return [name for name in texts if name not in besides]

    def surprise(self, history: Figures, now: Figures, unit: Figures | float, floor: Figures | float = 0.0) -> Surprise:
        """How surprising figures of the load are, given those of the loads before, or of the latest of them."""
        unknown = np.full((len(self.history.loads) - len(history), len(now)), np.nan)
        units, floors = (np.broadcast_to(np.asarray(some, np.float64), now.shape) for some in (unit, floor))
        before = np.vstack([unknown, history.reshape(-1, len(now))])
        return surprise(before, now, self.history.seasons(self.id), units, floors)

    def noise(self) -> tuple[float, float]:
        """The standard deviation of a share by chance, in angles; and its part beyond that of the usual row count."""
        usual = float(np.median([load.rows for load in self.history.loads] or [0]))
        of_now, of_usual = 0.25 / self.found.rows, 0.25 / max(1.0, usual)
        return float(np.sqrt(of_now)), float(np.sqrt(max(0.0, of_now - of_usual)))

    def shown(self, column: str, value: str) -> str:
        """A value, masked if its column is hidden."""
        return "•••" if column in self.hidden else value


def room_of(share: float, rows: float) -> float:
    """The chance variation of a share of ``rows`` rows: two standard deviations, and a row."""
    return float(rooms_of(np.array(share), rows))


def rooms_of(shares: Figures, rows: Figures | float) -> Figures:
    """The same of several shares, each of its own number of rows."""
    known = np.maximum(1.0, rows)
    # the bound of a share between several loads may lie below 0, or above 1, where chance moves nothing
    rooms: Figures = 2 * np.sqrt(np.clip(shares * (1 - shares), 0.0, None) / known) + 1 / known
    return rooms


def everywhere(rows: pa.Table) -> Mask:
    """bool[n]: all rows."""
    return np.ones(len(rows), np.bool_)


def with_a_value(column: str) -> SuspectRows:
    """The rows that have a value in the column."""
    return lambda rows: rows[column].is_valid().to_numpy()


def values_of(count: int, total: int, column: str) -> str:
    """``all 87 values of amount``, ``the value of amount``, ``65 values of customer``."""
    if count == 1:
        return f"the value of {column}" if total == 1 else f"1 value of {column}"
    return f"{'all ' if count == total else ''}{count:,} values of {column}"


LEAST_CHANGE = 0.01
"""Changes within this share of the usual are no news, however regular the loads have been."""
ALMOST_NONE = 0.0005
"""A usual share below this, or above 1 minus it, has no number in a message: it would be rounded to 0.0 %."""


def percent(share: float) -> str:
    """``58%``, ``0.4%``."""
    return f"{share:.0%}" if share >= 0.095 or share == 0 else f"{share:.1%}"


def so_many(count: int, rows: int) -> str:
    """``57 of 85 rows (67%) have``, ``1 of 85 rows (1.2%) has``, ``all 85 rows have``, ``none of 85 rows have``."""
    if count in (0, rows):
        return f"{'all' if count else 'none of'} {rows:,} rows have"
    return f"{count:,} of {rows:,} rows ({percent(count / rows)}) {'has' if count == 1 else 'have'}"


def listed(values: Mapping[str, object] | list[str], most: int = 5) -> str:
    """``NY, NJ and 3 more``."""
    names = list(values)
    more = len(names) - most
    if more > 0:
        return f"{', '.join(names[:most])} and {more} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
