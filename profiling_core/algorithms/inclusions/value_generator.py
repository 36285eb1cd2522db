"""The generator of an attribute clustering: which attribute holds which value, how often (section 5.1 of its paper).

Entries are an Arrow table of one row per (value, attribute) with its signed frequency, the value in canonical form. A
delta is entries too, negative where rows go, so that merging and extracting are one addition. Values fall into buckets
by a hash of their content that never changes, as stored state depends on it; equality is always decided on the values.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.inclusions.combined_values import coded
from profiling_core.algorithms.values.canonical_values import (
    BIG,
    BIG_TIME,
    BINARY,
    COMBINED,
    STRING,
    Canonical,
    Values,
    as_compared,
    canonical,
    without_nulls,
)

ENTRY = pa.schema(
    [
        pa.field("form", pa.int16()),
        pa.field("number", pa.int64()),
        pa.field("bytes", pa.large_binary()),
        pa.field("attribute", pa.int32()),
        pa.field("frequency", pa.int64()),
    ]
)
_BYTES_FORMS = (BIG, BIG_TIME, STRING, BINARY, COMBINED)
_HASHED_WORDS = 512  # of a value's bytes: a prefix of 4 KiB, and the last word


def no_entries() -> pa.Table:
    """The generator of nothing."""
    return ENTRY.empty_table()


def attribute_entries(columns: Sequence[pa.ChunkedArray], attribute: int, values: Values, sign: int = 1) -> pa.Table:
    """The entries of a column, or of several as combinations: distinct values, each ``sign`` × the rows that hold it.

    Rows with a null in any of the columns hold no value.
    """
    if len(columns) > 1:
        rows = coded(columns, values)
        return _entries(rows.distinct, attribute, pa.array(sign * rows.frequencies))
    counted = pc.value_counts(without_nulls(as_compared(columns[0], values)))
    frequency = counted.field(1) if sign == 1 else pc.multiply(counted.field(1), sign)
    return _entries(canonical(counted.field(0)), attribute, frequency)


def _entries(distinct: Canonical, attribute: int, frequency: pa.Array) -> pa.Table:
    forms, numbers, data = distinct
    columns = [
        pa.array(forms),
        pa.array(numbers),
        pa.nulls(len(forms), pa.large_binary()) if data is None else data,
        pa.array(np.full(len(forms), attribute, np.int32)),
        frequency,
    ]
    return pa.Table.from_arrays(columns, schema=ENTRY)


def rows_holding(columns: Sequence[pa.ChunkedArray], values: Values, wanted: pa.Table) -> NDArray[np.bool_]:
    """Per row whether its value (or combination of values) is one of the wanted entries'."""
    rows = coded(columns, values)
    found = rows.present.copy()
    found[found] = is_among(_entries(rows.distinct, 0, pa.array(rows.frequencies)), wanted)[rows.places]
    return found


def joined(parts: Iterable[pa.Table]) -> pa.Table:
    """All entries of several generators, not yet added up."""
    return pa.concat_tables([no_entries(), *parts])


def numpy_column(table: pa.Table, name: str) -> NDArray[np.int64]:
    """A column without nulls as an array."""
    return np.asarray(table[name].to_numpy())


def value_ids(entries: pa.Table) -> NDArray[np.int64]:
    """Per entry the number of its value: equal exactly where the values are; from 0, without gaps."""
    form, number = numpy_column(entries, "form"), numpy_column(entries, "number")
    ids = np.empty(len(form), np.int64)
    first = 0
    for kind in np.unique(form).tolist():
        at = np.flatnonzero(form == kind)
        if kind in _BYTES_FORMS:
            data = entries["bytes"] if len(at) == len(form) else entries["bytes"].take(pa.array(at))
            coded = data.combine_chunks().dictionary_encode()
        else:
            coded = pa.array(number[at]).dictionary_encode()
        ids[at] = first + coded.indices.to_numpy()
        first += len(coded.dictionary)
    return ids


def summed(entries: pa.Table) -> pa.Table:
    """Entries with each (value, attribute) once, in the order of attributes within values; without zeros."""
    order, starts = _runs(value_ids(entries), numpy_column(entries, "attribute"))
    if not len(order):
        return no_entries()
    frequency = np.add.reduceat(numpy_column(entries, "frequency")[order], starts)
    kept = frequency != 0
    once = entries.take(pa.array(order[starts[kept]]))
    return once.set_column(4, ENTRY.field("frequency"), pa.array(frequency[kept]))


def _runs(ids: NDArray[np.int64], attribute: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The order by value, then attribute, and where each pair of them begins in it."""
    key = ids * (int(attribute.max(initial=0)) + 1) + attribute
    order = np.argsort(key)
    changes = np.flatnonzero(np.diff(key[order])) + 1
    return order, np.concatenate([np.zeros(min(1, len(order)), np.int64), changes])


def in_order(entries: pa.Table) -> pa.Table:
    """Entries sorted by value and attribute, so that equal generators are equal files."""
    return entries.sort_by([(name, "ascending") for name in ("form", "number", "bytes", "attribute")])


def is_among(entries: pa.Table, others: pa.Table) -> NDArray[np.bool_]:
    """Per entry whether its value occurs among the others."""
    form, other_form = numpy_column(entries, "form"), numpy_column(others, "form")
    number, other_number = numpy_column(entries, "number"), numpy_column(others, "number")
    found = np.zeros(len(form), np.bool_)
    for kind in np.unique(other_form).tolist():
        at, wanted = np.flatnonzero(form == kind), np.flatnonzero(other_form == kind)
        if kind in _BYTES_FORMS:
            value_set = others["bytes"].take(pa.array(wanted)).combine_chunks()
            found[at] = pc.is_in(entries["bytes"].take(pa.array(at)), value_set=value_set).to_numpy()
        else:
            found[at] = np.isin(number[at], other_number[wanted])
    return found


def buckets(entries: pa.Table, count: int) -> NDArray[np.int64]:
    """Per entry the bucket of its value, 0 … count − 1."""
    hashes = _mixed(numpy_column(entries, "number").view(np.uint64) ^ numpy_column(entries, "form").astype(np.uint64))
    with_bytes = np.flatnonzero(entries["bytes"].is_valid().to_numpy())
    if len(with_bytes):
        data = entries["bytes"].take(pa.array(with_bytes)).combine_chunks()
        hashes[with_bytes] = _mixed(hashes[with_bytes] ^ _content_hashes(data))
    return (hashes % np.uint64(count)).astype(np.int64)


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64: each bit of a word changes half of the result's."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _content_hashes(data: pa.LargeBinaryArray) -> NDArray[np.uint64]:
    """A hash of each value's length and bytes, eight at a time over all values at once."""
    offsets = np.frombuffer(data.buffers()[1], np.int64)[data.offset : data.offset + len(data) + 1]
    content = np.frombuffer(data.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
    content = np.concatenate([content, np.zeros(8, np.uint8)])
    words = np.ndarray((len(content) - 7,), "<u8", buffer=content.data, strides=(1,))
    starts, sizes = offsets[:-1] - offsets[0], np.diff(offsets)
    hashes = _mixed(sizes.astype(np.uint64))
    order = np.argsort(-sizes, kind="stable")  # what is still being read is a prefix of this order
    ends = np.searchsorted(-sizes[order], -np.arange(0, 8 * _HASHED_WORDS, 8), side="left")
    for word, end in enumerate(ends.tolist()):
        if not end:
            break
        at = order[:end]
        hashes[at] = _mixed(hashes[at] ^ _left_aligned(words[starts[at] + 8 * word], sizes[at] - 8 * word))
    long = order[: ends[-1]]
    hashes[long] = _mixed(hashes[long] ^ words[starts[long] + sizes[long] - 8])
    return hashes


def _left_aligned(words: NDArray[np.uint64], sizes: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The words without the bytes that belong to the next value."""
    excess = np.uint64(8) * (np.uint64(8) - np.minimum(sizes, 8).astype(np.uint64))
    return (words << excess) if len(words) else words
