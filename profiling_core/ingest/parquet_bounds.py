"""How far a Parquet file may unfold: pages compress well, and one long text in a dictionary can stand for many cells.

What the footer declares is held to a bound before anything is read. Texts are read with their dictionaries where these
could unfold beyond it, so that their size is known before they do.
"""

import os
import resource
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from profiling_core.ingest.rows import check_names, unreadable_file
from profiling_core.model.errors import InputError

# A file may unfold to so many bytes, or to so many times its size where that is more: no table repeats itself as much.
# What is held at once may be that large too: a column of some rows, or by half of the memory a whole table.
_FREE, _TIMES = 1 << 30, 200
_TEXT = "BYTE_ARRAY"
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8, _TEXT: 4}


class Unfolding:
    """One reading of a file within its bound, or of one row group within its share.

    With ``whole`` all of the file is held in memory.
    """

    def __init__(self, path: Path, *, group: int | None = None, whole: bool = False) -> None:
        self._path, self._group, self._whole = path, group, whole
        self._left = 0

    def open(self) -> pq.ParquetFile:
        """The file, whose texts are dictionaries where these may unfold beyond the bound.

        Raises:
            InputError: the file is unreadable, not Parquet, has names that a table cannot have, or declares too much.
        """
        try:
            most = _TIMES * self._path.stat().st_size
            self._left = max(_FREE, min(most, _memory() // 2) if self._whole else most)
            file = pq.ParquetFile(self._path)
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
            folded = pq.ParquetFile(self._path, read_dictionary=texts)
            return folded if self._may_unfold(folded, groups, texts) else file
        except (OSError, pa.ArrowException) as error:
            raise unreadable_file(self._path, error) from error

    def _check_declared(self, metadata: pq.FileMetaData) -> None:
        declared = 0
        for group in range(metadata.num_row_groups):
            for number in range(metadata.num_columns):
                chunk = metadata.row_group(group).column(number)
                width = _WIDTHS.get(chunk.physical_type) or metadata.schema.column(number).length
                declared += max(chunk.total_uncompressed_size, chunk.num_values * width)
        if declared > self._left:
            raise self._too_much()

    def _texts(self, metadata: pq.FileMetaData, groups: range) -> list[str]:
        """The columns of texts with dictionaries, where one of these as a cell of each row would pass the bound."""
        possible, found = 0, set[str]()
        for group in groups:
            for number in range(metadata.num_columns):
                chunk = metadata.row_group(group).column(number)
                if chunk.physical_type == _TEXT and chunk.has_dictionary_page:
                    possible += chunk.num_values * chunk.total_uncompressed_size
                    found.add(chunk.path_in_schema)
        return sorted(found) if possible > self._left else []

    def _may_unfold(self, folded: pq.ParquetFile, groups: range, texts: list[str]) -> bool:
        """Whether the bound would be passed if each cell had the longest text of its dictionary."""
        possible = 0
        for group in groups:
            rows = folded.metadata.row_group(group).num_rows
            for batch in islice(folded.iter_batches(1, [group], texts), 1):
                for column in filter(_is_folded_text, batch.columns):
                    possible += rows * (pc.max(pc.binary_length(column.dictionary)).as_py() or 0)
        return possible > self._left

    def plain(self, column: pa.Array) -> pa.Array:
        """A column without its dictionary; raises ``InputError`` where that would pass the bound."""
        if not pa.types.is_dictionary(column.type):
            return column
        if _is_folded_text(column):
            lengths = pc.binary_length(column.dictionary)
            size = pc.sum(pc.take(lengths, column.indices)).as_py() or 0
            self._left -= size
            if self._left < 0 or size > _FREE:
                raise self._too_much()
        return column.dictionary_decode()

    def plain_chunks(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """The same for a column of several chunks."""
        if not pa.types.is_dictionary(column.type):
            return column
        return pa.chunked_array([self.plain(chunk) for chunk in column.chunks], column.type.value_type)

    def _too_much(self) -> InputError:
        return InputError(
            "the file would unfold to far more than it holds, or to more than there is memory for",
            where=str(self._path),
            remedy=f"if that is no mistake, write its rows to files of at most {_FREE >> 30} GiB without compression",
        )


def _is_folded_text(column: pa.Array) -> bool:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else None
    return kind is not None and (pa.types.is_binary(kind) or pa.types.is_string(kind))


def _memory() -> int:
    """The bytes that this process may take."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return machine if limit == resource.RLIM_INFINITY else min(machine, limit)
