"""The generator of an attribute clustering: which attribute holds which value, how often (section 5.1 of its paper).

Entries are an Arrow table of one row per (value, attribute) with its signed frequency, the value in canonical form. A
delta is entries too, negative where rows go, so that merging and extracting are one addition. Values fall into buckets
by a hash of their content that never changes, as stored state depends on it; equality is always decided on the values.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.inclusions.combined_values import coded
from profiling_core.algorithms.inclusions.entry_kernels import mix_contents, number_hashes, stable_order
from profiling_core.algorithms.values.arrow_buffers import arrow_array, present, values_of
from profiling_core.algorithms.values.canonical_values import (
    BIG,
    BIG_TIME,
    BINARY,
    COMBINED,
    LONG_STRING,
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
# Fewer entries are sorted before Numba has begun.
_WORTH_KERNELS = 200_000
_BYTES_FORMS = (BIG, BIG_TIME, STRING, BINARY, COMBINED, LONG_STRING)


def no_entries() -> pa.Table:
    """The generator of nothing."""
    return pa.Table.from_batches([], ENTRY)


def attribute_entries(columns: Sequence[pa.ChunkedArray], attribute: int, values: Values, sign: int = 1) -> pa.Table:
    """The entries of a column, or of several as combinations: distinct values, each ``sign`` × the rows that hold it.

    Rows with a null in any of the columns hold no value.
    """
    if len(columns) > 1:
        rows = coded(columns, values)
        return _entries(rows.distinct, attribute, arrow_array(sign * rows.frequencies))
    counted = pc.value_counts(without_nulls(as_compared(columns[0], values)))
    frequency = counted.field(1) if sign == 1 else pc.multiply(counted.field(1), sign)
    return _entries(canonical(counted.field(0)), attribute, frequency)


def _entries(distinct: Canonical, attribute: int, frequency: pa.Array) -> pa.Table:
    forms, numbers, data = distinct
    columns = [
        arrow_array(forms),
        arrow_array(numbers),
        pa.nulls(len(forms), pa.large_binary()) if data is None else data,
        arrow_array(np.full(len(forms), attribute, np.int32)),
        frequency,
    ]
    return pa.Table.from_arrays(columns, schema=ENTRY)


def rows_holding(columns: Sequence[pa.ChunkedArray], values: Values, wanted: pa.Table) -> NDArray[np.bool_]:
    """Per row whether its value (or combination of values) is one of the wanted entries'."""
    rows = coded(columns, values)
    found = rows.present.copy()
    found[found] = is_among(_entries(rows.distinct, 0, arrow_array(rows.frequencies)), wanted)[rows.places]
    return found


def joined(parts: Iterable[pa.Table]) -> pa.Table:
    """All entries of several generators, not yet added up."""
    return pa.concat_tables([no_entries(), *parts])


def numpy_column(table: pa.Table, name: str) -> NDArray[np.int64]:
    """A column without nulls as an array."""
    column = table[name]
    column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()  # which copies even a single one
    return values_of(column, column.type.to_pandas_dtype())


def value_ids(entries: pa.Table) -> NDArray[np.int64]:
    """Per entry the number of its value: equal exactly where the values are; from 0, without gaps."""
    form, number = numpy_column(entries, "form"), numpy_column(entries, "number")
    ids = np.empty(len(form), np.int64)
    first = 0
    for kind in np.unique(form).tolist():
        at = np.flatnonzero(form == kind)
        if kind in _BYTES_FORMS:
            data = entries["bytes"] if len(at) == len(form) else entries["bytes"].take(arrow_array(at))
            coded = data.combine_chunks().dictionary_encode()
        else:
            coded = arrow_array(number[at]).dictionary_encode()
        ids[at] = first + values_of(coded.indices, np.int32)
        first += len(coded.dictionary)
    return ids


@dataclass(frozen=True, slots=True)
class Grouped:
    """Entries added up: each (value, attribute) once, attributes ascending within values, without zeros.

    ``at`` int64[n] is where an entry with that value stands; ``starts`` int64[v] where each value begins among the n.
    """

    at: NDArray[np.int64]
    attribute: NDArray[np.int64]
    frequency: NDArray[np.int64]
    starts: NDArray[np.int64]


def grouped(entries: pa.Table) -> Grouped:
    """The entries by value, added up."""
    ids, attribute = value_ids(entries), numpy_column(entries, "attribute").astype(np.int64)
    if not len(ids):
        return Grouped(*(np.empty(0, np.int64) for _ in range(4)))
    order = _by_value(ids, attribute)
    ids, attribute = ids[order], attribute[order]
    first = np.concatenate([[0], np.flatnonzero((np.diff(ids) != 0) | (np.diff(attribute) != 0)) + 1])
    frequency = np.add.reduceat(numpy_column(entries, "frequency")[order], first)
    first, frequency = first[frequency != 0], frequency[frequency != 0]
    starts = np.concatenate([[0], np.flatnonzero(np.diff(ids[first])) + 1]) if len(first) else first
    return Grouped(order[first], attribute[first], frequency, starts)


def _by_value(ids: NDArray[np.int64], attribute: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order by value, then attribute."""
    if len(ids) < _WORTH_KERNELS:
        return np.lexsort((attribute, ids))
    by_attribute = stable_order(attribute, int(attribute.max()) + 1, np.arange(len(ids)))
    return stable_order(ids, int(ids.max()) + 1, by_attribute)


def summed(entries: pa.Table) -> pa.Table:
    """Entries with each (value, attribute) once, in the order of attributes within values; without zeros."""
    found = grouped(entries)
    once = entries.take(arrow_array(found.at))
    return once.set_column(4, ENTRY.field("frequency"), arrow_array(found.frequency))


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
            value_set = others["bytes"].take(arrow_array(wanted)).combine_chunks()
            found[at] = pc.is_in(entries["bytes"].take(arrow_array(at)), value_set=value_set).to_numpy()
        else:
            found[at] = np.isin(number[at], other_number[wanted])
    return found


def value_hashes(entries: pa.Table) -> NDArray[np.uint64]:
    """Per entry a hash of its value; stored state depends on it."""
    hashes = number_hashes(numpy_column(entries, "form").astype(np.int16), numpy_column(entries, "number"))
    data = entries["bytes"].combine_chunks()
    if data.null_count < len(data):
        offsets = np.frombuffer(data.buffers()[1], np.int64)[data.offset : data.offset + len(data) + 1]
        content = np.frombuffer(data.buffers()[2] or b"", np.uint8)
        mix_contents(content, offsets, present(data), hashes)
    return hashes


def buckets(entries: pa.Table, count: int) -> NDArray[np.int64]:
    """Per entry the bucket of its value, 0 … count − 1."""
    return (value_hashes(entries) % np.uint64(count)).astype(np.int64)


def partitioned(entries: pa.Table, count: int) -> Iterator[tuple[int, pa.Table]]:
    """The entries bucket by bucket; buckets without any are passed over."""
    if count == 1:
        yield 0, entries
        return
    bucket = buckets(entries, count).astype(np.uint16)  # which NumPy sorts in linear time
    ordered = entries.take(arrow_array(np.argsort(bucket, kind="stable")))
    sizes = np.bincount(bucket, minlength=count)
    starts = np.cumsum(sizes) - sizes
    for found in np.flatnonzero(sizes).tolist():
        yield found, ordered.slice(starts[found], sizes[found])
