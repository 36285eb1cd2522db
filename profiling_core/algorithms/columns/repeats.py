"""Repeated rows of a delta: equal in all columns that are looked at, nulls included.

Rows are compared by hashes of 64 bits, so that a delta that is read in batches needs eight bytes per row. Among a
million rows, two different ones have the same hash once in 37 million deltas.
"""

from collections.abc import Iterable

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
_ONE, _BYTE = np.uint64(1), np.uint64(256)


def row_hashes(rows: pa.Table, schema: TableSchema) -> Hashes:
    """uint64[n]: equal for rows that are equal in all columns, in any process and at any time.

    Columns that are left out (a row number, the time of loading) do not count, unless all are left out.
    """
    names = [column.name for column in schema.profiled] or schema.names
    return combined_hashes([present(rows[name]) for name in names], len(rows))


def combined_hashes(columns: Iterable[pa.ChunkedArray], rows: int) -> Hashes:
    """uint64[rows]: equal for rows that are equal in these columns, in order; null is a value."""
    combined = np.zeros(rows, np.uint64)
    for column in columns:
        combined = _mixed(combined * _STEP + _bits(column))
    return combined


def hashes_of(values: pa.ChunkedArray) -> Hashes:
    """uint64[n]: equal for equal values, in any process and at any time."""
    return _mixed(_bits(values) + _STEP)


def repeats(hashes: Hashes) -> npt.NDArray[np.bool_]:
    """bool[n]: which rows repeat an earlier one."""
    again = np.ones(len(hashes), np.bool_)
    again[np.unique(hashes, return_index=True)[1]] = False
    return again


def _mixed(bits: Hashes) -> Hashes:
    for shift, factor in _MIXES:
        bits = (bits ^ (bits >> shift)) * factor
    return bits ^ (bits >> _LAST)


def _bits(values: pa.ChunkedArray) -> Hashes:
    """uint64[n]: the bits of numbers of at most 64 bits, and hashes of other values."""
    kind = values.type
    if pa.types.is_floating(kind):
        numbers = (pc.fill_null(values, 0.0).to_numpy() + 0.0).astype(np.float64)  # −0.0 is 0.0
        bits = np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)  # all NaN are one
    elif pa.types.is_date32(kind):
        bits = pc.fill_null(values.cast(pa.int32()).cast(pa.int64()), 0).to_numpy().view(np.uint64)
    elif pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_timestamp(kind):
        bits = pc.fill_null(values.cast(pa.int64()), 0).to_numpy().view(np.uint64)
    else:
        coded = values.combine_chunks().dictionary_encode()
        hashes = _of_texts(coded.dictionary)
        bits = hashes[pc.fill_null(coded.indices, 0).to_numpy(zero_copy_only=False)]
    return np.where(pc.is_null(values).to_numpy(), _NULL, bits)


def _of_texts(values: pa.Array) -> Hashes:
    """uint64[n], at least one: per value the sum of mixed pairs of a byte of its text and the byte's position.

    Tabulation hashing (Zobrist, A new hashing method with application for game playing, 1970), with a mix as table.
    """
    texts = values if pa.types.is_large_binary(values.type) else _bytes_of(values)
    offsets = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    lengths = np.diff(offsets)
    if not lengths.sum():
        return np.zeros(max(1, len(texts)), np.uint64)
    data = np.frombuffer(texts.buffers()[2], np.uint8)[offsets[0] : offsets[-1]].astype(np.uint64)
    places = np.arange(len(data)) - np.repeat(offsets[:-1] - offsets[0], lengths)
    pieces = np.concatenate(
        [np.zeros(1, np.uint64), np.cumsum(_mixed(data + (places.astype(np.uint64) + _ONE) * _BYTE))]
    )
    hashes: Hashes = pieces[offsets[1:] - offsets[0]] - pieces[offsets[:-1] - offsets[0]]
    return hashes


def _bytes_of(values: pa.Array) -> pa.Array:
    text = values if pa.types.is_binary(values.type) else values.cast(pa.string())
    return text.cast(pa.large_binary())
