"""Whether a column is stuck: one value in all rows, or in far more than ever, where rows have always differed."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import (
    Anomaly,
    Case,
    Mask,
    SuspectRows,
    percent,
    so_many,
    with_a_value,
)
from profiling_core.algorithms.batch_anomalies.categories import mix_of
from profiling_core.algorithms.batch_anomalies.history import ColumnSummary, series
from profiling_core.algorithms.batch_anomalies.surprise import Figures, angle, odds, share
from profiling_core.algorithms.columns.learning import is_rare
from profiling_core.model.lesson import LEAST_LOADS

_MUCH = 0.25
# A share of one value that is within this of another one is about as large.
_LIKE = 0.1


def judge(case: Case) -> Iterator[Anomaly]:
    """Each column by the share of its commonest value."""
    for name in case.found.columns:
        before = case.history.column(name)
        if sum(column.rows > 1 for column in before) >= LEAST_LOADS and case.found.columns[name].rows > 1:
            yield from _stuck(case, name, before)


def _stuck(case: Case, name: str, before: Sequence[ColumnSummary]) -> Iterator[Anomaly]:
    now = case.summary.columns[name]
    level = case.level / len(case.found.columns)
    several = [column for column in before if column.rows > 1]
    tops_of_various = [column.top for column in several if not column.one_value]
    if now.one_value:
        rare = is_rare(len(several) - len(tops_of_various), len(several))
        chance = float(np.mean(np.array(tops_of_various or [1.0]) ** (now.rows - 1)))
        if rare and chance < level:
            said = f"all {now.rows:,} rows have the same {name}"
            yield _told(name, said, with_a_value(name), chance / level, 1.0 - min(tops_of_various, default=0.0))
        return
    if mix_of(case, name) is not None:
        return  # the mix of few values is judged by itself
    rows, tops = _tops(before)
    found = case.surprise(tops, angle(np.array([now.top * now.rows]), now.rows), *case.noise())
    usual = float(share(found.expected, float(np.nanmedian(rows)))[0])
    most = max(tops_of_various, default=1.0)
    if found.chance[0] < level and now.top > most and now.top - usual > _MUCH:
        said = f"{so_many(round(now.top * now.rows), now.rows)} the same {name}, usually about {percent(usual)}"
        yield _told(name, said, _commonest(name), float(found.chance[0]) / level, now.top - usual)


def _tops(before: Sequence[ColumnSummary]) -> tuple[Figures, Figures]:
    """float64[loads, 1], float64[loads, 1]: rows, NaN where there is one at most, and shares of the commonest value."""
    rows = series([column.rows if column.rows > 1 else None] for column in before)
    return rows, angle(rows * series([column.top] for column in before), rows)


def _told(name: str, said: str, suspect_rows: SuspectRows, ratio: float, size: float) -> Anomaly:
    return Anomaly(
        "stuck",
        said,
        (name,),
        cause="a value that is repeated, or a default?",
        suspect_rows=suspect_rows,
        magnitude=1 + odds(ratio),
        size=size,
        room=_LIKE,
    )


def _commonest(name: str) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> Mask:
        counted = rows[name].drop_null().combine_chunks().value_counts()
        value = counted.field("values")[int(np.argmax(counted.field("counts").to_numpy()))]
        mask: Mask = pc.fill_null(pc.equal(rows[name], value), fill_value=False).to_numpy()
        return mask

    return suspect_rows
