"""How the columns of a load go together, by its sample: rank correlations, and the sizes of numbers group by group."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.loads.profile import Profile
from profiling_core.algorithms.loads.sketch import micros_of
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import TypeClass

# Columns that are compared in pairs; columns whose values make groups, how many values these have, rows of a group.
_MOST_COLUMNS = 14
_LEAST_ROWS = 10
_MOST_GROUPING = 3
_MOST_GROUPS = 12
_LEAST_IN_GROUP = 4
BESIDE = "\u241f"  # between the parts of a name: the symbol for a unit separator


def correlations(sample: pa.Table, schema: TableSchema) -> dict[str, float]:
    """Per pair of ordered columns Spearman's rank correlation, over the rows that have both, by the pair's names."""
    names = [c.name for c in schema.profiled if c.type.type_class in (TypeClass.NUMERIC, TypeClass.TEMPORAL)]
    ranks = {name: _ranks(sample[name]) for name in names[:_MOST_COLUMNS]}
    found = {}
    for one, other in combinations(ranks, 2):
        both = np.isfinite(ranks[one]) & np.isfinite(ranks[other])
        if both.sum() >= _LEAST_ROWS:
            some, others = ranks[one][both], ranks[other][both]
            if np.ptp(some) and np.ptp(others):
                found[f"{one}{BESIDE}{other}"] = float(np.corrcoef(some, others)[0, 1])
    return found


def _ranks(values: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """float64[n]: the place of each value in rising order, of equal ones the middle of theirs; NaN for null."""
    values = present(values)
    there = pc.is_valid(values).to_numpy()
    known = values.drop_null()
    numbers = micros_of(known) if pa.types.is_temporal(known.type) else known.cast(pa.float64()).to_numpy()
    _, which, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    places = np.cumsum(counts) - (counts + 1) / 2
    found = np.full(len(values), np.nan)
    found[there] = places[which]
    return found


def group_sizes(found: Profile, schema: TableSchema) -> dict[str, float]:
    """Per grouping column, value and number the mean size of the number, in doublings."""
    numbers = [c.name for c in schema.profiled if c.type.type_class is TypeClass.NUMERIC][:_MOST_COLUMNS]
    grouping = [c.name for c in schema.profiled if 1 < len(found.columns[c.name].values or ()) <= _MOST_GROUPS]
    sizes = {name: sizes_of(found.sample[name]) for name in numbers}
    return dict(
        part
        for by in grouping[:_MOST_GROUPING]
        for name in numbers
        if name != by
        for part in _groups(found, by, name, sizes[name])
    )


def _groups(found: Profile, by: str, name: str, sizes: npt.NDArray[np.float64]) -> Iterator[tuple[str, float]]:
    coded = found.sample[by].combine_chunks().dictionary_encode()
    codes = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False)
    for code, value in enumerate(coded.dictionary.cast(pa.string()).to_pylist()):
        own = sizes[(codes == code) & np.isfinite(sizes)]
        if len(own) >= _LEAST_IN_GROUP:
            yield f"{by}{BESIDE}{value}{BESIDE}{name}", float(np.median(own))


def sizes_of(values: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """float64[n]: the logarithm of the absolute value to base two; NaN for null and zero."""
    numbers = np.abs(pc.fill_null(present(values).cast(pa.float64()), 0.0).to_numpy())
    return np.log2(np.where(numbers > 0, numbers, np.nan))
