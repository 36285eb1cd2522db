"""Entries in the order of their values' hashes: a few values are found among many without reading the others.

Each row carries a checksum of itself and of the hash before it. What a binary search came upon can so be proven row by
row, even that a value is *not* there: its neighbours were written as neighbours. No byte elsewhere is looked at.
"""

import zlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.inclusions.entry_kernels import number_hashes
from profiling_core.algorithms.inclusions.value_generator import ENTRY, no_entries, numpy_column, value_hashes

SORTED = pa.schema([pa.field("hash", pa.uint64()), *ENTRY, pa.field("check", pa.uint32())])
_LONG = 4096  # bytes, beyond which a value's hash does not cover its content


class DamagedEntriesError(ValueError):
    """Rows that were read are not those that were written."""


def sorted_entries(entries: pa.Table) -> pa.Table:
    """Entries, each (value, attribute) once, as a table of :data:`SORTED`; equal generators give equal tables."""
    hashes, attribute = value_hashes(entries), numpy_column(entries, "attribute")
    order = np.lexsort((attribute, hashes))
    hashes, attribute = hashes[order], attribute[order]
    ordered = entries.take(pa.array(order)).combine_chunks()
    if len(order) > 1 and ((hashes[1:] == hashes[:-1]) & (attribute[1:] == attribute[:-1])).any():
        # Different values of one hash: their order must not depend on the one they came in.
        keys = [(name, "ascending") for name in ("hash", "form", "number", "bytes", "attribute")]
        ordered = ordered.add_column(0, "hash", pa.array(hashes)).sort_by(keys).drop("hash").combine_chunks()
    before = np.concatenate([np.zeros(min(1, len(order)), np.uint64), hashes[:-1]])
    checks = _checks(hashes, before, ordered)
    columns = [pa.array(hashes), *(c.combine_chunks() for c in ordered.columns), pa.array(checks)]
    return pa.Table.from_arrays(columns, schema=SORTED)


def entries_of(stored: pa.Table) -> pa.Table:
    """The inverse of :func:`sorted_entries`."""
    return stored.select(ENTRY.names).cast(ENTRY)


def look_up(stored: pa.Table, wanted: NDArray[np.uint64]) -> pa.Table:
    """The entries of the values of some hashes.

    Args:
        stored: as :func:`sorted_entries` leaves it, in one chunk, perhaps mapped.
        wanted: uint64[n], ascending.

    Raises:
        DamagedEntriesError: what the search touched was changed since.
    """
    size = stored.num_rows
    if not size or not len(wanted):
        return no_entries()
    hashes = numpy_column(stored, "hash").view(np.uint64)
    rows = _touched(hashes, wanted)
    _refuse_wrong_places(stored["bytes"].chunk(0), rows)
    found = stored.take(pa.array(rows))
    own = numpy_column(found, "hash").view(np.uint64)
    entries = entries_of(found)
    before = np.where(rows > 0, hashes[np.maximum(rows, 1) - 1], np.uint64(0))
    proven = (_checks(own, before, entries) == numpy_column(found, "check")) & (value_hashes(entries) == own)
    if not proven.all():
        raise DamagedEntriesError(f"row {int(rows[~proven][0])} is not what was written")
    return entries.filter(pa.array(np.isin(own, wanted)))


def _refuse_wrong_places(data: pa.LargeBinaryArray, rows: NDArray[np.int64]) -> None:
    """Arrow takes bytes from wherever the offsets say."""
    _, places, content = data.buffers()
    offsets = np.frombuffer(places, np.int64)
    first, end = offsets[rows], offsets[rows + 1]
    if ((first < 0) | (first > end) | (end > (content.size if content else 0))).any():
        raise DamagedEntriesError("bytes would lie outside of what was written")


def _touched(hashes: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The rows with wanted hashes, and the one after each of them, or after where it would stand."""
    first, end = (np.searchsorted(hashes, wanted, side) for side in ("left", "right"))
    last = np.minimum(end, len(hashes) - 1)
    counts = last - np.minimum(first, last) + 1
    starts = np.cumsum(counts) - counts
    return np.unique(np.repeat(np.minimum(first, last) - starts, counts) + np.arange(int(counts.sum())))


def _checks(hashes: NDArray[np.uint64], before: NDArray[np.uint64], entries: pa.Table) -> NDArray[np.uint32]:
    """Per row a checksum of its hash, the one before it, its attribute and frequency, and of what is long."""
    form = np.zeros(len(hashes), np.int16)
    mixed = number_hashes(form, before.view(np.int64))
    for part in (hashes.view(np.int64), numpy_column(entries, "attribute"), numpy_column(entries, "frequency")):
        mixed = number_hashes(form, mixed.view(np.int64) ^ part.astype(np.int64, copy=False))
    lengths = pc.fill_null(pc.binary_length(entries["bytes"]), 0).to_numpy()
    for row in np.flatnonzero(lengths > _LONG).tolist():
        mixed[row] ^= np.uint64(zlib.crc32(entries["bytes"][row].as_buffer()))
    return mixed.astype(np.uint32)
