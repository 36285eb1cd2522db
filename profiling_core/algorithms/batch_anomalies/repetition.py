"""Whether rows come again: another day's file under a new name, a doubled file, or a repeated part."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Mask, everywhere, percent, room_of
from profiling_core.algorithms.batch_anomalies.history import KEPT_HASHES, LoadHistory, LoadSummary
from profiling_core.algorithms.batch_anomalies.profile import load_hashes
from profiling_core.algorithms.columns.repeats import repeats

# Repeated rows are unusual from this many on, this share of the load, and this multiple of the greatest share so far.
_LEAST_ROWS = 3
_LEAST_SHARE = 0.1
_TIMES = 3.0
# If every row comes twice, the file was doubled; this needs earlier loads to have repeated less than this share.
_HALF = 0.5


def judge(case: Case) -> Iterator[Anomaly]:
    """Compares the load as a whole with earlier ones, else its rows with each other and with those of earlier loads.

    Rows may repeat those of any load, odd or not, unless the load brings back what an odd one took.
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
    if not case.mends:
        yield from _again(case)


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
    share, usual = case.found.repeats, max((load.repeats for load in _usual(case).loads), default=1.0)
    count, whole = round(share * case.found.rows), bool((case.found.copies > 1).all())
    many = share >= max(_LEAST_SHARE, _TIMES * usual) or (whole and usual < _HALF)
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


def _again(case: Case) -> Iterator[Anomaly]:
    """Rows of earlier loads that come again."""
    usual = max((load.again for load in _usual(case).loads), default=1.0)
    share, load = overlap(case.summary, case.history.loads)
    count = round(share * case.found.rows)
    if load is None or count < _LEAST_ROWS or share < max(_LEAST_SHARE, _TIMES * usual):
        return
    known = np.array(load.hashes, np.uint64)

    def suspect_rows(rows: pa.Table) -> Mask:
        return np.isin(load_hashes(rows, case.schema), known)

    yield Anomaly(
        "repeated load",
        f"about {count:,} of the rows ({percent(share)}) have come before, with {load.id}",
        cause="a part of an old file?",
        suspect_rows=suspect_rows,
        magnitude=5.0,
        subject="rows",
        size=share,
        room=room_of(share, min(case.found.rows, KEPT_HASHES)),
    )


def overlap(now: LoadSummary, loads: tuple[LoadSummary, ...]) -> tuple[float, LoadSummary | None]:
    """The greatest share of a load's rows that one earlier load has had, by the hashes kept of both; and that load."""
    best: tuple[float, LoadSummary | None] = (0.0, None)
    for load in loads:
        end = min(_end(now), _end(load))
        own = [value for value in now.hashes if value <= end]
        shared = len(set(own) & set(load.hashes))
        if own and shared / len(own) > best[0]:
            best = shared / len(own), load
    return best


def _end(load: LoadSummary) -> int:
    """The hash up to which all of a load's hashes are kept."""
    return load.hashes[-1] if len(load.hashes) == KEPT_HASHES else 2**64
