"""Whether rows say of the same thing what it said last: a product has another price, a customer another name."""

from collections.abc import Iterator, Sequence
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
    for one in cells.judge(replace(case, found=found)):
        if one.size > 0:
            by = keeping(known, one.columns[0])[0].by
            said, usually, usual = one.headline.partition(", usually")
            told = f"{said} for the same {by}{usually}{usual}"
            yield replace(one, headline=told, suspect_rows=_suspect_rows(one, known, case.schema))


def _suspect_rows(one: Anomaly, known: Sequence[Things], schema: TableSchema) -> SuspectRows:
    def suspect_rows(rows: pa.Table) -> Mask:
        compared = beside(rows, known, schema)
        none: Mask = np.zeros(len(rows), np.bool_)
        return none if compared is None or one.suspect_rows is None else one.suspect_rows(compared)

    return suspect_rows
