"""Whole files as typed tables, for one-shot discovery: CSV and Parquet, without state and without Spark.

Arrow reads well-formed CSV files. Where it reports an error, the row-wise reader reads the file again: it knows the
line
and can explain the error.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.ingest import csv_rows, missing
from profiling_core.ingest.csv_ranges import cut
from profiling_core.ingest.found_marks import are_marked, bare_numbers, number_marks
from profiling_core.ingest.infer import column_of, infer_schema, schema_of, side_by_side
from profiling_core.ingest.nearly import said_of_all, said_of_form
from profiling_core.ingest.parquet_bounds import Unfolding
from profiling_core.ingest.plain_types import plain, plain_type, with_fine_as_text, written_as_text
from profiling_core.ingest.plain_types import said_of as said_of_type
from profiling_core.ingest.rows import RowChunk, check_names, require_regular, unreadable_file
from profiling_core.ingest.text_values import beyond_calendar, cast_text, plain_floats
from profiling_core.model.account import MAX_REJECT_RATIO, Account
from profiling_core.model.dialect import PLAIN_DIALECT, CsvDialect
from profiling_core.model.errors import BrokenRow, InputError
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

Values = Literal["typed", "text"]

_TYPED_NAME = re.compile(r"(?P<name>.+)\((?P<type>\w+)\)")
_HEADER_TYPES = {"string": LogicalType.STRING, "integer": LogicalType.INTEGER, "double": LogicalType.FLOAT}
MAGIC = b"PAR1"
# Characters of a value that a message shows, at most.
_SHOWN = 80
_BLOCK = 1 << 20
# Each block becomes a chunk of each column, and each chunk costs a few calls.
_LARGE_BLOCK = 16 << 20
# Smaller CSV files are read within 0.1 s anyway, and threads would hold memory for each block. Arrow reads a file in
# memory without waiting for a thread of its own.
_WORTH_THREADS = 16 << 20
# Rows that are looked at first, to decide whether to look at all of them.
_FIRST = 2_000


def read_table(
    path: Path | str,
    *,
    typed_header: bool = False,
    values: Values = "typed",
    null_values: Sequence[str] | None = ("",),
    dialect: CsvDialect = PLAIN_DIALECT,
    marks: Marks = PLAIN,
    told: Callable[[str], None] = lambda _: None,
) -> tuple[TableSchema, pa.Table]:
    """A file's rows with its schema; the table is named after the file.

    Args:
        path: a CSV file or a Parquet file, told apart by content.
        typed_header: whether CSV columns are named ``name(String|Integer|Double)``; else types are inferred.
        values: ``text`` leaves every value as its text, and makes every column a string.
        null_values: CSV cells that are null. None: empty cells, and for inferred types the usual texts for null in
            columns whose other cells are all numbers, dates, moments or truth values.
        dialect: how a CSV file is written.
        marks: how numbers in CSV cells are written; with ``null_values`` None and plain marks, other marks are looked
            for, too.
        told: called with each assumption: texts that were taken for null, and columns that became text.

    Raises:
        InputError: the file is missing, empty, malformed or of unsupported types; names file, line and remedy.
    """
    path = Path(path)
    if is_parquet(path):
        return _read_parquet(path, values, told)

    def at(row: int) -> str:
        return f"line {line_of(path, dialect, row)}"

    texts = _read_texts(path, dialect, ("",) if null_values is None else null_values, told)
    schema = header_schema(path, texts.column_names) if typed_header else None
    texts = texts.rename_columns(list(schema.names)) if schema else texts
    if values == "text":
        return TableSchema(path.stem, tuple(column_of(name, LogicalType.STRING) for name in texts.column_names)), texts
    if schema is None:
        schema, texts, marks = as_read(path.stem, texts, marks, told, at, looked_for=null_values is None)
    columns = _typed(texts, schema, marks, lambda row: f"{path}, {at(row)}")
    del texts
    if path.stat().st_size > _BLOCK:
        # Otherwise Arrow would keep the memory of the file's text while the table is worked on.
        pa.default_memory_pool().release_unused()
    return schema, pa.table(columns, names=list(schema.names))


def as_read(
    name: str, texts: pa.Table, marks: Marks, told: Callable[[str], None], at: Callable[[int], str], *, looked_for: bool
) -> tuple[TableSchema, pa.Table, Marks]:
    """How a table's texts are read: the schema, the texts with nulls, and the marks of numbers.

    Args:
        name: the table's name.
        texts: its texts.
        marks: how numbers are written.
        told: called with each assumption.
        at: the place of a row, in words.
        looked_for: whether other marks, and texts that mean null, are looked for.
    """
    schema = infer_schema(name, texts, marks=marks)
    if looked_for and marks == PLAIN and (found := _other_marks(texts, schema)) != PLAIN:
        told(f"numbers are read {found.words}")
        marks, schema = found, infer_schema(name, texts, marks=found)
    if looked_for and (nulls := _usual_nulls(texts, schema, marks)):
        told(f"{missing.said_of_nulls(nulls)} read as null (choose with --null-value)")
        texts = missing.without(texts, nulls)
        schema = infer_schema(name, texts, marks=marks)
    for said in (*filter(None, map(said_of_form, schema.columns)), *_nearly_other(texts, schema, marks, at)):
        told(said)
    return schema, texts, marks


def _other_marks(texts: pa.Table, schema: TableSchema) -> Marks:
    """How a file writes numbers, if another way would turn some column into numbers."""
    wordy = [column.name for column in schema.columns if column.type is LogicalType.STRING]
    first = missing.without_usual(texts.select(wordy)[:_FIRST])
    worth = any(are_marked(bare_numbers(column)) for column in first.columns)
    return number_marks(missing.without_usual(texts)) if worth else PLAIN


def _usual_nulls(texts: pa.Table, schema: TableSchema, marks: Marks) -> missing.ColumnNulls:
    """By column the texts for null that keep a column of numbers or dates from being one."""
    wordy = [column.name for column in schema.columns if column.type is LogicalType.STRING]
    return missing.null_texts(texts.select(wordy), marks)


def _typed(texts: pa.Table, schema: TableSchema, marks: Marks, where: Callable[[int], str]) -> list[pa.ChunkedArray]:
    return side_by_side(lambda c: typed_column(texts[c.name], c, marks, where), schema.columns, texts.nbytes)


def is_parquet(path: Path) -> bool:
    """Whether a file is a Parquet file; raises ``InputError`` where it cannot be read or is no regular file."""
    try:
        require_regular(path)
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise unreadable_file(path, error) from error


def _read_texts(path: Path, dialect: CsvDialect, null_values: Sequence[str], told: Callable[[str], None]) -> pa.Table:
    heading = csv_rows.heading(path, dialect)
    if not dialect.is_regular:
        return _read_by_row(path, heading.names, dialect, null_values, told)
    large = path.stat().st_size > _WORTH_THREADS
    content = pa.memory_map(str(path)).read_buffer() if large else pa.py_buffer(path.read_bytes())
    quotes, line_ends = _count(content)
    if quotes and not (dialect.delimiter.isascii() and cut(path, dialect.delimiter, content.size).closed):
        return _read_by_row(path, heading.names, dialect, null_values, told)
    rows = content.slice(_bytes_before_rows(content, heading))
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(rows),
            read_options=pa.csv.ReadOptions(
                use_threads=large, block_size=_LARGE_BLOCK, column_names=list(heading.names)
            ),
            parse_options=pa.csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=bool(quotes)),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(heading.names, pa.string()),
                null_values=list(null_values),
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid as error:
        if not rows.size or "Empty CSV file" in str(error):
            return pa.schema([(name, pa.string()) for name in heading.names]).empty_table()
        return _read_by_row(path, heading.names, dialect, null_values, told)
    if quotes and line_ends > table.num_rows and has_swallowed(table, dialect.delimiter):
        return _read_by_row(path, heading.names, dialect, null_values, told)
    return table


def _count(content: pa.Buffer) -> tuple[int, int]:
    """The quotes and line ends of a file."""
    view = memoryview(content)
    blocks = (bytes(view[at : at + _BLOCK]) for at in range(0, len(view), _BLOCK))
    counts = [(block.count(b'"'), block.count(b"\n")) for block in blocks]
    return sum(quotes for quotes, _ in counts), sum(ends for _, ends in counts)


def _bytes_before_rows(content: pa.Buffer, heading: csv_rows.Heading) -> int:
    mark = len(codecs.BOM_UTF8) if bytes(content.slice(0, 3)) == codecs.BOM_UTF8 else 0
    return min(mark + len(heading.text.encode("utf-8", "surrogateescape")), int(content.size))


def has_swallowed(texts: pa.Table, delimiter: str) -> bool:
    """Whether a value spans lines that look like rows, since a quote was opened by mistake."""
    for column in texts.columns:
        spanning = pc.unique(column.filter(pc.match_substring_regex(column, r"\n.*\n")))
        if any(csv_rows.swallows_rows(value, texts.num_columns, delimiter) for value in spanning.to_pylist()):
            return True
    return False


def _read_by_row(
    path: Path, names: Sequence[str], dialect: CsvDialect, null_values: Sequence[str], told: Callable[[str], None]
) -> pa.Table:
    broken: list[BrokenRow] = []
    accounts: list[Account] = []
    chunks = csv_rows.read(path, dialect, null_values)
    texts = texts_of(_accounted(chunks, accounts), names, path, broken)
    say_left_out(broken, sum(account.lost for account in accounts), texts.num_rows, told)
    return texts


def say_left_out(broken: Sequence[BrokenRow], lost: int, rows: int, told: Callable[[str], None]) -> None:
    """Reports the unreadable rows of a file; raises the first one's error if they are more than ``apply`` allows.

    Args:
        broken: their errors.
        lost: the lines that they took, beyond one for each.
        rows: how many other rows the file has.
        told: called with the report.
    """
    if not broken:
        return
    gone = len(broken) + lost
    if gone > MAX_REJECT_RATIO * (rows + gone):
        raise broken[0]
    said = "row cannot be read and is" if len(broken) == 1 else "rows cannot be read and are"
    told(f"{len(broken):,} {said} left out; the first is at {Path(broken[0].where).name}: {broken[0].what}")


def left_out(path: Path, dialect: CsvDialect, told: Callable[[str], None]) -> None:
    """Reads a CSV file chunk by chunk, and reports as :func:`say_left_out`."""
    broken: list[BrokenRow] = []
    lost = rows = 0
    names = csv_rows.header(path, dialect)
    for chunk in csv_rows.read(path, dialect, ()):
        rows += texts_of([chunk], names, path, broken).num_rows
        lost += chunk.account.lost if chunk.account else 0
    say_left_out(broken, lost, rows, told)


def _accounted(chunks: Iterable[RowChunk], accounts: list[Account]) -> Iterator[RowChunk]:
    """The chunks; the account of each is noted."""
    for chunk in chunks:
        accounts.append(chunk.account or Account())
        yield chunk


def texts_of(
    chunks: Iterable[RowChunk], names: Sequence[str], path: Path, broken: list[BrokenRow] | None = None
) -> pa.Table:
    """Rows as one table of texts; an unreadable row's error is added to ``broken`` if that is given, else raised."""
    schema = pa.schema([(name, pa.string()) for name in names])
    parts = [schema.empty_table()]
    for chunk in chunks:
        wrong = chunk.unreadable.is_valid()
        rows = pa.table([chunk.cells[name] for name in names], schema=schema)
        for row in pc.indices_nonzero(wrong).to_pylist():
            error = BrokenRow(
                chunk.unreadable[row].as_py(),
                where=f"{path}, line {chunk.lines[row]}",
                remedy="give each row as many values as the header has names, in the file's encoding; "
                'quote values with delimiters, "like, so"',
            )
            if broken is None:
                raise error
            broken.append(error)
        parts.append(rows.filter(pc.invert(wrong)) if pc.any(wrong).as_py() else rows)
    return pa.concat_tables(parts)


def header_schema(path: Path, written: Sequence[str]) -> TableSchema:
    """The schema that a header of names like name(String) declares; raises ``InputError`` where it does not."""
    columns = [_header_column(path, name) for name in written]
    check_names([column.name for column in columns], path)
    return TableSchema(path.stem, tuple(columns))


def _header_column(path: Path, written: str) -> Column:
    found = _TYPED_NAME.fullmatch(written.strip())
    type_ = _HEADER_TYPES.get(found["type"].lower()) if found else None
    if found is None or type_ is None:
        raise InputError(
            f"column {written!r} does not say its type",
            where=f"{path}, line 1",
            remedy="write each name as name(String), name(Integer) or name(Double), or read without typed header",
        )
    return column_of(found["name"].strip(), type_)


def typed_column(texts: pa.ChunkedArray, column: Column, marks: Marks, where: Callable[[int], str]) -> pa.ChunkedArray:
    """A column's texts as its values; ``where`` gives the place of a row, for the error about the first bad text.

    Raises:
        InputError: a text is no value of the column's type.
    """
    chunks, before = [], 0
    for chunk in texts.chunks:
        values, bad = cast_text(chunk, column, marks)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise _wrong_value(column, chunk[row].as_py(), where(before + row))
        chunks.append(values)
        before += len(chunk)
    return pa.chunked_array(chunks, arrow_type(column))


def _wrong_value(column: Column, text: str, where: str) -> InputError:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return InputError(
        f"column {column.name!r} is {column.type}, not {shown!r}",
        where=where,
        remedy="mend the value, or change the column's type in the header",
    )


def line_of(path: Path, dialect: CsvDialect, row: int) -> int:
    """The line where a row begins, from 1."""
    for chunk in csv_rows.read(path, dialect, ()):
        lines = chunk.lines.filter(chunk.unreadable.is_null())
        if row < len(lines):
            return int(lines[row].as_py())
        row -= len(lines)
    raise IndexError(row)


def _nearly_other(texts: pa.Table, schema: TableSchema, marks: Marks, at: Callable[[int], str]) -> Iterator[str]:
    """Reports on text columns whose values mostly look like another type."""
    for column in schema.columns:
        if column.type is LogicalType.STRING and texts.num_rows:
            where = partial(_place, texts[column.name], at)
            yield from filter(None, [said_of_all(column.name, texts[column.name].chunks, marks, where)])


def _place(cells: pa.ChunkedArray, at: Callable[[int], str], text: str) -> str:
    return at(pc.index(cells, text).as_py())


def without_columns(path: Path) -> InputError:
    """The error of a Parquet file without columns."""
    return InputError("the file has no columns", where=str(path), remedy="write rows with at least one column")


def _read_parquet(path: Path, values: Values, told: Callable[[str], None]) -> tuple[TableSchema, pa.Table]:
    unfolding = Unfolding(path, whole=True)
    try:
        with unfolding.open() as file:
            table = file.read()
    except (OSError, pa.ArrowException) as error:
        raise unreadable_file(path, error) from error
    if not table.num_columns:
        raise without_columns(path)
    types = {field.name: field.type for field in table.schema}
    table, fine = with_fine_as_text(table)
    schema = schema_of(path.stem, table.schema, str(path))
    for name, type_ in types.items():
        as_text = written_as_text(type_) or name in fine
        if as_text or pa.types.is_duration(type_):
            told(said_of_type(name, str(type_), as_text=as_text))
    if values == "text":
        schema = TableSchema(path.stem, tuple(column_of(name, LogicalType.STRING) for name in schema.names))
    columns = [stored_column(path, unfolding.plain_chunks(table[column.name]), column) for column in schema.columns]
    return schema, pa.table(columns, names=list(schema.names))


def stored_column(path: Path | str, values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """A Parquet file's values in the column's Arrow type; raises ``InputError`` where it cannot hold them."""
    if values.type != plain_type(values.type):
        values = pa.chunked_array([plain(chunk) for chunk in values.chunks], plain_type(values.type))
    if column.type is LogicalType.TIME:
        return typed_column(values, column, PLAIN, lambda row: f"{path}, row {row + 1}")
    try:
        cast = values.cast(arrow_type(column))
    except pa.ArrowException as error:
        raise InputError(
            f"column {column.name!r} has {values.type} values that {column.type} cannot hold: {error}",
            where=str(path),
            remedy="write timestamps no finer than microseconds and texts as UTF-8",
        ) from error
    if any(beyond_calendar(chunk).any() for chunk in cast.chunks):
        raise InputError(
            f"column {column.name!r} has days before year 1 or after year 9999",
            where=str(path),
            remedy="write null, 0001-01-01 or 9999-12-31 for days without bounds",
        )
    return pa.chunked_array([plain_floats(chunk) for chunk in cast.chunks], cast.type)
