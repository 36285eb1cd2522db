"""Whether rows come again: another day's file under a new name, a doubled file, or a part of it twice."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, everywhere, percent, room_of
from profiling_core.algorithms.batch_anomalies.history import LoadHistory, LoadSummary
from profiling_core.algorithms.batch_anomalies.profile import load_hashes
from profiling_core.algorithms.columns.repeats import repeats

# Repeated rows are unusual from this many on, and from this multiple of the greatest share so far.
_LEAST_ROWS = 3
_TIMES = 3.0
# What never came in n rows is rarer than 3/n, at an error of 5 % (Hanley and Lippman-Hand, JAMA 1983).
_NEVER = 3.0
# If every row comes twice, the file was doubled; this needs earlier loads to have repeated less than this share.
_HALF = 0.5


def judge(case: Case) -> Iterator[Anomaly]:
    """Compares the load as a whole with earlier ones, odd or not, else its rows with each other.

    A load that brings back what an odd one took may have an earlier load's rows.
    """
    case = replace(case, history=case.every)
    same = None if case.mends else _same_load(case)
    if same is not None:
        yield Anomaly(
            "repeated load",
            f"today's {case.found.rows:,} rows are those of {same.id}",
            cause="an old file under a new name?",
            suspect_rows=everywhere,
            magnitude=10.0,
            subject="load",
        )
        return
    yield from _doubled(case)


def _same_load(case: Case) -> LoadSummary | None:
    """The latest load with the same values in every column that tells loads apart, except times."""
    usual = _usual(case).loads
    if case.found.rows < _LEAST_ROWS or not usual:
        return None
    for load in reversed(case.history.loads):
        if load.rows == case.found.rows and load.hashes == case.summary.hashes and len(usual) == _different(usual):
            return load
    return _same_values(case)


def _usual(case: Case) -> LoadHistory:
    """The loads that show how much repeats by right: one copy of a file does not make the next one usual."""
    return case.history.settled()


def _same_values(case: Case) -> LoadSummary | None:
    telling = [name for name in case.found.columns if _tells_apart(case, name)]
    names = {*telling, *(name for name in case.found.columns if _varies(case, name))}
    alike = (load for load in reversed(case.history.loads) if load.rows == case.found.rows)
    return next((load for load in alike if telling and all(_is_same(case, load, name) for name in names)), None)


def _varies(case: Case, name: str) -> bool:
    """Whether rows differ here, and it is no time: ten home teams may be those of ten weeks ago."""
    return not case.summary.columns[name].one_value and case.found.columns[name].hours == {}


def _different(loads: tuple[LoadSummary, ...]) -> int:
    return len({load.hashes for load in loads})


def _tells_apart(case: Case, name: str) -> bool:
    """Whether no two loads had the same values here, and rows of one load differ; columns of times do not count."""
    known = _usual(case).column(name)
    various = [column for column in known if not column.one_value and column.rows >= _LEAST_ROWS]
    temporal = case.found.columns[name].hours
    differ = len(various) == len({column.digest for column in various})
    return len(various) > max(1, len(known) / 2) and differ and not temporal


def _is_same(case: Case, load: LoadSummary, name: str) -> bool:
    return name in load.columns and load.columns[name].digest == case.found.columns[name].digest


def _doubled(case: Case) -> Iterator[Anomaly]:
    loads = _usual(case).loads
    share, usual = case.found.repeats, max((load.repeats for load in loads), default=1.0)
    usual = max(usual, _NEVER / max(1, sum(load.rows for load in loads)))
    count, whole = round(share * case.found.rows), bool((np.unique(case.found.hashes, return_counts=True)[1] > 1).all())
    many = share >= _TIMES * usual or (whole and usual < _HALF)
    if count < _LEAST_ROWS or not many:
        return
    said = "every row came twice" if whole else f"{count:,} rows ({percent(share)}) came twice"
    cause = "the file concatenated with itself?" if whole else "a part of the file repeated?"
    yield Anomaly(
        "repeated rows",
        said,
        cause=cause,
        suspect_rows=lambda rows: repeats(load_hashes(rows, case.schema)),
        magnitude=5.0,
        subject="twice",
        size=share,
        room=room_of(share, case.found.rows),
    )
