"""CSV files in parts, as typed rows or as texts: for discovery that never holds a table in memory.

Arrow reads each part. Where it reports an error, the row-wise reader reads the part again: it knows the line and can
explain the error.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from profiling_core.ingest import csv_rows
from profiling_core.ingest.csv_ranges import Ranges, cut
from profiling_core.ingest.files import has_swallowed, header_schema, texts_of, typed_column
from profiling_core.ingest.infer import column_of, inferred_columns, possible_in_column
from profiling_core.ingest.rows import RowChunk
from profiling_core.ingest.slashed_days import Reading
from profiling_core.ingest.text_values import ANYTHING
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.errors import BrokenRow
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import LogicalType

# Bytes of a part.
PART_BYTES = 16 << 20
_TEXT = LogicalType.STRING
Types = tuple[frozenset[Reading], ...]


@dataclass(frozen=True, slots=True)
class CsvParts:
    """A CSV file's rows in parts; it is pickled for tasks.

    Attributes:
        path: the file; ranges: its parts; names: the columns as its header writes them; schema: as they are read.
        dialect: how it is written; null_values: the cells that are null; marks: how numbers are written.
        leaves_out: whether unreadable rows are left out; else they are an error.
    """

    path: Path
    ranges: Ranges
    names: tuple[str, ...]
    schema: TableSchema
    dialect: CsvDialect
    null_values: tuple[str, ...]
    marks: Marks = PLAIN
    leaves_out: bool = False

    def __len__(self) -> int:
        """The number of parts; 0: no rows."""
        return len(self.ranges.bounds) - 1

    def size(self, part: int) -> int:
        """A part's bytes."""
        return self.ranges.bounds[part + 1] - self.ranges.bounds[part]

    def read(self, part: int, columns: Sequence[str]) -> pa.Table:
        """Some columns of a part's rows.

        Raises:
            InputError: the part is malformed, or a value is not of its column's type; names file, line and remedy.
        """
        rows = self._read_texts(part, columns)
        chosen = [self.schema.column(name) for name in columns]
        typed = [typed_column(rows[c.name], c, self.marks, lambda row: self._line(part, row)) for c in chosen]
        return pa.table(typed, names=list(columns))

    def _read_texts(self, part: int, columns: Sequence[str]) -> pa.Table:
        """As texts, under the schema's names."""
        written = [self.names[self.schema.names.index(name)] for name in columns]
        if self.leaves_out or not _is_cut(self.dialect):
            return self._readable(part).select(written).rename_columns(list(columns))
        first, end = self.ranges.bounds[part : part + 2]
        with self.path.open("rb") as file:
            file.seek(first)
            content = file.read(end - first)
        options = {"column_types": dict.fromkeys(written, pa.string()), "include_columns": written}
        try:
            rows = pa.csv.read_csv(
                pa.py_buffer(content),
                read_options=pa.csv.ReadOptions(
                    use_threads=False,
                    block_size=max(1, len(content)),
                    column_names=None if self.ranges.headed else list(self.names),
                ),
                parse_options=pa.csv.ParseOptions(
                    delimiter=self.dialect.delimiter, newlines_in_values=self.ranges.quoted
                ),
                convert_options=pa.csv.ConvertOptions(
                    null_values=list(self.null_values), strings_can_be_null=True, **options
                ),
            )
            lines = content.count(b"\n") if self.ranges.quoted else 0
            is_misread = lines > rows.num_rows and has_swallowed(rows, self.dialect.delimiter)
        except (pa.ArrowInvalid, KeyError):
            is_misread = True
        if is_misread:
            rows = self._readable(part).select(written)
        return rows.rename_columns(list(columns))

    def _readable(self, part: int) -> pa.Table:
        """A part's rows as texts; raises ``BrokenRow`` for an unreadable row unless these are left out."""
        return texts_of(self._row_wise(part), self.names, self.path, [] if self.leaves_out else None)

    def _row_wise(self, part: int) -> Iterator[RowChunk]:
        """A part's rows with their lines, by the row-wise reader."""
        if not _is_cut(self.dialect):
            return csv_rows.read(self.path, self.dialect, self.null_values)
        first, end = self.ranges.bounds[part : part + 2]
        names = () if self.ranges.headed else self.names
        return csv_rows.read_range(self.path, self.dialect, self.null_values, (first, end), names)

    def _line(self, part: int, row: int) -> str:
        for chunk in self._row_wise(part):
            lines = chunk.lines.filter(chunk.unreadable.is_null())
            if row < len(lines):
                return f"{self.path}, line {lines[row]}"
            row -= len(lines)
        raise IndexError(row)

    def possible_types(self, part: int) -> Types:
        """Per column the types that a part's texts allow."""
        rows = self._read_texts(part, self.schema.names)
        return tuple(possible_in_column(column.combine_chunks(), marks=self.marks) for column in rows.columns)

    def with_types(self, found: Iterable[Types]) -> "CsvParts":
        """With the types that all parts allow, given those of each part."""
        allowed = [frozenset.intersection(*types) for types in zip(*found, strict=True)] or [ANYTHING] * len(self.names)
        columns = inferred_columns(dict(zip(self.schema.names, allowed, strict=True)))
        return replace(self, schema=TableSchema(self.schema.table, tuple(columns)))


def csv_parts(
    path: Path,
    *,
    typed_header: bool,
    texts: bool,
    null_values: Sequence[str],
    dialect: CsvDialect,
    marks: Marks = PLAIN,
    leaves_out: bool = False,
) -> CsvParts:
    """A CSV file in parts. Without a typed header its columns are strings until other types are set.

    Raises:
        InputError: the file is missing, empty or malformed; names file, line and remedy.
    """
    names = csv_rows.header(path, dialect)
    ranges = cut(path, dialect.delimiter, PART_BYTES) if _is_cut(dialect) else _whole(path)
    if not ranges.closed:
        broken: list[BrokenRow] | None = [] if leaves_out else None
        texts_of(csv_rows.read(path, dialect, null_values), names, path, broken)  # raises, and names the line
    declared = header_schema(path, names) if typed_header else None
    texts_only = TableSchema(path.stem, tuple(column_of(n, _TEXT) for n in (declared.names if declared else names)))
    schema = declared if declared and not texts else texts_only
    return CsvParts(path, ranges, names, schema, dialect, tuple(null_values), marks, leaves_out)


def _is_cut(dialect: CsvDialect) -> bool:
    """Whether a file can be read in parts; other files are read row by row as a whole."""
    is_plain = dialect.is_regular and dialect.delimiter.isascii()
    return is_plain and (dialect.skip_rows, dialect.header, dialect.skip_below) == (0, 1, 0)


def _whole(path: Path) -> Ranges:
    return Ranges((0, path.stat().st_size), headed=True, quoted=True, closed=True)
