"""Whether as many rows as usual are of a sort: without a value, with another row's value, or with the commonest one.

Each sort is one entry of a registry: how many rows of a load are of it, how many could be, and its words. All shares of
a load are judged together, on the scale on which chance moves them equally (the angular transform). A share that an
earlier load had, or that the row count explains by luck, is not reported.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import (
    Anomaly,
    Case,
    Mask,
    SuspectRows,
    percent,
    room_of,
    so_many,
    values_of,
    with_a_value,
)
from profiling_core.algorithms.batch_anomalies.categories import are_beyond, mix_of
from profiling_core.algorithms.batch_anomalies.history import ColumnSummary, series
from profiling_core.algorithms.batch_anomalies.orders import are_after, comparable
from profiling_core.algorithms.batch_anomalies.profile import SAMPLE, twins_of
from profiling_core.algorithms.batch_anomalies.sketch import are_marked, grains_of
from profiling_core.algorithms.batch_anomalies.sources import numbers_of
from profiling_core.algorithms.batch_anomalies.surprise import LATEST, angle, by_luck, odds, share
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.columns.learning import is_rare
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType, TypeClass

# Below this share, or above 1 minus it, a message names no number.
_HARDLY = 0.005
# The room of a share: another one within this distance is about as large.
_LIKE = 0.1
# Up to this share of the rows, the usual error rate, may break an order that columns keep.
_SELDOM = 0.05


@dataclass(frozen=True, slots=True)
class _Found:
    """An unusual share: its column, the count, the rows, and the usual share.

    ``top`` is the commonest value, as a sentence shows it; ``at_end``: no number is "greater", or "less", than it.
    """

    name: str
    count: int
    rows: int
    usual: float
    schema: TableSchema
    top: str = ""
    at_end: str = ""

    @property
    def fewer(self) -> bool:
        """Whether fewer rows than usual are of the sort."""
        return self.count / self.rows < self.usual


@dataclass(frozen=True, slots=True)
class _Sort:
    """An entry of the registry: a sort of rows.

    ``counted`` gives, for a column's summary, how many rows are of the sort, and how many could be (0: the share is
    unknown). Fewer rows are reported only with ``both_ways``. ``others`` are the other columns that it speaks of;
    ``tests`` sorts of a kind share what one may be told by chance.
    """

    kind: str
    counted: Callable[[ColumnSummary], tuple[float, int]]
    asked: Callable[[Case, str], bool]
    said: Callable[[_Found], str]
    cause: Callable[[_Found], str]
    suspect_rows: Callable[[_Found], SuspectRows | None]
    both_ways: bool = True
    others: tuple[str, ...] = ()
    tests: int = 1


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges the share of each sort in each column, and columns with one value."""
    if not case.found.rows:
        return
    yield from _of_one_value(case)
    judged = {name: case.of(name) for name in case.found.columns}
    for sort in (*SORTS, *_orders(case)):
        names = [name for name, own in judged.items() if _is_known(own, sort, name)]
        for _, alike in groupby(sorted(names, key=lambda name: _ids(judged[name])), lambda name: _ids(judged[name])):
            together = list(alike)  # the columns in which the same loads are usual
            yield from _of_sort(judged[together[0]], sort, together)


def _ids(case: Case) -> list[str]:
    return [load.id for load in case.history.loads]


def _is_known(case: Case, sort: _Sort, name: str) -> bool:
    """Whether the share is known for the load and for enough loads before it."""
    known = (True for column in case.history.column(name) if sort.counted(column)[1] > 0)
    enough = sum(islice(known, LEAST_LOADS)) == LEAST_LOADS
    return enough and sort.counted(case.summary.columns[name])[1] > 0 and sort.asked(case, name)


def _of_sort(case: Case, sort: _Sort, names: Sequence[str]) -> Iterator[Anomaly]:
    loads = case.history.loads
    counts, rows = np.moveaxis(series(_parts(sort, load.columns, names) for load in loads), -1, 0)
    own, there = series(_parts(sort, case.summary.columns, names)).T
    found = case.surprise(angle(counts, rows), angle(own, there), *case.noise())
    now = own / there
    beyond = are_beyond(now, counts / rows, there, rows)
    level = case.level / (len(case.found.columns) * sort.tests)
    latest = np.nansum(counts[-LATEST:], axis=0)
    together = (latest + 0.5) / (np.nansum(rows[-LATEST:], axis=0) + 1)
    for place, name in enumerate(names):
        part, usual = float(now[place]), float(share(found.expected, float(np.nanmedian(rows[:, place])))[place])
        if not beyond[place] or (part < usual and not sort.both_ways):
            continue
        chance = by_luck(part, float(there[place]), float(together[place]))
        if latest[place]:  # what never came has been forecast by none, and not varied either
            chance = max(chance, float(found.chance[place]))
        if chance < level:
            told = _Found(name, round(own[place]), int(there[place]), usual, case.schema, *_top_of(case, name))
            yield _anomaly(sort, told, odds(chance) / odds(level))


def _parts(
    sort: _Sort, columns: Mapping[str, ColumnSummary], names: Sequence[str]
) -> list[tuple[float | None, int | None]]:
    """Counts and rows of a load by column; None if the share is unknown."""
    known = (sort.counted(columns[name]) if name in columns else (0.0, 0) for name in names)
    return [counted if counted[1] else (None, None) for counted in known]


def _anomaly(sort: _Sort, found: _Found, magnitude: float) -> Anomaly:
    part = found.count / found.rows
    return Anomaly(
        sort.kind,
        sort.said(found),
        (found.name, *sort.others),
        cause=sort.cause(found),
        suspect_rows=sort.suspect_rows(found),
        magnitude=magnitude,
        size=part - found.usual,
        room=room_of(part, found.rows),
    )


def _of_one_value(case: Case) -> Iterator[Anomaly]:
    """Columns with one value in all rows, if rows have always differed."""
    level = case.level / len(case.found.columns)
    for name in case.found.columns:
        now = case.summary.columns[name]
        several = [column for column in case.of(name).history.column(name) if column.rows > 1]
        tops = [column.top for column in several if not column.one_value]
        if now.rows < 2 or not now.one_value or len(several) < LEAST_LOADS:
            continue
        chance = float(np.mean(np.array(tops or [1.0]) ** (now.rows - 1)))
        if chance < level and is_rare(len(several) - len(tops), len(several)):
            yield Anomaly(
                "stuck",
                f"all {now.rows:,} rows have the same {name}, {_top_of(case, name)[0]}",
                (name,),
                cause="a value that is repeated, or a default?",
                suspect_rows=with_a_value(name),
                magnitude=1 + odds(chance / level),
                size=1.0 - min(tops, default=0.0),
                room=_LIKE,
            )


def _usually(share: float) -> str:
    return "almost none" if share < _HARDLY else "nearly all" if share > 1 - _HARDLY else f"about {percent(share)}"


def _pairs(rows: int) -> int:
    return rows * (rows - 1) // 2


def _nulls(found: _Found) -> SuspectRows:
    wrong = pc.is_valid if found.fewer else pc.is_null
    return lambda rows: wrong(present(rows[found.name])).to_numpy()


def _commonest(found: _Found) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> Mask:
        mask: Mask = pc.fill_null(pc.equal(rows[found.name], _top(rows[found.name])), fill_value=False).to_numpy()
        return mask

    return suspect_rows


def _top(values: pa.ChunkedArray) -> pa.Scalar:
    counted = values.drop_null().combine_chunks().value_counts()
    return counted.field("values")[int(np.argmax(counted.field("counts").to_numpy()))]


def _top_of(case: Case, name: str) -> tuple[str, str]:
    """The commonest value, masked if its column is hidden, and whether no number is "greater", or "less"."""
    values = present(case.found.sample[name]).drop_null()
    if not len(values):
        return "", ""
    top = _top(values)
    if not _is_number(case, name):
        return case.shown(name, str(top)), ""
    numbers, number = doubles(values).to_numpy(), float(top.as_py())
    end = "greater" if number == numbers.max() else "less" if number == numbers.min() else ""
    return case.shown(name, f"{number:,.10g}"), end


def _said_of_one(found: _Found) -> str:
    said = f"{so_many(found.count, found.rows)} the same {found.name}"
    none = f", and none is {found.at_end}" if found.at_end else ""
    return f"{said}, {found.top}{none}, usually about {percent(found.usual)}"


def _said_of_repeats(found: _Found) -> str:
    again = "repeats" if found.count == 1 else "repeat"
    return f"{values_of(found.count, found.rows, found.name)} {again} another one of the load, usually none"


def _said_of_twins(found: _Found) -> str:
    rows = "1 row repeats another one" if found.count == 1 else f"{found.count:,} rows repeat other ones"
    usual = found.usual * found.rows
    return f"{rows} in all columns but {found.name}, usually {'none' if usual < 1 / 2 else f'about {usual:,.0f}'}"


def _said_of_negative(found: _Found, count: int, usual: float) -> str:
    return f"{so_many(count, found.rows)} a negative {found.name}, usually {_usually(usual)}"


def _said_of_marks(found: _Found) -> str:
    begin = "begins" if found.count == 1 else "begin"
    said = f"{values_of(found.count, found.rows, found.name)} {begin} with a sign or a blank"
    return f"{said}, usually {_usually(found.usual)}"


def _said_of_whole(found: _Found) -> str:
    one = "is a whole number" if found.count == 1 else "are whole numbers"
    return f"{values_of(found.count, found.rows, found.name)} {one}, usually {_usually(found.usual)}"


def _whole(found: _Found) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> Mask:
        numbers = numbers_of(rows[found.name])
        mask: Mask = np.isfinite(numbers) & (grains_of(np.nan_to_num(numbers)) <= 0)
        return mask

    return suspect_rows


def _come_again(found: _Found) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> Mask:
        counted = rows[found.name].drop_null().combine_chunks().value_counts()
        several = counted.field("values").filter(pc.greater(counted.field("counts"), 1))
        mask: Mask = pc.is_in(rows[found.name], value_set=several).to_numpy()
        return mask

    return suspect_rows


def _is_number(case: Case, name: str) -> bool:
    return case.schema.column(name).type.type_class is TypeClass.NUMERIC


def _has_no_mix(case: Case, name: str) -> bool:
    """Whether it has neither one value nor a mix that is judged by itself."""
    return not case.summary.columns[name].one_value and mix_of(case, name) is None


def _orders(case: Case) -> Iterator[_Sort]:
    """By ordered pair of columns a sort: one is after another, which it seldom is."""
    pairs = list(comparable(case.schema))
    for one, other in pairs:
        yield _order(one, other, max(1, len(pairs) // len(case.found.columns)))


def _order(one: str, other: str, tests: int) -> _Sort:
    def counted(column: ColumnSummary) -> tuple[int, int]:
        return column.after.get(other, (0, 0))

    def is_seldom(case: Case, name: str) -> bool:
        counts = [counted(column) for column in case.history.column(name)] if name == one else []
        return name == one and sum(after for after, _ in counts) <= _SELDOM * sum(both for _, both in counts)

    def said(found: _Found) -> str:
        return f"{so_many(found.count, found.rows)} {one} after {other}, usually {_usually(found.usual)}"

    return _Sort(
        "order",
        counted,
        is_seldom,
        said,
        lambda _: "exchanged, or one of them wrong?",
        lambda _: partial(are_after, one=one, other=other),
        both_ways=False,
        others=(other,),
        tests=tests,
    )


SORTS = (
    _Sort(
        "nulls",
        lambda column: (column.nulls, column.nulls + column.rows),
        lambda _, __: True,
        lambda found: f"{so_many(found.count, found.rows)} no {found.name}, usually {_usually(found.usual)}",
        lambda found: "a default instead of a missing value?" if found.fewer else "a field that was not filled?",
        _nulls,
    ),
    _Sort(
        "repeats",
        # by pairs of rows: of five times as many rows 25 times as many are alike by chance
        lambda column: (column.rows - column.distinct, _pairs(column.rows) if column.rows <= SAMPLE else 0),
        lambda case, name: all(known.distinct == known.rows for known in case.history.column(name)),
        _said_of_repeats,
        lambda _: "rows that were corrected, or joined with several others?",
        _come_again,
        both_ways=False,
    ),
    _Sort(
        "repeated rows",
        lambda column: (column.twins or 0, _pairs(column.rows) if column.twins is not None else 0),
        lambda _, __: True,
        _said_of_twins,
        lambda _: "rows that were corrected, or joined with several others?",
        lambda found: lambda rows: twins_of(rows, found.schema)[found.name],
        both_ways=False,
    ),
    _Sort(
        "signs",
        lambda column: (column.rows - column.negative, column.rows),
        _is_number,
        lambda found: _said_of_negative(found, found.rows - found.count, 1 - found.usual),
        lambda _: "signs lost?",
        lambda _: None,
        both_ways=False,
    ),
    _Sort(
        "negative",
        lambda column: (column.negative, column.rows),
        _is_number,
        lambda found: _said_of_negative(found, found.count, found.usual),
        lambda _: "the sign is turned, or a default?",
        lambda found: lambda rows: numbers_of(rows[found.name]) < 0,
        both_ways=False,
    ),
    _Sort(
        "precision",
        lambda column: (sum(count for digits, count in column.grains.items() if digits <= 0), column.rows),
        # all of them are whole: that is told as fewer digits than ever (form.py)
        lambda case, name: _is_number(case, name) and max(case.summary.columns[name].grains, default=0) > 0,
        _said_of_whole,
        lambda _: "rounded, or digits lost?",
        _whole,
        both_ways=False,
    ),
    _Sort(
        "marks",
        lambda column: (column.marked or 0, column.rows if column.marked is not None else 0),
        lambda case, name: case.schema.column(name).type is LogicalType.STRING,
        _said_of_marks,
        lambda _: "quotation marks or blanks around them?",
        lambda found: lambda rows: are_marked(pc.fill_null(rows[found.name], "x")),
    ),
    _Sort(
        "stuck",
        lambda column: (column.top * column.rows, column.rows if column.rows > 1 else 0),
        _has_no_mix,
        _said_of_one,
        lambda found: "numbers cut at a limit, or a default?" if found.at_end else "a value repeated, or a default?",
        _commonest,
        both_ways=False,
    ),
)
