"""Whether as many numbers are below zero as usual: a sign that is lost, or turned, shows in hardly anything else."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Mask, SuspectRows, percent, room_of
from profiling_core.algorithms.batch_anomalies.history import ColumnSummary, series
from profiling_core.algorithms.batch_anomalies.surprise import angle, by_luck, odds, share
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.lesson import LEAST_LOADS

# The share has changed by so much, or none is on one side of zero any more.
_MUCH = 0.2
_LATEST = 28


def signs(case: Case, name: str, before: Sequence[ColumnSummary]) -> Iterator[Anomaly]:
    """A number of which far more or far fewer values than ever are negative; ``before`` are the loads with values."""
    now = case.found.columns[name]
    if len(before) < LEAST_LOADS or len(before) != len(case.history.loads) or not now.rows:
        return
    counts, rows = series([c.negative, c.rows] for c in before).T
    found = case.surprise(
        angle(counts, rows)[:, None], angle(np.array([float(now.negative)]), float(now.rows)), *case.noise()
    )
    part, usual = now.negative / now.rows, float(share(found.expected, float(np.median(rows)))[0])
    least, most = float((counts / rows).min()), float((counts / rows).max())
    together = (counts[-_LATEST:].sum() + 0.5) / (rows[-_LATEST:].sum() + 1)
    level = case.level / len(case.found.columns)
    chance = max(float(found.chance[0]), by_luck(part, now.rows, float(together)))
    large = abs(part - usual) >= _MUCH or part in (0.0, 1.0)
    if chance >= level or not large or least <= part <= most:
        return
    fewer = part < usual
    said = f"{now.negative:,} of {now.rows:,}" if part not in (0.0, 1.0) else "all" if part else "none"
    yield Anomaly(
        "signs",
        f"{said} of the values of {name} are negative, usually about {percent(usual)}"
        if part in (0.0, 1.0)
        else f"{said} values of {name} are negative ({percent(part)}), usually about {percent(usual)}",
        (name,),
        cause="signs that were lost?" if fewer else "signs that were turned?",
        suspect_rows=None if fewer else _negative(name),
        magnitude=odds(chance) / odds(level),
        size=part - usual,
        room=room_of(part, now.rows),
    )


def _negative(name: str) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> Mask:
        below = pc.less(doubles(present(rows[name])), 0.0)
        mask: Mask = pc.fill_null(below, fill_value=False).to_numpy()
        return mask

    return suspect_rows
