"""Rule books that a made-up history of deltas has taught, and what they say."""

from datetime import date, timedelta

import pyarrow as pa

from profiling_core.algorithms.columns.arrivals import Arrived
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.kept_rules import ColumnBook
from profiling_core.algorithms.columns.upkeep import advance
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

ORDERED = (LogicalType.INTEGER, LogicalType.FLOAT, LogicalType.DATE, LogicalType.TIMESTAMP)
FIRST = date(2024, 1, 1)


def schema(**columns: LogicalType) -> TableSchema:
    return TableSchema("sales", tuple(Column(name, kind, kind in ORDERED) for name, kind in columns.items()))


def day(number: int) -> str:
    return (FIRST + timedelta(days=number)).isoformat()


def arrived(delta_id: str, rows: pa.Table, **more) -> Arrived:
    return Arrived([delta_id], [lambda: [(delta_id, rows)]], **more)


def taught(columns: TableSchema, rows_of, days: int = 40) -> ColumnBook:
    book = ColumnBook(TableHistory.empty(columns))
    for number in range(days):
        book, _ = advance(book, arrived(day(number), pa.table(rows_of(number))), columns, ())
    return book


def said(book: ColumnBook) -> set[str]:
    return {kept.rule.text for kept in book.kept if not kept.violations}


def rule(book: ColumnBook, wanted: Rule) -> ColumnRule:
    (found,) = [kept.rule for kept in book.kept if kept.rule.rule is wanted]
    return found


def broken_by(book: ColumnBook, columns: TableSchema, rows: dict, number: int = 40) -> dict[str, int]:
    _, broken = advance(book, arrived(day(number), pa.table(rows)), columns, ())
    texts = {kept.rule.fingerprint: kept.rule.text for kept in book.kept}
    return {texts[name]: found.rows for name, found in broken.items()}
