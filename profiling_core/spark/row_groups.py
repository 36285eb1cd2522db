"""Row groups of row files: a few columns of one at a time, each column read once, and passed over where bounds tell.

What is looked for in a row group is often not there at all: its own smallest and largest values say so for row ids,
and for keys and days of tables that grow by them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from profiling_core.algorithms.columns.repeats import Hashes, combined_hashes
from profiling_core.model.delta import ROW_ID

# A column of text that takes fewer bytes per row has its values stored once, and numbers in the rows.
_NUMBER_BYTES = 4
_NUMBERS = {32: pa.int32(), 64: pa.int64()}


class GroupPlace(NamedTuple):
    """Where a row group lies, with the types of its columns and the ids of rows that are gone.

    Each thread opens the file for itself.
    """

    types: Mapping[str, pa.DataType]
    gone: NDArray[np.int64]
    path: str
    metadata: pq.FileMetaData
    number: int

    @contextmanager
    def opened(self) -> Iterator["RowGroup"]:
        """The row group with all of its rows."""
        group = self.metadata.row_group(self.number)
        few = _of_few_values(group)
        with pq.ParquetFile(self.path, metadata=self.metadata, memory_map=True, read_dictionary=few) as file:
            yield RowGroup(self, file, np.arange(group.num_rows))


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Some rows of a row group, by their places in it."""

    place: GroupPlace
    file: pq.ParquetFile
    places: NDArray[np.int64]
    _whole: dict[str, pa.ChunkedArray] = field(default_factory=dict)

    def taken(self, columns: Sequence[str]) -> pa.Table:
        """Some columns of the rows, in their types."""
        schema = pa.schema([pa.field(name, self.place.types[name]) for name in columns])
        if not columns or not len(self.places):
            return schema.empty_table()
        return self._read(columns).cast(schema)

    def having(self, column: str, values: pa.Array) -> "RowGroup":
        """The rows with one of the values."""
        if not len(self.places):
            return self
        if self._bounds_exclude(column, values):
            return replace(self, places=self.places[:0])
        own = self._read([column])[column]
        if not (pa.types.is_dictionary(own.type) and own.type.value_type == values.type):
            own = own.cast(values.type, safe=False)
        return replace(self, places=self.places[pc.is_in(own, values).to_numpy()])

    def agreeing(self, schema: pa.Schema, hashes: Hashes) -> "RowGroup":
        """The rows whose values in these columns, of these types, have one of the hashes together."""
        if not len(self.places):
            return self
        own = hashes_of(self.taken(schema.names).cast(schema, safe=False))
        return replace(self, places=self.places[np.isin(own, hashes)])

    def live(self) -> "RowGroup":
        """The rows that are not gone."""
        if not len(self.place.gone) or not len(self.places):
            return self
        dead = np.isin(self.taken([ROW_ID])[ROW_ID].to_numpy(), self.place.gone)
        return replace(self, places=self.places[~dead])

    def _read(self, columns: Sequence[str]) -> pa.Table:
        """Some columns as the file gives them: texts of few values as a dictionary's."""
        if unread := [name for name in columns if name not in self._whole]:
            read = self.file.read_row_group(self.place.number, columns=unread)
            self._whole.update(zip(read.column_names, read.columns, strict=True))
        table = pa.table({name: self._whole[name] for name in columns})
        return table if len(table) == len(self.places) else table.take(pa.array(self.places))

    def _bounds_exclude(self, column: str, values: pa.Array) -> bool:
        """Whether the file says that the row group's values all lie beside those that are looked for."""
        own = self.file.schema_arrow.field(column).type
        if values.null_count or values.type != own or not _stored_as_numbers(own):
            return False
        metadata = self.place.metadata
        known = metadata.row_group(self.place.number).column(metadata.schema.names.index(column)).statistics
        if known is None or not known.has_min_max:
            return False
        sought = values.cast(_NUMBERS[own.bit_width]).to_numpy()
        return not ((sought >= known.min_raw) & (sought <= known.max_raw)).any()


def hashes_of(rows: pa.Table) -> Hashes:
    """A hash per row of the values in all columns."""
    return combined_hashes(rows.columns, len(rows))


def _stored_as_numbers(kind: pa.DataType) -> bool:
    """Whether values of a type are stored as signed whole numbers of its width, by which they compare."""
    moments = pa.types.is_timestamp(kind) and kind.unit == "us"
    return bool(moments or pa.types.is_date32(kind) or kind in _NUMBERS.values())


def _of_few_values(group: pq.RowGroupMetaData) -> list[str]:
    """The columns of text of a row group whose values are stored once and named by short numbers."""
    chunks = (group.column(place) for place in range(group.num_columns))
    most = _NUMBER_BYTES * group.num_rows
    return [c.path_in_schema for c in chunks if c.physical_type == "BYTE_ARRAY" and c.total_uncompressed_size < most]
