"""Bounds on how far a Parquet file may unpack: pages compress well, and one long text may stand for many cells.

The sizes that the footer declares are checked before anything is read. Texts that could unpack beyond the bound are
read
as dictionaries, so that their size is known before they are decoded.
"""

import os
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from profiling_core.ingest.rows import CHUNK_ROWS, check_names, unreadable_file
from profiling_core.model.errors import InputError

# A file may unpack to _FREE bytes, or to _TIMES its size if that is more: no table repeats itself more often. One
# column of some rows may take as much memory at once, and a whole table that or half of the memory.
_FREE, _TIMES = 1 << 30, 200
_TEXT = "BYTE_ARRAY"
_LISTS: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.Field, pa.DataType], pa.DataType]], ...] = (
    (pa.types.is_fixed_size_list, lambda field, type_: pa.list_(field, type_.list_size)),
    (pa.types.is_large_list, lambda field, _: pa.large_list(field)),
    (pa.types.is_list, lambda field, _: pa.list_(field)),
)
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8, _TEXT: 4}


def may_come_to(size: int) -> int:
    """The most bytes that ``size`` stored bytes may unpack to."""
    return max(_FREE, _TIMES * size)


def unfolds_too_far(path: object) -> InputError:
    """The error of a file beyond its bound."""
    return InputError(
        "the file would unpack to far more than its size, or to more than there is memory for",
        where=str(path),
        remedy=f"if that is no mistake, write its rows to files of at most {_FREE >> 30} GiB without compression",
    )


@dataclass(frozen=True)
class TableFile:
    """A file of a table that a library reads: how to open it, its size in bytes, and what people know it as."""

    open: Callable[[], Any]
    size: int
    where: str

    def __str__(self) -> str:
        return self.where


def check_table_file(file: TableFile) -> None:
    """Checks a table's file against the bound before a library reads it, since the library unpacks without a bound.

    Raises:
        InputError: as for :meth:`Unfolding.open`, or its texts would unpack to too much.
    """
    unfolding = Unfolding(file)
    with unfolding.open() as opened:
        unfolding.check_texts(opened)


class Unfolding:
    """One reading of a file within its bound, or of one row group within its share.

    With ``whole`` the whole file is held in memory.
    """

    def __init__(self, path: Path | TableFile, *, group: int | None = None, whole: bool = False) -> None:
        self._path, self._group, self._whole = path, group, whole
        self._left = 0
        self._folded: list[str] = []

    def _open(self, **options: Any) -> pq.ParquetFile:
        # Arrow reads INT96 as nanoseconds by default, and those wrap around before 1678 and after 2262.
        source = self._path if isinstance(self._path, Path) else self._path.open()
        return pq.ParquetFile(source, coerce_int96_timestamp_unit="us", **options)

    def open(self) -> pq.ParquetFile:
        """The file; its texts are dictionaries if they may unpack beyond the bound.

        Raises:
            InputError: the file is unreadable, not Parquet, has names that a table cannot have, or declares too much.
        """
        try:
            most = may_come_to(self._path.stat().st_size if isinstance(self._path, Path) else self._path.size)
            self._left = max(_FREE, min(most, _memory() // 2)) if self._whole else most
            file = self._open()
            check_names(file.schema_arrow.names, self._path)
            groups = range(file.metadata.num_row_groups)
            if self._group is None:
                self._check_declared(file.metadata)
            else:
                self._left //= max(1, len(groups))
                groups = range(self._group, self._group + 1)
            texts = self._texts(file.metadata, groups)
            if not texts:
                return file
            folded = self._open(read_dictionary=texts)
            self._folded = texts if self._may_unfold(folded, groups, texts) else []
        except (OSError, pa.ArrowException) as error:
            raise unreadable_file(self._path, error) from error
        return folded if self._folded else file

    def _check_declared(self, metadata: pq.FileMetaData) -> None:
        declared = 0
        for group in range(metadata.num_row_groups):
            for number in range(metadata.num_columns):
                chunk = metadata.row_group(group).column(number)
                width = _WIDTHS.get(chunk.physical_type) or metadata.schema.column(number).length
                declared += max(chunk.total_uncompressed_size, chunk.num_values * width)
        if declared > self._left:
            raise unfolds_too_far(self._path)

    def _texts(self, metadata: pq.FileMetaData, groups: range) -> list[str]:
        """The text columns with dictionaries, if their whole dictionary in each row would pass the bound."""
        possible, found = 0, set[str]()
        for group in groups:
            for number in range(metadata.num_columns):
                chunk = metadata.row_group(group).column(number)
                if chunk.physical_type == _TEXT and chunk.has_dictionary_page:
                    possible += chunk.num_values * chunk.total_uncompressed_size
                    found.add(chunk.path_in_schema)
        return sorted(found) if possible > self._left else []

    def _may_unfold(self, folded: pq.ParquetFile, groups: range, texts: list[str]) -> bool:
        """Whether the bound would be passed if each cell had the longest text of its dictionary.

        Lists are taken to pass it: their first row need not show the dictionary.
        """
        if any("." in name for name in texts):
            return True
        possible = 0
        for group in groups:
            rows = folded.metadata.row_group(group).num_rows
            for batch in islice(folded.iter_batches(1, [group], texts), 1):
                for column in filter(_is_folded_text, batch.columns):
                    possible += rows * (pc.max(pc.binary_length(column.dictionary)).as_py() or 0)
        return possible > self._left

    def check_texts(self, file: pq.ParquetFile) -> None:
        """Raises ``InputError`` where the texts that :meth:`open` left as dictionaries would pass the bound."""
        for group in range(file.metadata.num_row_groups) if self._folded else ():
            texts: dict[int, int] = {}
            for batch in file.iter_batches(CHUNK_ROWS, [group], self._folded):
                for number, column in enumerate(batch.columns):
                    texts[number] = texts.get(number, 0) + self._take(column, texts.get(number, 0))

    def plain(self, column: pa.Array) -> pa.Array:
        """A column without its dictionaries; raises ``InputError`` where that would pass the bound."""
        plain = _unfolded(column.type)
        if plain == column.type:
            return column
        self._take(column)
        return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column.cast(plain)

    def _take(self, column: pa.Array, before: int = 0) -> int:
        """Subtracts a column's unpacked bytes of text from the bound; ``before``: those of its row group so far."""
        size = sum(pc.sum(pc.take(pc.binary_length(a.dictionary), a.indices)).as_py() or 0 for a in _texts_in(column))
        self._left -= size
        if self._left < 0 or before + size > _FREE:
            raise unfolds_too_far(self._path)
        return size

    def plain_chunks(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """As :meth:`plain`, for a column of several chunks."""
        if _unfolded(column.type) == column.type:
            return column
        return pa.chunked_array([self.plain(chunk) for chunk in column.chunks], _unfolded(column.type))


def _is_folded_text(column: pa.Array) -> bool:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else None
    return kind is not None and (pa.types.is_binary(kind) or pa.types.is_string(kind))


def _texts_in(column: pa.Array) -> Iterator[pa.DictionaryArray]:
    """The dictionaries of texts in a column, also inside lists and structs."""
    if _is_folded_text(column):
        yield column
    elif isinstance(column, pa.StructArray):
        for inner in column.flatten():
            yield from _texts_in(inner)
    elif isinstance(column, pa.MapArray):
        yield from (text for inner in (column.keys, column.items) for text in _texts_in(inner))
    elif isinstance(column, pa.ListArray | pa.LargeListArray | pa.FixedSizeListArray):
        yield from _texts_in(column.flatten())


def _unfolded(type_: pa.DataType) -> pa.DataType:
    """A type without dictionaries."""
    if pa.types.is_dictionary(type_):
        return type_.value_type
    if pa.types.is_struct(type_):
        return pa.struct([field.with_type(_unfolded(field.type)) for field in type_])
    if pa.types.is_map(type_):
        key, item = (field.with_type(_unfolded(field.type)) for field in (type_.key_field, type_.item_field))
        return pa.map_(key, item, type_.keys_sorted)
    for test, make in _LISTS:
        if test(type_):
            return make(type_.value_field.with_type(_unfolded(type_.value_type)), type_)
    return type_


def _memory() -> int:
    """The bytes of memory that this process may use."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return machine if limit == resource.RLIM_INFINITY else min(machine, limit)
