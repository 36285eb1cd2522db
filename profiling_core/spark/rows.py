"""Rows of one table where they lie: read by Spark, or in this process, a few columns of one row group at a time.

A delta looks for few rows among many: those with its keys, or those that agree with its rows. What it costs is one or
two columns of the table, and whole rows only of the row groups in which there is one that is looked for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyroaring import BitMap64

from profiling_core.algorithms.ground.pieces import in_threads
from profiling_core.algorithms.values.arrow_types import MAX_DIGITS, arrow_type
from profiling_core.model.delta import ROW_ID
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.spark.key_index import KeyIndex
from profiling_core.spark.names import all_quoted
from profiling_core.spark.row_groups import GroupPlace, hashes_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

# Beyond this, ids that went are shuffled to the rows instead of being sent to every task.
_BROADCAST_IDS = 4_000_000
NOBODY = BitMap64()
# Row groups that are looked at before what was found in them is handed out.
_AT_ONCE = 8
# Up to this number of rows, reading them here is faster than beginning Spark's tasks.
FEW_ROWS = 500_000


def row_file_writer(path: Path | str, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer of a row file. Decimals are stored as whole numbers, which are read several times as fast."""
    return pq.ParquetWriter(path, schema, compression="zstd", store_decimal_as_integer=True)


@dataclass(frozen=True)
class RowFiles:
    """Parquet files with ``_row_id``; rows whose ids are ``gone`` are passed over.

    ``prove`` gives their paths once they are proven; ``indexes`` are those of all of the files by key, where there are.
    """

    prove: Callable[[], Iterable[str]]
    gone: BitMap64 = NOBODY
    indexes: tuple[KeyIndex, ...] = ()

    @classmethod
    def of(cls, paths: Iterable[str], gone: BitMap64 = NOBODY) -> "RowFiles":
        """Files that are proven."""
        return cls(partial(tuple, tuple(paths)), gone)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Where the files lie, proven: whoever asks reads them."""
        return tuple(self.prove())


@dataclass(frozen=True)
class Rows:
    """The rows of several files that have the same columns: ``_row_id``, then the schema's."""

    spark: "SparkSession"
    schema: TableSchema
    parts: tuple[RowFiles, ...]

    def and_those(self, others: "Rows | None") -> "Rows":
        """These rows and others of the same table."""
        return self if others is None else replace(self, parts=(*self.parts, *others.parts))

    def without(self, ids: BitMap64) -> "Rows":
        """Those of the rows whose ids are not among these."""
        return replace(self, parts=tuple(replace(part, gone=part.gone | ids) for part in self.parts)) if ids else self

    @cached_property
    def frame(self) -> "DataFrame":
        """The rows as Spark reads them."""
        schema = spark_schema(self.schema)
        frames = [self._frame(part, schema) for part in self.parts if part.paths]
        if not frames:
            return self.spark.createDataFrame([], schema)
        whole = frames[0]
        for frame in frames[1:]:
            whole = whole.unionAll(frame)
        return whole

    def _frame(self, part: RowFiles, schema: "StructType") -> "DataFrame":
        rows = self.spark.read.schema(schema).parquet(*part.paths)
        if not part.gone:
            return rows
        from pyspark.sql import functions as f

        ids = self.spark.createDataFrame(pa.table({ROW_ID: _ids(part.gone)}))
        few = len(part.gone) <= _BROADCAST_IDS
        kept = rows.join(f.broadcast(ids) if few else ids, ROW_ID, "left_anti")
        return kept.select(*all_quoted(rows.columns))

    @property
    def apart(self) -> "Rows":
        """The same rows without the session, for processes that have none: they can be read, but not by Spark."""
        proven = tuple(RowFiles.of(part.paths, part.gone) for part in self.parts)
        return replace(self, spark=cast("SparkSession", None), parts=proven)

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        """A column of all rows."""
        return self.read([column])[column]

    @cached_property
    def most(self) -> int:
        """How many rows the files hold, those that are passed over too."""
        return sum(pq.read_metadata(path).num_rows for part in self.parts for path in part.paths)

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Some columns of all rows."""
        return pa.concat_tables([self.arrow(columns).empty_table(), *self.portions(columns)])

    def first(self, rows: int, columns: Sequence[str]) -> pa.Table:
        """Some columns of the first ``rows`` rows."""
        found = [self.arrow(columns).empty_table()]
        for portion in self.portions(columns):
            found.append(portion)
            if sum(map(len, found)) >= rows:
                break
        return pa.concat_tables(found).slice(0, rows)

    def portions(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Some columns of all rows, a row group at a time."""
        for place in self._places():
            with place.opened() as group:
                yield group.live().taken(columns)

    def with_ids(self, ids: BitMap64, columns: Sequence[str]) -> pa.Table:
        """Some columns of the rows that have these ids."""
        wanted = pa.table({ROW_ID: pa.array(_ids(ids))})
        return pa.concat_tables([self.arrow(columns).empty_table(), *self.agreeing(wanted, columns)])

    def agreeing(self, wanted: pa.Table, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Some columns of the rows that agree with a wanted one in all the columns that these have; nulls are values.

        Values compare in the wanted ones' types. They are told by a hash of 64 bits: once in a long while there is one
        too many. They come a row group at a time; where the wanted ones have no columns, all rows do.
        """
        sought = {name: pc.unique(wanted[name]) for name in wanted.column_names}
        rarest = sorted(sought.items(), key=lambda item: -len(item[1]))
        combined, types = hashes_of(wanted), wanted.schema.remove_metadata()

        def found(place: GroupPlace) -> pa.Table:
            with place.opened() as group:
                near = reduce(lambda rows, item: rows.having(*item), rarest, group)
                near = near.agreeing(types, combined).live() if len(sought) > 1 else near.live()
                return near.taken(columns)

        places = self._places()
        while some := list(islice(places, _AT_ONCE)):
            yield from filter(len, in_threads(found, some))

    def with_keys(self, wanted: pa.Table, columns: Sequence[str]) -> Iterator[pa.Table]:
        """What :meth:`agreeing` gives, where the wanted columns are those that tell rows apart.

        Files that have an index are not read.
        """
        hashes = np.unique(hashes_of(wanted))
        for part in self.parts:
            if not part.indexes:
                yield from replace(self, parts=(part,)).agreeing(wanted, columns)
                continue
            for index in part.indexes:
                rows = index.find(hashes).select(columns)
                gone = part.gone & BitMap64(rows[ROW_ID].to_pylist())
                yield rows.filter(pc.invert(pc.is_in(rows[ROW_ID], pa.array(_ids(gone))))) if gone else rows

    def _places(self) -> Iterator[GroupPlace]:
        types = self._types
        for part in self.parts:
            gone = _ids(part.gone)
            for path in part.paths:
                metadata = pq.read_metadata(path)
                for number in range(metadata.num_row_groups):
                    yield GroupPlace(types, gone, path, metadata, number)

    def arrow(self, columns: Sequence[str]) -> pa.Schema:
        """The types of some columns, in which they are read."""
        return pa.schema([pa.field(name, self._types[name]) for name in columns])

    @cached_property
    def _types(self) -> dict[str, pa.DataType]:
        return {column.name: arrow_type(column) for column in self.schema.columns} | {ROW_ID: pa.int64()}


def _ids(gone: BitMap64) -> NDArray[np.int64]:
    return np.fromiter(gone, np.int64, len(gone))


def spark_schema(schema: TableSchema) -> "StructType":
    """The Spark schema of a table's row files, ``_row_id`` first."""
    from pyspark.sql.types import LongType, StructField, StructType

    fields = [StructField(column.name, _spark_type(column)) for column in schema.columns]
    return StructType([StructField(ROW_ID, LongType()), *fields])


def _spark_type(column: Column) -> "DataType":
    from pyspark.sql import types as t

    if column.type is LogicalType.DECIMAL:
        return t.DecimalType(column.precision or MAX_DIGITS, column.scale or 0)
    simple: dict[LogicalType, t.DataType] = {
        LogicalType.BOOLEAN: t.BooleanType(),
        LogicalType.INTEGER: t.LongType(),
        LogicalType.FLOAT: t.DoubleType(),
        LogicalType.DATE: t.DateType(),
        LogicalType.TIMESTAMP: t.TimestampType(),
        LogicalType.TIME: t.StringType(),
        LogicalType.STRING: t.StringType(),
        LogicalType.BINARY: t.BinaryType(),
    }
    return simple[column.type]
