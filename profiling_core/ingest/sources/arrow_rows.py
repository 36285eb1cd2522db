"""Rows of sources that speak Arrow: their batches as chunks, and the differences of two states as operations."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest.rows import OPERATION, RowChunk
from profiling_core.model.delta import Operation

_AS_TEXT = (
    pa.types.is_nested,
    pa.types.is_time,
    pa.types.is_duration,
    pa.types.is_interval,
    pa.types.is_decimal256,
    pa.types.is_string_view,
)


_OPEN = {b"holdfast.type": b"open"}


def open_field(name: str, type_: pa.DataType) -> pa.Field:
    """A field whose type is that of its present values: its source sets them no bounds."""
    return pa.field(name, type_, metadata=_OPEN)


def is_open(field: pa.Field) -> bool:
    """Whether a field was made by :func:`open_field`."""
    return _OPEN.items() <= (field.metadata or {}).items()


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """The types in which values are handed on: as text what no column has as such; views and dictionaries plain."""
    return pa.schema([(open_field if is_open(f) else pa.field)(f.name, _plain_type(f.type)) for f in schema])


def _plain_type(type_: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(type_):
        return _plain_type(type_.value_type)
    if any(test(type_) for test in _AS_TEXT) or isinstance(type_, pa.UuidType):
        return pa.string()
    if isinstance(type_, pa.BaseExtensionType):
        return _plain_type(type_.storage_type)
    return pa.large_binary() if pa.types.is_binary_view(type_) else type_


def _plain(column: pa.Array) -> pa.Array:
    target = _plain_type(column.type)
    if column.type == target:
        return column
    if pa.types.is_dictionary(column.type):
        return _plain(column.dictionary_decode())
    if isinstance(column.type, pa.BaseExtensionType) and not isinstance(column.type, pa.UuidType):
        return _plain(column.storage)
    if isinstance(column.type, pa.UuidType):
        return pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())
    if pa.types.is_nested(column.type) or pa.types.is_interval(column.type):
        texts = [None if v is None else json.dumps(v, ensure_ascii=False, default=str) for v in column.to_pylist()]
        return pa.array(texts, pa.string())
    return column.cast(target)


def plain_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch with the types of :func:`plain_schema`."""
    return pa.RecordBatch.from_arrays([_plain(column) for column in batch.columns], names=batch.schema.names)


def row_chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[RowChunk]:
    """Batches as chunks of rows, each placed by its number from 1."""
    first = 1
    for batch in map(plain_batch, batches):
        size = batch.num_rows
        lines = pa.array(range(first, first + size), pa.int64())
        first += size
        cells = dict(zip(batch.schema.names, batch.columns, strict=True))
        yield RowChunk(lines, None, pa.nulls(size, pa.string()), cells)


def with_nulls(batches: Iterable[pa.RecordBatch], partitioned: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Batches with null for an empty text in a partition column, as Delta's protocol has it and not all readers do."""
    for batch in map(plain_batch, batches):
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        columns |= {name: _null_if_empty(columns[name]) for name in partitioned}
        yield pa.RecordBatch.from_pydict(columns)


def _null_if_empty(cells: pa.Array) -> pa.Array:
    if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
        return cells
    empty, nothing = pa.array([""], cells.type)[0], pa.nulls(1, cells.type)[0]
    return pc.if_else(pc.equal(cells, empty), nothing, cells)


def differences(gone: Iterable[pa.RecordBatch], come: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows that went and rows that came, as operations.

    What went is deleted before what came is put in place: of a row that is in both, the latter stays.
    """
    return chain(
        (_with_operation(batch, Operation.DELETE) for batch in gone),
        (_with_operation(batch, Operation.UPSERT) for batch in come),
    )


def _with_operation(batch: pa.RecordBatch, operation: Operation) -> pa.RecordBatch:
    named = pa.array([operation.value], pa.string()).take(pa.array([0] * batch.num_rows, pa.int32()))
    return pa.RecordBatch.from_arrays([*batch.columns, named], names=[*batch.schema.names, OPERATION])
