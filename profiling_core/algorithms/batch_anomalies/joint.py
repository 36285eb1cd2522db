"""Bonds between the columns of a load, from its sample: rank correlations."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.batch_anomalies.profile import Profile
from profiling_core.algorithms.batch_anomalies.sketch import micros_of
from profiling_core.algorithms.columns.figures import present
from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import TypeClass

# Columns that are compared in pairs, at most, and the fewest rows for it; columns with few values, and how many values.
MOST_COLUMNS = 14
LEAST_ROWS = 10
_MOST_COLUMNS_OF_FEW, _MOST_VALUES = 6, 30
BESIDE = "\u241f"  # separates the parts of a name: the symbol for a unit separator


def correlations(found: Profile, schema: TableSchema) -> dict[str, float]:
    """The bond of each pair of columns, by the pair's names, over the rows of the sample that have both.

    For two ordered columns it is Spearman's rank correlation; for a column with few values and an ordered one the
    correlation ratio of the ranks (the square root of the share of their variance between groups); for two with few
    values
    Cramér's V. The latter two are corrected for chance in few rows (Kelley's ε², An unbiased correlation ratio measure,
    PNAS
    1935; Bergsma, A bias-correction for Cramér's V, J. Korean Stat. Soc. 2013).
    """
    sample = found.sample
    names = [c.name for c in schema.profiled if c.type.type_class in (TypeClass.NUMERIC, TypeClass.TEMPORAL)]
    ranks = {name: ranks_of(sample[name]) for name in names[:MOST_COLUMNS]}
    pairs = {}
    for one, other in combinations(ranks, 2):
        both = np.isfinite(ranks[one]) & np.isfinite(ranks[other])
        if both.sum() >= LEAST_ROWS:
            some, others = ranks[one][both], ranks[other][both]
            if np.ptp(some) and np.ptp(others):
                pairs[f"{one}{BESIDE}{other}"] = float(np.corrcoef(some, others)[0, 1])
    codes = {by: codes_of(sample[by])[1] for by in of_few(found, schema, _MOST_VALUES)[:_MOST_COLUMNS_OF_FEW]}
    ratios = {f"{by}{BESIDE}{name}": _ratio(codes[by], ranks[name]) for by in codes for name in ranks}
    ratios |= {f"{by}{BESIDE}{name}": _association(codes[by], codes[name]) for by, name in combinations(codes, 2)}
    return pairs | {pair: ratio for pair, ratio in ratios.items() if ratio is not None}


def of_few(found: Profile, schema: TableSchema, most: int) -> list[str]:
    """The columns with few values: texts and truth values; whole numbers are sizes or times."""
    named = (c.name for c in schema.profiled if c.type.type_class in (TypeClass.STRING, TypeClass.BOOLEAN))
    return [name for name in named if 1 < len(found.columns[name].values or ()) <= most]


def codes_of(values: pa.ChunkedArray) -> tuple[list[str], npt.NDArray[np.int64]]:
    """The distinct values as texts, and int64[n]: the position of each row's value among them; −1 for null."""
    coded = values.combine_chunks().dictionary_encode()
    codes: npt.NDArray[np.int64] = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return coded.dictionary.cast(pa.string()).to_pylist(), codes


def _ratio(codes: npt.NDArray[np.int64], ranks: npt.NDArray[np.float64]) -> float | None:
    both = (codes >= 0) & np.isfinite(ranks)
    rows = int(both.sum())
    if rows < LEAST_ROWS or not np.ptp(ranks[both]):
        return None
    counts = np.bincount(codes[both])
    means = np.bincount(codes[both], ranks[both]) / np.maximum(1, counts)
    middle = ranks[both].mean()
    between = float((counts * (means - middle) ** 2).sum() / ((ranks[both] - middle) ** 2).sum())
    groups = int((counts > 0).sum())
    return None if groups >= rows / 2 else float(np.sqrt(max(0.0, 1 - (1 - between) * (rows - 1) / (rows - groups))))


def _association(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> float | None:
    both = (one >= 0) & (other >= 0)
    rows = int(both.sum())
    if rows < LEAST_ROWS:
        return None
    counts = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(counts, (one[both], other[both]), 1)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    high, wide = counts.shape
    if min(high, wide) < 2 or max(high, wide) >= rows / 2:
        return None
    usual = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows
    square = float(((counts - usual) ** 2 / usual).sum() / rows)
    square = max(0.0, square - (high - 1) * (wide - 1) / (rows - 1))
    least = min(high - (high - 1) ** 2 / (rows - 1), wide - (wide - 1) ** 2 / (rows - 1)) - 1
    return float(np.sqrt(min(1.0, square / least))) if least > 0 else None


def ranks_of(values: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """float64[n]: the rank of each value in rising order, equal ones sharing their mean; NaN for null."""
    values = present(values)
    there = pc.is_valid(values).to_numpy()
    known = values.drop_null()
    numbers = micros_of(known) if pa.types.is_temporal(known.type) else doubles(known).to_numpy()
    _, which, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    places = np.cumsum(counts) - (counts + 1) / 2
    found = np.full(len(values), np.nan)
    found[there] = places[which]
    return found


def sizes_of(values: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """float64[n]: the binary logarithm of the absolute value; NaN for null and zero."""
    numbers = np.abs(pc.fill_null(doubles(present(values)), 0.0).to_numpy())
    return np.log2(np.where(numbers > 0, numbers, np.nan))
