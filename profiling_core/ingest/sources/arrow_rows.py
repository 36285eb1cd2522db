"""Rows of Arrow sources: their batches as chunks, and the differences of two states as operations."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest.plain_types import SOURCE_TYPE, plain, plain_type, source_type, written_as_text
from profiling_core.ingest.rows import OPERATION, RowChunk
from profiling_core.model.delta import Operation

_OPEN = {b"holdfast.type": b"open"}


def open_field(name: str, type_: pa.DataType) -> pa.Field:
    """A field whose type follows from its present values: its source declares no bounds."""
    return pa.field(name, type_, metadata=_OPEN)


def is_open(field: pa.Field) -> bool:
    """Whether a field was made by :func:`open_field`."""
    return _OPEN.items() <= (field.metadata or {}).items()


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """The types that values are converted to: see :func:`plain_type`.

    A field whose values were converted keeps its source's type as metadata.
    """
    return pa.schema([open_field(f.name, plain_type(f.type)) if is_open(f) else _plain_field(f) for f in schema])


def _plain_field(field: pa.Field) -> pa.Field:
    tests = (written_as_text, pa.types.is_time, pa.types.is_duration)
    source = str(field.type) if any(test(field.type) for test in tests) else source_type(field)
    return told_field(field.name, plain_type(field.type), source)


def told_field(name: str, type_: pa.DataType, source: str) -> pa.Field:
    """A field with the type that its values have at the source as metadata, if one is given."""
    return pa.field(name, type_, metadata={SOURCE_TYPE: source} if source else None)


def plain_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch with the types of :func:`plain_schema`."""
    return pa.RecordBatch.from_arrays([plain(column) for column in batch.columns], names=batch.schema.names)


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
    """Batches with null for an empty text in a partition column, as Delta's protocol says but some readers forget."""
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

    All deletes come before the upserts, so that a row that is in both stays.
    """
    return chain(
        (_with_operation(batch, Operation.DELETE) for batch in gone),
        (_with_operation(batch, Operation.UPSERT) for batch in come),
    )


def _with_operation(batch: pa.RecordBatch, operation: Operation) -> pa.RecordBatch:
    named = pa.array([operation.value], pa.string()).take(pa.array([0] * batch.num_rows, pa.int32()))
    return pa.RecordBatch.from_arrays([*batch.columns, named], names=[*batch.schema.names, OPERATION])
