"""Whether two columns are exchanged in some rows: each has there what the other one is known to have.

It explains what else is found in the two columns, and is no evidence by itself.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Mask, SuspectRows, Values
from profiling_core.algorithms.batch_anomalies.sources import Panel, named
from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.types import LogicalType

# The numbers of a source have changed places if each is four times as near to the other's former one as these were to
# each other; in fewer than three sources chance does that.
_NEAR, _LEAST = 4, 3


def explained(case: Case) -> Iterator[Anomaly]:
    """The exchange of two columns of texts, or of two numbers of the same sources, in the most rows."""
    found = [*_of_texts(case), *_of_numbers(case)]
    if found:
        yield max(found, key=lambda one: one.size)


def _of_texts(case: Case) -> Iterator[Anomaly]:
    """Rows in which a column has what only another one has had, and that one what it never had, mostly the first's."""
    names = [c.name for c in case.schema.profiled if c.type is LogicalType.STRING]
    seen = {name: {v for load in case.usual if (c := load.columns.get(name)) for v in c.values or ()} for name in names}
    sample, copies = case.found.sample, case.found.copies
    for one, other in permutations(names, 2):
        if seen[other] and (one < other or not seen[one]):
            suspect_rows = _having(one, seen[other] - seen[one], other, seen[other])
            there = suspect_rows(sample)
            known = pc.is_in(sample[other], value_set=pa.array(sorted(seen[one]), pa.string())).to_numpy()
            count = int(copies[there].sum())
            if count and (not seen[one] or 2 * copies[there & known].sum() >= count):
                yield _told(case, one, other, count, suspect_rows)


def _having(one: str, foreign: set[str], other: str, own: set[str]) -> SuspectRows:
    """The rows whose one column has a foreign value, and whose other one has none of its own."""

    def suspect_rows(rows: pa.Table) -> Mask:
        here = pc.is_in(rows[one], value_set=pa.array(sorted(foreign), pa.string()))
        usual = pc.is_in(rows[other], value_set=pa.array(["", *sorted(own)], pa.string()))
        mask: Mask = pc.and_(here, pc.invert(pc.or_(usual, pc.is_null(rows[other])))).to_numpy()
        return mask

    return suspect_rows


def _of_numbers(case: Case) -> Iterator[Anomaly]:
    """Sources that have each of two numbers where the other one was, more of them than in any load."""
    own = next((panel for panel in case.summary.panels if panel.names_each_row), None)
    if own is None:
        return
    before = [known for load in case.usual[-LEAST_LOADS:] if (known := load.panel(own.by))]
    numbers = [name for name in own.numbers if all(name in known.numbers for known in before)]
    if len(before) < _LEAST or not numbers:
        return
    said = [_scaled(panel, own.names, numbers) for panel in (*before, own)]
    *counts, now = (_changed_places(later, last).sum(axis=2) for last, later in pairwise(said))
    news = np.where(now > _LEAST * np.maximum.reduce(counts), now, 0)
    one, other = np.unravel_index(int(np.argmax(news)), news.shape)
    if news[one, other] >= _LEAST:
        there = np.flatnonzero(_changed_places(said[-1], said[-2])[one, other])
        names = [own.names[place] for place in there]
        yield _told(case, numbers[one], numbers[other], len(names), named(own.columns, names))


def _scaled(panel: Panel, names: tuple[str, ...], numbers: list[str]) -> npt.NDArray[np.float64]:
    said = np.array([panel.said(names, name) for name in numbers], np.float64)
    scaled: npt.NDArray[np.float64] = np.arcsinh(said.reshape(len(numbers), len(names)))
    return scaled


def _changed_places(now: npt.NDArray[np.float64], last: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """bool[numbers, numbers, names]."""
    apart, across = np.abs(last[:, None] - last[None]), np.abs(now[:, None] - last[None])
    near = _NEAR * across < apart
    both: npt.NDArray[np.bool_] = near & near.transpose(1, 0, 2)
    return both


def _told(case: Case, one: str, other: str, count: int, suspect_rows: SuspectRows) -> Anomaly:
    rows = case.found.rows
    some = f"all {rows:,} rows" if count == rows else f"{count:,} of {rows:,} rows"
    return Anomaly(
        "exchange",
        f"{one} and {other} have changed places in {some}",
        (one, other),
        cause="columns exchanged?",
        suspect_rows=suspect_rows,
        mended=_back(one, other),
        size=count / rows,
    )


def _back(one: str, other: str) -> Callable[[Values], Values]:
    return lambda row: {one: row.get(other), other: row.get(one)}
