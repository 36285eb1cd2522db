"""Columns whose values were exchanged: if two unusual columns are exchanged back, nothing about them is unusual.

The change is undone in the rows, and all judges are asked again. Rows of one source may be exchanged alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, DeltaPart, Mask, SuspectRows, Values
from profiling_core.algorithms.batch_anomalies.history import summarised
from profiling_core.algorithms.batch_anomalies.profile import profile
from profiling_core.algorithms.columns import concentration
from profiling_core.model.types import LogicalType

KIND = "exchanged"
# A bound of work: pairs of columns that are exchanged back, the most unusual first.
_MOST_PAIRS = 3


def told_as_one(odd: Sequence[Anomaly], case: Case, judges: Callable[[Case], Sequence[Anomaly]]) -> list[Anomaly]:
    """The anomalies, those of columns that were exchanged as one.

    Args:
        odd: the load's anomalies.
        case: the load.
        judges: finds all anomalies of a case.
    """
    for found in islice(_exchanges(odd, case, judges), 1):
        return [found, *(one for one in odd if set(found.columns).isdisjoint(one.columns))]
    return list(odd)


def _exchanges(odd: Sequence[Anomaly], case: Case, judges: Callable[[Case], Sequence[Anomaly]]) -> Iterator[Anomaly]:
    worst = sorted((one for one in odd if len(one.columns) == 1 and not one.again), key=lambda one: -one.magnitude)
    by_column = {one.columns[0]: one for one in reversed(worst)} if case.part is DeltaPart.NEW else {}
    types = {column.name: column.type for column in case.schema.profiled}
    ranked = sorted(by_column.values(), key=lambda one: -one.magnitude)
    pairs = ((a, b) for a, b in combinations(ranked, 2) if types[a.columns[0]] is types[b.columns[0]])
    for first, second in islice(pairs, _MOST_PAIRS):
        pair = first.columns[0], second.columns[0]
        for there in _places(first, case):
            if not _is_odd(pair, judges(_exchanged_back(case, pair, there(case.found.sample)))):
                yield _told(pair, there, first, case)


def _places(one: Anomaly, case: Case) -> Iterator[SuspectRows]:
    """The rows in which columns may have been exchanged: all, and those of the source that the unusual ones share."""
    yield lambda rows: np.ones(len(rows), np.bool_)
    if one.suspect_rows is not None:
        rows = case.found.sample
        group = concentration.of_some(rows, one.suspect_rows(rows), case.may_name_sources(one.columns))
        if group is not None and group.value is not None:
            name, value = group.column, group.value
            yield lambda rows: pc.fill_null(pc.equal(rows[name].cast(pa.string()), value), fill_value=False).to_numpy()


def _exchanged_back(case: Case, pair: tuple[str, str], there: Mask) -> Case:
    """The case of the two columns alone, beside the texts that name sources."""
    rows = case.found.sample
    ours, theirs = (rows[name].combine_chunks() for name in pair)
    mask = pa.array(there)
    for name, own, other in ((pair[0], ours, theirs), (pair[1], theirs, ours)):
        rows = rows.set_column(rows.schema.get_field_index(name), name, pc.if_else(mask, other, own))
    kept = tuple(c for c in case.schema.columns if c.name in (*pair, *case.schema.key) or c.type is LogicalType.STRING)
    schema = replace(case.schema, columns=kept)
    found = profile(rows, schema)
    return replace(case, found=found, schema=schema, summary=summarised(case.id, found, schema))


def _is_odd(pair: tuple[str, str], odd: Sequence[Anomaly]) -> bool:
    return any(not set(pair).isdisjoint(one.columns) for one in odd)


def _told(pair: tuple[str, str], there: SuspectRows, worst: Anomaly, case: Case) -> Anomaly:
    one, other = pair

    def suspect_rows(rows: pa.Table) -> Mask:
        differ = pc.fill_null(pc.not_equal(rows[one], rows[other]), fill_value=True).to_numpy()
        mask: Mask = there(rows) & differ
        return mask

    def mended(row: Values) -> Values:
        return {one: row.get(other), other: row.get(one)}

    count = int(there(case.found.sample).sum())
    rows = f"all {count:,} rows" if count == case.found.rows else f"{count:,} of {case.found.rows:,} rows"
    return Anomaly(
        KIND,
        f"{one} and {other} are exchanged in {rows}",
        pair,
        cause="columns in another order?",
        suspect_rows=suspect_rows,
        mended=mended,
        magnitude=worst.magnitude,
        size=1.0,
    )
