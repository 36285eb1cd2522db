"""Rows of a delta that come twice: the same in all columns, nulls included.

Rows are compared by hashes of 64 bits, so that a delta that is read in batches needs eight bytes per row. Among a
million rows, two different ones have the same hash once in 37 million deltas.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.columns.figures import present
from profiling_core.model.schema import TableSchema

Hashes = npt.NDArray[np.uint64]
# David Stafford's mix 13 for 64 bits, as in SplitMix64.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIXES = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
_LAST = np.uint64(31)
_NULL = np.uint64(0x2545F4914F6CDD1D)


def row_hashes(rows: pa.Table, schema: TableSchema) -> Hashes:
    """uint64[n]: the same for rows that are the same in all columns; comparable within one process only."""
    combined = np.zeros(len(rows), np.uint64)
    for name in schema.names:
        combined = _mixed(combined * _STEP + _bits(present(rows[name])))
    return combined


def repeats(hashes: Hashes) -> npt.NDArray[np.bool_]:
    """bool[n]: which rows are the same as one before them."""
    again = np.ones(len(hashes), np.bool_)
    again[np.unique(hashes, return_index=True)[1]] = False
    return again


def _mixed(bits: Hashes) -> Hashes:
    for shift, factor in _MIXES:
        bits = (bits ^ (bits >> shift)) * factor
    return bits ^ (bits >> _LAST)


def _bits(values: pa.ChunkedArray) -> Hashes:
    """uint64[n]: the values themselves where they are numbers of 64 bits at most, hashes of others."""
    kind = values.type
    if pa.types.is_floating(kind):
        bits = (pc.fill_null(values, 0.0).to_numpy() + 0.0).astype(np.float64).view(np.uint64)  # −0.0 is 0.0
    elif pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        bits = pc.fill_null(values.cast(pa.int64()), 0).to_numpy().view(np.uint64)
    else:
        coded = values.combine_chunks().dictionary_encode()
        hashes = np.array([hash(value) for value in coded.dictionary.to_pylist()] or [0], np.int64)
        bits = hashes[pc.fill_null(coded.indices, 0).to_numpy(zero_copy_only=False)].view(np.uint64)
    return np.where(pc.is_null(values).to_numpy(), _NULL, bits)
