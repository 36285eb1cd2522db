"""One file that lands, as a proposal for a table: its format, dialect, how it writes numbers, and its rows."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.ingest import csv_rows, json_rows
from profiling_core.ingest.files import is_parquet, line_of, read_table, without_columns
from profiling_core.ingest.found_marks import number_marks
from profiling_core.ingest.infer import infer_schema, schema_of
from profiling_core.ingest.landed_names import EXTENSIONS, format_of, plain_name
from profiling_core.ingest.missing import ColumnNulls, null_texts, said_of_nulls, without, without_usual
from profiling_core.ingest.nearly import said_of_all, said_of_form
from profiling_core.ingest.rows import no_columns
from profiling_core.ingest.sniffing.described import told_of
from profiling_core.ingest.sniffing.sniffer import sniffed
from profiling_core.ingest.sources.formats import JsonReader, ParquetReader, allowed_by_kinds
from profiling_core.ingest.sources.protocol import Reader
from profiling_core.ingest.text_values import cast_text
from profiling_core.model.dialect import CsvDialect
from profiling_core.model.errors import InputError
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.schema import TableSchema
from profiling_core.model.source import SourceFormat
from profiling_core.model.texts import listed
from profiling_core.model.types import LogicalType
from profiling_core.pipeline.init import proposal
from profiling_core.pipeline.init.change_events import rows_of_events
from profiling_core.pipeline.init.proposal import TableProposal
from profiling_core.spark.sources import SourcePart

_NOT_NAME = re.compile(r"[^A-Za-z0-9_]+")
_LOOKED_AT = 4096


def as_first(made: TableProposal, path: Path) -> TableProposal:
    """The proposal of a file that is to be the first delta of a landing directory of its own."""
    ending = EXTENSIONS[SourceFormat(str(made.source["format"]))][0] + path.name[len(plain_name(path.name)) :]
    return replace(made, first=(path, Path("landing", made.table, f"{_day(path)}{ending}")))


def proposed(path: Path, table: str = "", dialect: CsvDialect | None = None) -> TableProposal:
    """A file as the proposal for a table, which is called like it, or so.

    A CSV file is read in the dialect, where it is given; else in the one that is found.
    """
    table = table or name_of(path.stem)
    source: dict[str, object] = {"path": f"landing/{table}", "format": _format_of(path).value}
    left_out: list[str] = []
    events = rows_of_events(path) if source["format"] == "jsonl" else None
    if events is not None:
        rows, source["format"] = _typed(events, infer_schema(table, events)), SourceFormat.DEBEZIUM.value
        return TableProposal(table, source, proposal.key_of(rows), proposal.personal(rows, table))
    if source["format"] == "csv":
        chosen = dialect or sniffed(path).dialect
        source |= {"delimiter": ","} | chosen.changed() | {"null_values": [""]}
        source |= _marks(_texts(path, source, left_out.append))
    looked = rows_of([[path]], source)
    (rows,), nulls = looked.tables, looked.nulls
    spoken = proposal.speaking([rows])
    odd = proposal.odd_texts(rows) if source["format"] == "csv" else ""
    is_found = source["format"] == "csv" and dialect is None
    read = " ".join([*(told_of(path) if is_found else ()), *(f"{said}." for said in left_out)])
    doubtful = path if is_found and sniffed(path).doubts else None
    all_notes = {"format": odd, "delimiter": read, "null_values": "\n".join(looked.said)}
    notes = spoken.notes | {field: said for field, said in all_notes.items() if said}
    personal = proposal.personal(rows, table)
    return TableProposal(table, source | spoken.fields, spoken.key, personal, notes, None, nulls, doubtful)


def read_so(made: TableProposal, path: Path, delimiter: str, header: int) -> TableProposal:
    """A proposal whose files are read as a person says: by what stands between cells, and the lines of the header."""
    dialect = sniffed(path, delimiter).dialect
    if header != dialect.header:
        width = len(csv_rows.header(path, dialect))
        names = () if header else tuple(f"col_{i}" for i in range(width))
        dialect = replace(dialect, header=header, skip_below=0, names=names)
    again = proposed(path, made.table, dialect)
    source = again.source | {name: made.source[name] for name in ("path", "kind")}
    return replace(again, source=source, first=made.first)


class Looked(NamedTuple):
    """The rows of some deltas, what is null in columns, and what to tell of how columns are read."""

    tables: list[pa.Table]
    nulls: ColumnNulls
    said: Sequence[str] = ()


def rows_of(deltas: Sequence[Sequence[Path]], source: dict[str, object]) -> Looked:
    """The rows of some deltas, each column of one type in all of them, as ingest gives it."""
    if source["format"] == "parquet":
        tables = [pa.concat_tables(map(_stored, files), promote_options="permissive") for files in deltas]
        found = _of_one_type(tables)
        return Looked(found, {}, [*_nearly_other(found, schema_of("", found[0].schema, ""), PLAIN)])
    read = {file: _texts(file, source) for files in deltas for file in files}
    texts = [pa.concat_tables([read[file] for file in files], promote_options="default") for files in deltas]
    whole = pa.concat_tables(texts, promote_options="default")
    nulls: ColumnNulls = null_texts(whole, _marks_of(source))
    if source["format"] == "jsonl":
        nulls = _beside_values(whole, nulls, [file for files in deltas for file in files])
    schema = infer_schema("", without(whole, nulls), marks=_marks_of(source))
    tables = [_typed(without(some, nulls), schema, _marks_of(source)) for some in texts]
    said = [f"{said_of_nulls(nulls)} read as null in {listed(sorted(nulls))}"] if nulls else []
    forms = filter(None, map(said_of_form, schema.columns))
    other = _nearly_other(tables, schema, _marks_of(source), lambda name, text: _place(read, source, name, text))
    return Looked(tables, nulls, [*said, *forms, *other])


def _nearly_other(
    tables: Sequence[pa.Table], schema: TableSchema, marks: Marks, where: Callable[[str, str], str] = lambda *_: ""
) -> Iterator[str]:
    """Notes on text columns whose values mostly look like another type."""
    for name in (column.name for column in schema.columns if column.type is LogicalType.STRING):
        chunks = [chunk for rows in tables if name in rows.column_names for chunk in rows[name].chunks]
        yield from filter(None, [said_of_all(name, chunks, marks, partial(where, name))])


def _place(read: Mapping[Path, pa.Table], source: Mapping[str, object], name: str, text: str) -> str:
    """The file of the first cell of a column that has a text, and its line where that is known."""
    for file, rows in read.items():
        row = pc.index(rows[name], text).as_py() if name in rows.column_names else -1
        if row >= 0:
            return (
                f"{file.name}, line {line_of(file, dialect_of(source), row)}"
                if source["format"] == "csv"
                else file.name
            )
    return ""


def _beside_values(texts: pa.Table, nulls: ColumnNulls, files: Sequence[Path]) -> ColumnNulls:
    """The null texts of columns in which JSON has other values than strings, or strings that are dates or times."""
    schema, found = infer_schema("", without(texts, nulls)), dict[str, set[str]]()
    for name, kinds in (pair for file in files for pair in json_rows.kinds(file).items()):
        found.setdefault(name, set()).update(kinds)
    allowed = allowed_by_kinds({name: found[name] - {"string"} or {"string"} for name in nulls})
    return {name: nulls[name] for name in nulls if schema.column(name).type in allowed[name]}


def _of_one_type(tables: list[pa.Table]) -> list[pa.Table]:
    """Tables with the types that hold the values of all of them; as they are where there are none.

    A column without a type, which has no values, is one of texts, as ingest has it.
    """
    try:
        whole = pa.unify_schemas([rows.schema for rows in tables], promote_options="permissive")
        types = {f.name: pa.string() if pa.types.is_null(f.type) else f.type for f in whole}
        return [rows.cast(pa.schema([(name, types[name]) for name in rows.column_names])) for rows in tables]
    except pa.ArrowException:
        return tables


def _format_of(path: Path) -> SourceFormat:
    """A file's format by its name, else by how it begins; raises ``InputError`` for a JSON array."""
    if found := format_of(path.name):
        return found
    if is_parquet(path):
        return SourceFormat.PARQUET
    with path.open("rb") as file:
        begins = file.read(_LOOKED_AT).lstrip()[:1]
    if begins == b"[":
        raise InputError(
            "this is a JSON array, which cannot be read in parts",
            where=str(path),
            remedy="write its objects as lines, for instance with jq -c '.[]', to a file that ends in .jsonl",
        )
    return SourceFormat.JSONL if begins == b"{" else SourceFormat.CSV


def _stored(path: Path) -> pa.Table:
    """The rows of a Parquet file."""
    reader = ParquetReader()
    schema_of_all = reader.schema(SourcePart(0, 0, str(path), 0, str(path)))
    return pa.concat_tables([schema_of_all.empty_table(), *_read(path, reader)])


def _texts(path: Path, source: dict[str, object], told: Callable[[str], None] = lambda _: None) -> pa.Table:
    """The rows of a file of texts; ``told`` hears of those that cannot be read."""
    if source["format"] == "jsonl":
        return pa.concat_tables(_read(path, JsonReader()))
    return read_table(path, values="text", dialect=dialect_of(source), told=told)[1]


def _typed(texts: pa.Table, schema: TableSchema, marks: Marks = PLAIN) -> pa.Table:
    columns = [schema.column(name) for name in texts.column_names]
    return pa.table({c.name: cast_text(texts[c.name].combine_chunks(), c, marks)[0] for c in columns})


def _marks_of(source: dict[str, object]) -> Marks:
    return Marks(str(source.get("decimal", ".")), str(source.get("thousands", "")))


def _day(path: Path) -> str:
    return f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):%Y-%m-%d}"


def _read(path: Path, reader: Reader) -> list[pa.Table]:
    """A file's rows as they are when it lands; raises ``InputError`` where it has no columns."""
    part = SourcePart(0, 0, str(path), 0, str(path))
    names = reader.names(part)
    if not names:
        raise no_columns(path) if reader.optional else without_columns(path)
    return [pa.table(dict(chunk.cells)) for chunk in reader.chunks(part, names)]


def dialect_of(source: Mapping[str, object]) -> CsvDialect:
    """How a source's CSV files are written."""
    known = {field.name for field in fields(CsvDialect)} & source.keys()
    values = {name: source[name] for name in known}
    return CsvDialect(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})  # type: ignore[arg-type] # the fields of a dialect


def _marks(texts: pa.Table) -> dict[str, object]:
    """What a source says of how a CSV file writes numbers, where it is not as programs do."""
    marks = number_marks(without_usual(texts))
    said = {"decimal": marks.decimal, "thousands": marks.thousands}
    return {field: mark for field, mark in said.items() if mark != getattr(PLAIN, field)}


def name_of(text: str) -> str:
    """A text as the name of a table or dataset."""
    name = _NOT_NAME.sub("_", text).strip("_")
    return name if name and name[0].isalnum() else f"t_{name}".rstrip("_")
