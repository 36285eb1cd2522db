"""Parts of the queries that read tables of databases, as expressions of sqlglot."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from math import ceil
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
from sqlglot import exp

from profiling_core.model.errors import ConfigurationError

_NAME = re.compile(r'"(?:[^"]|"")+"|[^."]+')


_SPECIAL = re.compile('[."]')
_UNBOUNDED = ("infinity", "inf", "nan")


def select(schema: pa.Schema, table: exp.Table) -> exp.Select:
    """The columns of a schema; columns of text are cast to text."""
    columns = (exp.column(field.name, quoted=True) for field in schema)
    return exp.select(
        *(
            exp.cast(column, "text").as_(field.name, quoted=True) if pa.types.is_string(field.type) else column
            for column, field in zip(columns, schema, strict=True)
        )
    ).from_(table)


class Answering(Protocol):
    """Answers a query of few rows."""

    def rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """The rows."""
        ...


class Extent(NamedTuple):
    """The size of some rows of a table in bytes: the longest row's values without a fixed width, and all values.

    ``rows``: the number of rows.
    """

    longest: int
    whole: int
    rows: int


def extent_of(
    asked: Answering,
    table: exp.Table,
    schema: pa.Schema,
    rows: exp.Condition | None,
    measure: Callable[[exp.Column, pa.DataType], exp.Expr],
) -> Extent:
    """The extent of some rows (None: of all); ``measure`` gives the length of a column's value."""
    length: exp.Expr = exp.Literal.number(0)
    widths = 0
    for field in schema:
        if (width := _width(field.type)) is not None:
            widths += width
            continue
        bytes_ = exp.func("coalesce", measure(exp.column(field.name, quoted=True), field.type), exp.Literal.number(0))
        length = exp.Add(this=length, expression=exp.cast(bytes_, "bigint"))
    query = exp.select(exp.Max(this=length), exp.Sum(this=length), exp.Count(this=exp.Star())).from_(table)
    ((longest, whole, count),) = asked.rows(query if rows is None else query.where(rows))
    return Extent(int(longest or 0), int(whole or 0) + count * widths, int(count))


def _width(type_: pa.DataType) -> int | None:
    """The bytes of each value, at least one; None: values differ in length."""
    try:
        return max(int(type_.bit_width) // 8, 1)
    except ValueError:
        return None


def table_named(name: str) -> exp.Table:
    """A table by its name, perhaps with schema and catalog before it; a part with a point is quoted."""
    *outer, own = map(_unquoted, _NAME.findall(name) or [""])
    catalog, schema = [None, None, *outer][-2:]
    return exp.table_(own, db=schema, catalog=catalog, quoted=True)


def _unquoted(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part


def named(*parts: str) -> str:
    """The name of a table as :func:`table_named` reads it, quoted where it must be."""
    return ".".join('"' + part.replace('"', '""') + '"' if _SPECIAL.search(part) else part for part in parts)


def before(watermark: str, overlap: float) -> str:
    """A watermark moved back: numbers by ``overlap``, times by as many seconds.

    Raises:
        ConfigurationError: no value can follow it, or no overlap can be subtracted.
    """
    if watermark.lower().lstrip("-") in _UNBOUNDED:
        raise ConfigurationError(
            f"the watermark's newest value is {watermark!r}, so nothing new can ever come after it",
            where="source.watermark of the dataset's file",
            remedy="name a watermark of numbers or times without infinite ones, or leave it out",
        )
    if not overlap:
        return watermark
    try:
        return str(int(watermark) - ceil(overlap))
    except ValueError:
        pass
    try:
        return str(Decimal(watermark) - Decimal(str(overlap)))
    except InvalidOperation:
        pass
    try:
        return str(datetime.fromisoformat(watermark) - timedelta(seconds=overlap))
    except ValueError as error:
        raise ConfigurationError(
            f"the watermark {watermark!r} is neither a number nor a time, so no overlap can be taken from it",
            where="source.overlap of the dataset's file",
            remedy="leave overlap out, or name a watermark of numbers or times",
        ) from error
