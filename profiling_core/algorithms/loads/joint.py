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


def correlations(found: Profile, schema: TableSchema) -> dict[str, float]:
    """Per pair of columns how they go together, by the pair's names, over the rows of the sample that have both.

    Of two ordered columns it is Spearman's rank correlation, of one of few values and an ordered one the correlation
    ratio of the ranks (the square root of the share of their variance that lies between groups).
    """
    sample = found.sample
    names = [c.name for c in schema.profiled if c.type.type_class in (TypeClass.NUMERIC, TypeClass.TEMPORAL)]
    ranks = {name: _ranks(sample[name]) for name in names[:_MOST_COLUMNS]}
    pairs = {}
    for one, other in combinations(ranks, 2):
        both = np.isfinite(ranks[one]) & np.isfinite(ranks[other])
        if both.sum() >= _LEAST_ROWS:
            some, others = ranks[one][both], ranks[other][both]
            if np.ptp(some) and np.ptp(others):
                pairs[f"{one}{BESIDE}{other}"] = float(np.corrcoef(some, others)[0, 1])
    grouping = [by for by in _grouping(found, schema) if by not in ranks]
    ratios = {f"{by}{BESIDE}{name}": _ratio(sample[by], own) for by in grouping for name, own in ranks.items()}
    return pairs | {pair: ratio for pair, ratio in ratios.items() if ratio is not None}


def _grouping(found: Profile, schema: TableSchema) -> list[str]:
    """The first columns of few values."""
    few = [c.name for c in schema.profiled if 1 < len(found.columns[c.name].values or ()) <= _MOST_GROUPS]
    return few[:_MOST_GROUPING]


def _ratio(by: pa.ChunkedArray, ranks: npt.NDArray[np.float64]) -> float | None:
    codes = pc.fill_null(by.combine_chunks().dictionary_encode().indices, -1).to_numpy(zero_copy_only=False)
    both = (codes >= 0) & np.isfinite(ranks)
    if both.sum() < _LEAST_ROWS or not np.ptp(ranks[both]):
        return None
    counts = np.bincount(codes[both])
    means = np.bincount(codes[both], ranks[both]) / np.maximum(1, counts)
    middle = ranks[both].mean()
    return float(np.sqrt((counts * (means - middle) ** 2).sum() / ((ranks[both] - middle) ** 2).sum()))


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
    grouping = _grouping(found, schema)
    sizes = {name: sizes_of(found.sample[name]) for name in numbers}
    return dict(
        part for by in grouping for name in numbers if name != by for part in _groups(found, by, name, sizes[name])
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
