"""The rows of a delta's part, typed and checked one by one, as Spark's tasks read them.

Errors of a single row are found here (unreadable, operation, type, missing key value); errors in relation to other rows
are found when the delta is reduced.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.operations import DELETE, INSERT, REJECTED, REMOVE, UPDATE, UPSERT
from profiling_core.algorithms.values.arrow_types import arrow_type
from profiling_core.ingest.line_stretches import Stretches
from profiling_core.ingest.marked_numbers import is_marked, others, plain_numbers
from profiling_core.ingest.number_forms import commonest_form
from profiling_core.ingest.rows import OPERATION, RowChunk
from profiling_core.ingest.sources.protocol import Reader
from profiling_core.ingest.text_values import beyond_calendar, cast_text, misread, plain_floats
from profiling_core.model.account import Account
from profiling_core.model.delta import OPERATION_WORDS, Operation, RejectReason
from profiling_core.model.errors import InputError
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType
from profiling_core.spark.bucket import REASONS
from profiling_core.spark.sources import FileReport, SourcePart, report_batch, typed_schema

_CODES = {
    Operation.INSERT: INSERT,
    Operation.DELETE: DELETE,
    Operation.UPDATE: UPDATE,
    Operation.UPSERT: UPSERT,
    Operation.REMOVE: REMOVE,
}
_OPERATIONS = pa.array(list(OPERATION_WORDS))
_SHOWN = 80
_WIDEST = 76  # digits of Arrow's widest decimals


@dataclass(frozen=True)
class TypedReader:
    """Reads parts of one table's deltas: a callable that is pickled for Spark's tasks.

    Without ``operations`` each row is one that exists. With ``versioned`` each row is upserted and the newest version
    of a
    key wins. ``marks`` say how texts write numbers, if the source can say it. Columns whose type is not ``given`` are
    read
    as inference reads them.
    """

    reader: Reader
    operations: bool
    schema: TableSchema
    versioned: bool = False
    marks: Marks | None = None
    given: frozenset[str] = frozenset()

    @property
    def arrow_schema(self) -> pa.Schema:
        """The schema of the batches."""
        return typed_schema([arrow_type(column) for column in self.schema.columns])

    def __call__(self, part: SourcePart) -> Iterator[pa.RecordBatch]:
        """The rows of a part, in order, then its report, which also has the error that ended the reading, if any."""
        schema, rows, seen, account = self.arrow_schema, 0, set[str](), Account()
        stretches = Stretches()
        try:
            for chunk in self.reader.chunks(part, self.schema.names, seen):
                yield self._batch(part, chunk, rows, schema)
                stretches.add(rows, chunk.lines)
                rows += len(chunk)
                account += chunk.account or Account(len(chunk))
            account = replace(account, within=account.rows - account.lost - rows)
            wrong = self._unaccounted(part, account)
        except InputError as error:
            wrong = error
        report = FileReport(part.number, rows, tuple(sorted(seen)), wrong, account, tuple(stretches.begins))
        yield report_batch(report, part.step, schema)

    def _unaccounted(self, part: SourcePart, account: Account) -> InputError | None:
        """The error of a part with a line or record that is neither a row nor left out for a reason."""
        total = self.reader.total(part)
        if total is None or total == account.total:
            return None
        return InputError(
            f"{total:,} lines or records are there, and {account.total:,} were read: nothing is applied",
            where=part.where,
            remedy="land the file again; if that does not help, report the file as one that cannot be read",
        )

    def _batch(self, part: SourcePart, chunk: RowChunk, first: int, schema: pa.Schema) -> pa.RecordBatch:
        size = len(chunk)
        wrong = _Wrong(chunk)
        op = self._op(chunk, wrong)
        columns = [self._column(chunk, column, wrong) for column in self.schema.columns]
        for name in self.schema.key:
            missing = columns[self.schema.names.index(name)].is_null().to_numpy(zero_copy_only=False)
            wrong.mark(missing, RejectReason.MISSING_KEY_VALUE, _constant(f"column {name!r} is part of the key"))
        op[wrong.reason >= 0] = REJECTED
        place = [
            pa.array(np.full(size, part.number, np.int32)),
            pa.array(np.full(size, part.step, np.int32)),
            pa.array(np.arange(first, first + size)),
            chunk.lines,
            pa.array(op),
            pa.array(wrong.reason),
            pa.array(wrong.detail, pa.string()),
            chunk.texts if chunk.texts is not None else wrong.sources(),
        ]
        return pa.RecordBatch.from_arrays([*place, *columns], schema=schema)

    def _op(self, chunk: RowChunk, wrong: "_Wrong") -> NDArray[np.int8]:
        if not self.operations:
            return np.full(len(chunk), INSERT, np.int8)
        cells = chunk.cells[OPERATION].cast(pa.string())
        said = pc.utf8_lower(pc.utf8_trim_whitespace(cells))
        found = pc.fill_null(pc.index_in(said, _OPERATIONS), len(_OPERATIONS)).to_numpy()
        op: NDArray[np.int8] = np.array([*map(_CODES.get, OPERATION_WORDS.values()), REJECTED], np.int8)[found]
        wrong.mark(
            op == REJECTED,
            RejectReason.UNKNOWN_OPERATION,
            lambda row: f"the operation is {_shown(cells[row].as_py())}, not insert, delete, update, upsert or remove",
        )
        if not self.schema.key:
            needless = _constant("an update finds its row by key, and the table has none")
            wrong.mark(op == UPDATE, RejectReason.UNKNOWN_OPERATION, needless)
            op[op == UPSERT] = INSERT
            op[op == REMOVE] = DELETE
        if self.versioned:
            op[(op == INSERT) | (op == UPDATE)] = UPSERT
        return op

    def _column(self, chunk: RowChunk, column: Column, wrong: "_Wrong") -> pa.Array:
        cells = chunk.cells[column.name]
        values, bad = cast_cells(cells, column, self.marks or PLAIN)
        if pa.types.is_string(cells.type) and column.name not in self.given:
            self._mark_misread(cells, values, column, wrong)
        if bad.any():
            kind = _type_name(column)
            wrong.mark(
                bad,
                RejectReason.WRONG_TYPE,
                lambda row: (
                    f"column {column.name!r} is {kind}, not {_shown(_value(cells[row]))}"
                    + _otherwise(_value(cells[row]), column, self.marks)
                ),
            )
        return values

    def _mark_misread(self, cells: pa.Array, values: pa.Array, column: Column, wrong: "_Wrong") -> None:
        """Marks the cells that would be numbers only in a column with a configured type."""
        kind, found = _type_name(column), misread(cells, values, column, self.marks or PLAIN)
        wrong.mark(
            found,
            RejectReason.WRONG_TYPE,
            lambda row: (
                f"column {column.name!r} is {kind}, and {_shown(cells[row].as_py())} cannot be stored as {kind} "
                f"without loss; to read it anyway set under columns type: {column.type}; where it is a code, type: "
                "string from the first delta on"
            ),
        )


class _Wrong:
    """The first error of each row of a chunk: int8[n] reasons (−1: none), and details."""

    def __init__(self, chunk: RowChunk) -> None:
        unreadable = chunk.unreadable.is_valid().to_numpy(zero_copy_only=False)
        self._chunk = chunk
        self.reason = np.where(unreadable, REASONS.index(RejectReason.UNREADABLE), -1).astype(np.int8)
        self.detail = chunk.unreadable.to_pylist()

    def mark(self, rows: NDArray[np.bool_], reason: RejectReason, detail: Callable[[int], str]) -> None:
        """Gives a reason to those of the rows that have none yet."""
        for row in np.flatnonzero(rows & (self.reason < 0)):
            self.reason[row] = REASONS.index(reason)
            self.detail[row] = detail(int(row))

    def sources(self) -> pa.Array:
        """For a format without source text: rejected rows as JSON, null for the others."""
        texts: list[str | None] = [None] * len(self.reason)
        for row in np.flatnonzero(self.reason >= 0):
            texts[row] = row_json({name: _value(cells[int(row)]) for name, cells in self._chunk.cells.items()})
        return pa.array(texts, pa.string())


def _constant(detail: str) -> Callable[[int], str]:
    return lambda _: detail


def _type_name(column: Column) -> str:
    if column.type is LogicalType.DECIMAL:
        return f"decimal({column.precision}, {column.scale})"
    return f"{column.type.value} {column.written.words}".rstrip()


def row_json(row: dict[str, Any]) -> str:
    """A row as JSON for people: texts and numbers as they are, other values as text."""
    return json.dumps(row, ensure_ascii=False, default=str)


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    text = str(value)
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _otherwise(cell: object, column: Column, marks: Marks | None) -> str:
    """The setting for a cell that would be a value if numbers were written in another way; empty: it never would."""
    if marks is None or not isinstance(cell, str):
        return ""
    if not is_marked(cell):
        return _in_another_form(cell, column, marks)
    texts, readings = pa.array([cell]), dict[str, str]()
    for other, setting in others(marks):
        if not cast_text(texts, column, other)[1].any():
            readings.setdefault(plain_numbers(texts, other)[0].as_py(), setting)
    said = ", or ".join(f"{setting} for {value}" for value, setting in readings.items())
    return f"; where that is a number, set in its source {said}" if said else ""


def _in_another_form(cell: str, column: Column, marks: Marks) -> str:
    """The setting for a cell that would be a number if its column had its unit; empty: it would be none."""
    form = commonest_form(pa.array([cell]))
    if not form.unit or cast_text(pa.array([cell]), replace(column, written=form), marks)[1].any():
        return ""
    return f"; where that is a number, set under columns its type and unit: {form.unit!r} from the first delta on"


def _value(cell: pa.Scalar) -> Any:
    """A cell's value; as text where Python has no day or moment for it."""
    try:
        return cell.as_py()
    except (OverflowError, ValueError):
        return cell.cast(pa.string()).as_py()


def cast_cells(cells: pa.Array, column: Column, marks: Marks = PLAIN) -> tuple[pa.Array, NDArray[np.bool_]]:
    """Cells of any format as values of a column; see :func:`profiling_core.ingest.text_values.cast_text`."""
    if pa.types.is_large_string(cells.type) or pa.types.is_string_view(cells.type):
        cells = cells.cast(pa.string())
    if pa.types.is_string(cells.type):
        return cast_text(cells, column, marks)
    target = arrow_type(column)
    cells = plain_floats(cells)
    try:
        return _within_calendar(_cast_exactly(cells, target))
    except pa.ArrowInvalid:
        singly = [_cast_one(cells[i : i + 1], target) for i in range(len(cells))]
    bad = np.array([value is None for value in singly])
    none = pa.nulls(1, target)
    values, beyond = _within_calendar(pa.concat_arrays([none if v is None else v for v in singly]))
    return values, bad | beyond


def _within_calendar(values: pa.Array) -> tuple[pa.Array, NDArray[np.bool_]]:
    """Values with null in place of days and moments that no calendar has, and which these are."""
    beyond = beyond_calendar(values)
    return (pc.if_else(pa.array(beyond), pa.nulls(1, values.type)[0], values) if beyond.any() else values), beyond


def _cast_exactly(cells: pa.Array, target: pa.DataType) -> pa.Array:
    if pa.types.is_floating(target) and pa.types.is_decimal(cells.type):
        return cells.cast(pa.string()).cast(target)  # gives the nearest double, which Arrow's own cast may miss
    if pa.types.is_integer(cells.type) and pa.types.is_decimal(target):
        # Arrow demands room for the greatest value of the type, whatever the values, so they are widened first.
        return cells.cast(pa.decimal256(_WIDEST, target.scale)).cast(target)
    values = cells.cast(target)
    rounds = (pa.types.is_decimal(target) and pa.types.is_floating(cells.type)) or (
        pa.types.is_date(target) and pa.types.is_timestamp(cells.type)
    )  # Arrow calls these casts safe although they round
    if rounds and pc.any(pc.not_equal(values.cast(cells.type), cells)).as_py():
        raise pa.ArrowInvalid("more digits, or another time than midnight")
    return values


def _cast_one(cell: pa.Array, target: pa.DataType) -> pa.Array | None:
    try:
        return _cast_exactly(cell, target)
    except pa.ArrowInvalid:
        return None
