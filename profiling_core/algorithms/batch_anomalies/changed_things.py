"""Whether rows say of the same thing what it said last: a product has another price, a customer another name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.batch_anomalies import cells
from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, Mask, SuspectRows
from profiling_core.algorithms.batch_anomalies.things import Things, beside, counted, keeping
from profiling_core.model.schema import TableSchema


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges how many cells say something else than the same things did; fewer than usual are no news."""
    known = case.every.things
    rows = beside(case.found.sample, known, case.schema)
    if rows is None or len(rows) < case.found.rows:
        return
    found = replace(counted(case.found, known, case.schema), sample=rows)
    more = [one for one in cells.judge(replace(case, found=found)) if one.size > 0]
    wrong = {one.columns[0]: one.suspect_rows(rows) for one in more if one.suspect_rows}
    for one in more:
        by = keeping(known, one.columns[0])
        if any(_is_of(wrong, one.columns[0], some.by) for some in by):
            continue
        said, usually, usual = one.headline.partition(", usually")
        told = f"{said} for the same {by[0].by}{usually}{usual}"
        yield replace(one, headline=told, suspect_rows=_suspect_rows(one, known, case.schema))


def _is_of(wrong: Mapping[str, Mask], name: str, by: str) -> bool:
    """Whether a column has changed only in rows whose thing is another one, of more rows in which things are wrong."""
    own, of_things = wrong[name], wrong.get(by)
    return of_things is not None and of_things.sum() > own.sum() and not (own & ~of_things).any()


def _suspect_rows(one: Anomaly, known: Sequence[Things], schema: TableSchema) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> Mask:
        compared = beside(rows, known, schema)
        none: Mask = np.zeros(len(rows), np.bool_)
        return none if compared is None or one.suspect_rows is None else one.suspect_rows(compared)

    return suspect_rows
