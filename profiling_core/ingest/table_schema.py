"""The columns of a table: determined by the parts that bootstrap it, and compared with those of every later part."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.values.arrow_types import MAX_DIGITS
from profiling_core.ingest.infer import TEXT, inferred_columns, possible_in_column
from profiling_core.ingest.nearly import LOOKED_AT, said_of_all, said_of_form
from profiling_core.ingest.plain_types import said_of, source_type
from profiling_core.ingest.rows import OPERATION, no_columns
from profiling_core.ingest.slashed_days import Reading
from profiling_core.ingest.sources.protocol import Batch, Reader
from profiling_core.ingest.text_values import ANYTHING, decimal_scale, inferred
from profiling_core.ingest.typed_columns import check_type, fine_moments, open_names, typed_columns, widened
from profiling_core.model.dataset import TableConfig
from profiling_core.model.errors import ConfigurationError, InputError
from profiling_core.model.number_form import PLAIN_FORM, NumberForm
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.texts import listed
from profiling_core.model.types import LogicalType
from profiling_core.spark.sources import SourcePart, map_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOG = logging.getLogger(__name__)
_AS_BEFORE = "put the {} back, or begin anew: give the dataset another name, and apply reads all that has landed again"
# A file with fewer of the table's columns than this share belongs to another table.
_KNOWN_SHARE = 0.5
_DELIMITERS = ";\t|,"


def bootstrap_schema(
    spark: "SparkSession", table: str, options: TableConfig, batch: Batch, *, texts: bool = False
) -> TableSchema:
    """The schema of a table that begins with these deltas: types inferred over all of them, then as configured.

    With ``texts``, which compares texts, columns of text files are strings unless configured: the source's texts count.

    Raises:
        InputError: a part is unreadable, or the parts do not have the same columns.
        ConfigurationError: the configuration names a column that the parts do not have.
    """
    names = _common_names(table, batch)
    check_configuration(table, options, names)
    if batch.reader.typed:
        columns = typed_columns(names, batch)
        fine = fine_moments(spark, columns, batch)
        columns = [_unknown(c.name) if c.name in fine else c for c in columns]
        _tell_of_types(table, batch, columns, fine)
    else:
        columns = _text_columns(spark, table, options, names, batch, texts=texts)
        for said in filter(None, map(said_of_form, columns)):
            _LOG.warning("table %s: %s", table, said)
    return with_options(TableSchema(table, tuple(columns), options.key), options)


def next_schema(
    spark: "SparkSession", schema: TableSchema, options: TableConfig, batch: Batch, *, texts: bool = False
) -> TableSchema:
    """The schema of a table that goes on: it follows its source's, or stays; only numbers of unbounded length widen.

    Raises:
        InputError: a part is unreadable, or has other columns than the table may have.
        ConfigurationError: the configuration names a column that the parts do not have.
    """
    if options.schema_changes == "follow" and batch.parts:
        return _followed(spark, schema, options, batch, texts=texts)
    check_parts(schema, batch)
    return _grown(spark, schema, options, batch, open_names(batch))


def _followed(
    spark: "SparkSession", schema: TableSchema, options: TableConfig, batch: Batch, *, texts: bool = False
) -> TableSchema:
    """The schema of a table that follows its source: the source's columns and order, with the table's known types.

    A column's type changes if the configuration gives it another one, or if its source's type is another one of the
    same
    class and values do not fit the known type: whole numbers that get fractions, days that get times.

    Raises:
        InputError: a part is unreadable or belongs to another table, the parts do not have the same columns, or a
            column's type is of another class than before.
        ConfigurationError: the configuration names a column that the parts do not have.
    """
    names = _common_names(schema.table, batch) if batch.parts else schema.names
    if batch.reader.optional:  # an absent column is null
        names = (*schema.names, *(name for name in names if name not in schema.names))
    check_configuration(schema.table, options, names)
    former = former_names(schema, options)
    schema = replace(schema, columns=tuple(_renamed(c, former) for c in schema.columns))
    if len(set(names).intersection(schema.names)) < _KNOWN_SHARE * len(schema.names):
        compare_names(schema, batch, names, batch.parts[0].where)
    if batch.reader.typed:
        schema = _grown(spark, schema, options, batch, names)
    stay = _unchanged(schema, options)
    if set(names) <= set(stay):
        return replace(schema, columns=tuple(stay[name] for name in names)) if set(names) < set(stay) else schema
    found = bootstrap_schema(spark, schema.table, options, batch, texts=texts)
    columns = tuple(stay.get(name) or found.column(name) for name in names)
    return with_options(replace(schema, columns=columns), options)


def _unchanged(schema: TableSchema, options: TableConfig) -> dict[str, Column]:
    """The columns to which the configuration gives no other type."""
    given = {name: chosen.type for name, chosen in options.columns.items() if chosen.type}
    return {c.name: c for c in schema.columns if given.get(c.name, c.type) is c.type}


def _grown(
    spark: "SparkSession", schema: TableSchema, options: TableConfig, batch: Batch, names: Collection[str]
) -> TableSchema:
    """The schema with some columns widened to their values, except columns with a configured type."""
    given = {name for name, chosen in options.columns.items() if chosen.type}
    wider = widened(spark, [c for c in schema.columns if c.name in names and c.name not in given], batch)
    return replace(schema, columns=tuple(wider.get(c.name, c) for c in schema.columns)) if wider else schema


def former_names(schema: TableSchema, options: TableConfig) -> dict[str, str]:
    """The former name by present name, for columns that the configuration renames and the table does not have."""
    renames = {name: chosen.renamed_from for name, chosen in options.columns.items() if name not in schema.names}
    return {now: former for now, former in renames.items() if former in schema.names}


def _renamed(column: Column, former: Mapping[str, str]) -> Column:
    now = next((now for now, old in former.items() if old == column.name), column.name)
    return replace(column, name=now)


def with_options(schema: TableSchema, options: TableConfig) -> TableSchema:
    """The schema with the configuration of its columns, types apart: left out, ordered."""
    columns = []
    for column in schema.columns:
        chosen = options.columns.get(column.name)
        operators = chosen.operators if chosen else None
        ordered = column.type.is_ordered if operators is None else operators == "order"
        columns.append(replace(column, ordered=ordered, profiled=column.name not in options.leave_out))
    return replace(schema, columns=tuple(columns))


def check_configuration(table: str, options: TableConfig, names: Collection[str]) -> None:
    """Raises ``ConfigurationError`` where the configuration names a column that the table does not have.

    A column may come later whose values must not be shown, or whose nulls are given.
    """
    fields: Mapping[str, Iterable[str]] = {
        "key": options.key,
        "leave_out": options.leave_out,
        "columns": options.columns,
        "source.version": filter(None, [options.source.version]),
    }
    for field, mentioned in fields.items():
        missing = [name for name in mentioned if name not in names]
        if missing and field == "columns" and all(_may_come(name, options, names) for name in missing):
            _LOG.warning("%s has no column %s yet, which the dataset's file names", table, listed(missing))
        elif missing:
            raise ConfigurationError(
                f"the configuration names a column {missing[0]!r}, which table {table!r} does not have",
                where=f"tables.{table}.{field} of the dataset's file",
                remedy=f"its columns are {', '.join(names)}",
            )


def _may_come(name: str, options: TableConfig, names: Collection[str]) -> bool:
    """Whether what a column is given shows nothing as long as it is missing, and it is no other column misspelt."""
    given = options.columns[name].model_fields_set
    return set() < given <= {"redacted", "null_values"} and not get_close_matches(name, names, 1)


def check_key(options: TableConfig, schema: TableSchema) -> None:
    """Raises ``ConfigurationError`` where the configuration has another key than the table was begun with."""
    if options.key != schema.key:
        raise ConfigurationError(
            f"the key of table {schema.table!r} is ({', '.join(schema.key)}) since its bootstrap, "
            f"and ({', '.join(options.key)}) in the configuration",
            where=f"tables.{schema.table}.key of the dataset's file",
            remedy=_AS_BEFORE.format("key"),
        )


def check_given_types(options: TableConfig, schema: TableSchema, reader: Reader) -> None:
    """Raises ``ConfigurationError`` where a column of texts is given another type than it was begun with."""
    stay = schema.names if reader.typed else _unchanged(schema, options)
    for column in schema.columns:
        if column.name not in stay:
            given = options.columns[column.name].type
            raise ConfigurationError(
                f"column {column.name!r} of table {schema.table!r} is {column.type} since its bootstrap, "
                f"and {given} in the configuration",
                where=f"tables.{schema.table}.columns.{column.name}.type of the dataset's file",
                remedy=f"set schema_changes: follow, {_AS_BEFORE.format('type')}",
            )


def check_texts(schema: TableSchema, options: TableConfig, reader: Reader) -> None:
    """Raises ``ConfigurationError`` if texts are to compare, but a column's texts were not kept at the bootstrap."""
    if reader.typed:
        return
    given = {name for name, chosen in options.columns.items() if chosen.type}
    typed = [c for c in schema.columns if c.type is not LogicalType.STRING and c.name not in given]
    if typed:
        raise ConfigurationError(
            f"values: text compares the source's text, and of column {typed[0].name!r} of table {schema.table!r} only "
            f"the {typed[0].type} is stored",
            where="values of the dataset's file",
            remedy="put values: typed back, bootstrap the dataset anew under another name, or give the column a type",
        )


def check_parts(schema: TableSchema, batch: Batch) -> None:
    """Compares the columns of parts with the table's; optional columns are compared when they are read.

    Raises:
        InputError: a part is unreadable, has columns missing or too many, or types that do not convert.
    """
    if batch.reader.optional:
        return
    for part in batch.parts:
        compare_names(schema, batch, batch.reader.names(part), part.where)
        if batch.reader.typed:
            found = batch.reader.schema(part)
            for column in schema.columns:
                check_type(column, found.field(column.name), part.where)


def compare_names(schema: TableSchema, batch: Batch, found: Collection[str], where: str) -> None:
    """Raises ``InputError`` if a part's columns are not the table's (with ``_op`` if rows carry operations)."""
    wanted = (OPERATION, *schema.names) if batch.operations else schema.names
    missing = [name for name in wanted if name not in found]
    extra = [name for name in found if name not in wanted]
    if not missing and not extra:
        return
    if schema.names and sum(name in found for name in schema.names) < _KNOWN_SHARE * len(schema.names):
        raise InputError(
            f"the file does not belong to table {schema.table!r}: of its columns "
            f"({', '.join(found) or 'none'}) few or none are the table's ({', '.join(schema.names)})",
            gist="few or none of the file's columns are the table's",
            where=where,
            remedy=_foreign_remedy(schema, found),
        )
    parts = [f"missing: {_quoted(missing)}" if missing else "", f"unexpected: {_quoted(extra)}" if extra else ""]
    said = "; ".join(filter(None, parts))
    raise InputError(
        f"the columns that came are not those of table {schema.table!r}: {said}",
        gist=f"other columns came ({said})",
        where=where,
        remedy=_names_remedy(missing, extra),
    )


def _foreign_remedy(schema: TableSchema, found: Collection[str]) -> str:
    names = {name.strip().casefold() for name in found}
    if names.issuperset(name.casefold() for name in schema.names):
        return "write the names as the table has them: capitals, and blanks around them, count"
    delimiter = next((d for d in _DELIMITERS if len(found) == 1 and d in next(iter(found))), None)
    if delimiter is not None:
        return f"set source.delimiter to {delimiter!r}, if that is what stands between the values"
    return "land it in the directory of the table it belongs to"


def _names_remedy(missing: Sequence[str], extra: Sequence[str]) -> str:
    if OPERATION in missing:
        return (
            f"add a column {OPERATION} with insert, delete or update, name the one that says it in source.operation, "
            "or set source.kind to append or snapshot"
        )
    if OPERATION in extra:
        return (
            f"set source.kind to changes where {OPERATION} says what becomes of a row; else give it another name, in "
            "the file or by a view of the table"
        )
    renamed = (
        f" (renamed_from: {missing[0]} under columns, where {extra[0]!r} is its new name)" if missing and extra else ""
    )
    return f"set schema_changes: follow for the table{renamed}, or give its source exactly its columns, in any order"


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _common_names(table: str, batch: Batch) -> tuple[str, ...]:
    """The data columns of a new table: those of the first part, or of optional columns all that occur."""
    found = [batch.reader.names(part) for part in batch.parts]
    first = found[0]
    if batch.reader.optional:
        first = tuple(dict.fromkeys(name for names in found for name in names))
        found = [first]
    names = tuple(name for name in first if name != OPERATION)
    schema = TableSchema(table, tuple(_unknown(name) for name in names))
    for part, these in zip(batch.parts, found, strict=False):
        try:
            compare_names(schema, batch, these, part.where)
        except InputError as error:
            raise error.with_remedy(_in_turn(batch, part)) from error
    if not names and batch.reader.optional:
        raise no_columns(batch.parts[0].where)
    if not names:
        raise InputError(
            "the first delta has no columns", where=batch.parts[0].where, remedy="land one with rows first"
        )
    return names


def _in_turn(batch: Batch, part: SourcePart) -> str:
    """How deltas whose columns are others are applied by a table that follows them; empty for those of one delta."""
    before = batch.deltas[part.step - 1] if part.step else ""
    return f"under follow, apply what came before by itself: holdfast apply --delta {before}" if before else ""


def _unknown(name: str) -> Column:
    return Column(name, LogicalType.STRING, ordered=False)


def _text_columns(
    spark: "SparkSession", table: str, options: TableConfig, names: tuple[str, ...], batch: Batch, *, texts: bool
) -> list[Column]:
    chosen = {name: _chosen(name, options, texts=texts) for name in names}
    scaled = {name: _form(name, options) for name, kind in chosen.items() if kind is LogicalType.DECIMAL}
    days = (LogicalType.DATE, LogicalType.TIMESTAMP)
    looked_at = [name for name in names if chosen.get(name) in (None, *days)]
    reader, marks = batch.reader, options.source.marks or PLAIN

    def look(part: SourcePart) -> dict[str, object]:
        return _observe(reader, part, names, _Sought(looked_at, scaled, marks))

    answers = list(map_files(spark, batch.parts, look).values()) if looked_at or scaled else []
    columns = _inferred_columns(answers, looked_at, scaled, chosen, options)
    words = [column.name for column in columns if column.type is LogicalType.STRING and not chosen[column.name]]
    _tell(table, batch, words, answers[0]["begun"] if answers else {}, marks)
    return columns


def _inferred_columns(
    answers: Sequence[Mapping[str, Any]],
    looked_at: Sequence[str],
    scaled: Iterable[str],
    chosen: Mapping[str, LogicalType | None],
    options: TableConfig,
) -> list[Column]:
    """The columns, typed by the readings that the texts of all parts allow, or by the types given for them."""
    seen = {name: _in_all([answer["types"][name] for answer in answers]) for name in looked_at}
    found = {column.name: column for column in inferred_columns(seen)}
    scales = {name: max((answer["scales"][name] for answer in answers), default=0) for name in scaled}
    return [_text_column(found.get(name, _unknown(name)), given, options, scales) for name, given in chosen.items()]


def _tell_of_types(table: str, batch: Batch, columns: Sequence[Column], fine: Collection[str]) -> None:
    """Reports columns that become text or seconds because no logical type holds their source's values."""
    fields = [field for part in batch.parts[:1] for field in batch.reader.schema(part)]
    types = {field.name: str(field.type) if field.name in fine else source_type(field) for field in fields}
    for column in columns:
        if column.type is not LogicalType.TIME and (source := types.get(column.name)):
            as_text = column.type is LogicalType.STRING
            _LOG.warning("table %s: %s", table, said_of(column.name, source, as_text=as_text))


def _tell(
    table: str, batch: Batch, names: Sequence[str], begun: Mapping[str, Sequence[str | None]], marks: Marks
) -> None:
    """Reports columns that became text though most of their first texts look like another type."""
    for name in names:
        first = [pa.array(begun[name], pa.string())] if name in begun else []
        following = (chunk.cells[name] for part in batch.parts for chunk in batch.reader.chunks(part, [name]))
        if said := said_of_all(name, chain(first, following), marks, partial(_place, batch, name)):
            _LOG.warning("table %s: %s", table, said)


def _place(batch: Batch, name: str, text: str) -> str:
    """The file and line of the first cell of a column that has a text."""
    for part in batch.parts:
        for chunk in batch.reader.chunks(part, [name]):
            row = pc.index(chunk.cells[name], text).as_py()
            if row >= 0:
                return f"{part.where}, line {chunk.lines[row]}"
    return ""


def _text_column(found: Column, chosen: LogicalType | None, options: TableConfig, scales: Mapping[str, int]) -> Column:
    """A column of texts with its configured type, or else the inferred one."""
    column = _column(found.name, chosen or found.type, options, scales.get(found.name, found.scale or 0))
    return replace(column, day_order=found.day_order, written=_form(found.name, options) if chosen else found.written)


def _form(name: str, options: TableConfig) -> NumberForm:
    """How the numbers of a column are written by the configuration."""
    unit = options.columns[name].unit if name in options.columns else ""
    return NumberForm(unit, is_optional=True) if unit else PLAIN_FORM


def _in_all(found: Sequence[Collection[str]]) -> frozenset[Reading]:
    """The readings that all parts allow; parts give their answers as plain texts."""
    return frozenset(reading for reading in ANYTHING if all(reading in one for one in found))


def _chosen(name: str, options: TableConfig, *, texts: bool) -> LogicalType | None:
    """The type that a column is given, by itself or because its texts compare."""
    given = options.columns[name].type if name in options.columns else None
    return given or (LogicalType.STRING if texts else None)


def _column(name: str, kind: LogicalType, options: TableConfig, scale: int) -> Column:
    if kind is not LogicalType.DECIMAL:
        return Column(name, kind, kind.is_ordered)
    chosen = options.columns.get(name)
    precision = (chosen.precision if chosen else None) or MAX_DIGITS
    given = chosen.scale if chosen else None
    return Column(
        name, kind, ordered=True, precision=precision, scale=min(scale if given is None else given, precision)
    )


class _Sought(NamedTuple):
    """The columns whose types, and those whose digits after the point, are looked for; and the marks of numbers."""

    types: Sequence[str]
    scaled: Mapping[str, NumberForm]
    marks: Marks


def _observe(reader: Reader, part: SourcePart, names: tuple[str, ...], sought: _Sought) -> dict[str, object]:
    """The readings that a part's texts allow, the digits after the point, and the first values of texts, per column."""
    noted = reader.allowed(part)
    allowed = {name: noted.get(name, ANYTHING) for name in sought.types}
    scales = dict.fromkeys(sought.scaled, 0)
    begun: dict[str, pa.Array] = {}
    for chunk in reader.chunks(part, names):
        begun = begun or {name: chunk.cells[name][:LOOKED_AT] for name in sought.types}
        for name in sought.types:
            if allowed[name] != TEXT:
                allowed[name] &= possible_in_column(chunk.cells[name], allowed[name], marks=sought.marks)
        for name, form in sought.scaled.items():
            scales[name] = max(scales[name], decimal_scale(chunk.cells[name], form, marks=sought.marks))
    types = {name: sorted(found) for name, found in allowed.items()}
    words = (name for name in begun if inferred(allowed[name]).type is LogicalType.STRING)
    return {"types": types, "scales": scales, "begun": {name: begun[name].to_pylist() for name in words}}
