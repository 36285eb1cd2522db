"""The group that suspect rows have in common: the value of another column that most of them have."""

from collections import Counter

import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.anomaly import Case, Mask
from profiling_core.algorithms.batch_anomalies.sources import MOST_GROUPS
from profiling_core.algorithms.batch_anomalies.surprise import by_luck
from profiling_core.model.types import LogicalType


def of_one_group(case: Case, name: str, suspect: Mask, most: float) -> str:
    """`` (with club Riverside)``: the value that most of these rows of the sample have, if that is no chance.

    Args:
        case: the load.
        name: the column in which the rows are suspect, which names no group of them.
        suspect: bool[n]: the rows of the sample.
        most: the share of the rows that have the value at least.
    """
    best = case.level, ""
    for column in case.schema.profiled:
        if column.name == name or column.type is not LogicalType.STRING:
            continue
        texts = case.found.sample[column.name]
        counts = Counter(texts.filter(suspect).to_pylist())
        value, count = counts.most_common(1)[0]
        usual = (pc.sum(pc.equal(texts, value)).as_py() or 0) / len(texts)
        if value is None or count < most * suspect.sum() or pc.count_distinct(texts).as_py() > MOST_GROUPS:
            continue
        share = count / suspect.sum()
        chance = by_luck(share, int(suspect.sum()), usual) if share > usual else 1.0
        best = min(best, (chance, f" (with {column.name} {case.shown(column.name, value)})"))
    return best[1]
