"""The history of a table's deltas, in the few figures that rules are learnt from, as plain JSON data.

Only rows that came count; a row that is deleted later still counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple, Self

from pydantic import GetPydanticSchema, PlainSerializer
from pydantic_core.core_schema import any_schema

from profiling_core.algorithms.columns.figures import (
    MOST_SHAPES,
    MOST_VALUES,
    ColumnFigures,
    Number,
    has_one_value,
    parsed,
    text_of,
)
from profiling_core.algorithms.columns.orders import Orders, joined, under
from profiling_core.algorithms.columns.words import MOST_WORDS
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import InOrder, Stored
from profiling_core.model.types import LogicalType

# With more deltas the two oldest are merged into one, so that the history of years stays small.
MOST_DELTAS = 400
# A value that all rows of a delta share is kept with the delta if it has at most this many characters.
LONGEST_SOLE = 100
_NOTHING = ColumnFigures(values=None, shapes=None, words=None)


class Seen(NamedTuple):
    """A value or shape: its number of rows, and the deltas in which it came first and last (numbered from 1)."""

    rows: int
    first: int
    last: int


def _listed(days: Iterable[ColumnFigures]) -> list[Any]:
    """The figures of each delta as a list: most of a history, so names of fields are left out."""
    return [
        [d.rows, d.nulls, _text(d.low), _text(d.high), d.shortest, d.longest, next(iter(d.values or ()), None)]
        for d in days
    ]


Trait = Mapping[str, Seen] | None
Figures = Annotated[tuple[ColumnFigures, ...], GetPydanticSchema(lambda *_: any_schema()), PlainSerializer(_listed)]


@dataclass(frozen=True, slots=True)
class ColumnHistory(Stored):
    """One column: its figures by delta; values, shapes and words are kept for all deltas together; None: too many.

    Of one delta's values only a value that all its rows share is kept.
    """

    type: LogicalType
    deltas: Figures = ()
    values: Trait = field(default_factory=dict)
    shapes: Trait = field(default_factory=dict)
    words: Trait = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many values there were."""
        return sum(day.rows for day in self.deltas)

    @property
    def nulls(self) -> int:
        """How many nulls there were."""
        return sum(day.nulls for day in self.deltas)

    def followed_by(self, found: ColumnFigures, number: int) -> "ColumnHistory":
        """The history with one more delta, the ``number``-th."""
        sole = found.values if has_one_value(found) and (found.longest or 0) <= LONGEST_SOLE else None
        bare = replace(found, values=sole, shapes=None, words=None)
        return ColumnHistory(
            self.type,
            _bounded((*self.deltas, bare)),
            _seen(self.values, found.values, number, MOST_VALUES),
            _seen(self.shapes, found.shapes, number, MOST_SHAPES),
            _seen(self.words, found.words, number, MOST_WORDS),
        )

    @classmethod
    def _as_fields(cls, data: Any) -> Any:
        kind = LogicalType(data["type"])
        deltas = (
            ColumnFigures(
                rows,
                nulls,
                _number(low, kind),
                _number(high, kind),
                shortest,
                longest,
                None if sole is None else {sole: rows},
                shapes=None,
                words=None,
            )
            for rows, nulls, low, high, shortest, longest, sole in data["deltas"]
        )
        return {**data, "deltas": tuple(deltas)}


@dataclass(frozen=True, slots=True)
class Whole:
    """A delta's rows as a whole: the number of new rows, and how many of them repeat an earlier row of the delta.

    ``parted`` has per column with nulls the columns that have a value in some of these rows; ``orders`` has which
    columns
    are above which.
    """

    rows: int = 0
    repeats: int = 0
    parted: Mapping[str, frozenset[str]] = field(default_factory=dict)
    orders: Orders = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableHistory(Stored):
    """A table's deltas: their number, the ids and numbers of new rows of the latest, and the columns' histories.

    ``repeats`` counts the new rows that repeat an earlier row of their delta. It, ``ids`` and ``rows`` are as long as
    each
    column's ``deltas``; ``count`` may be greater. ``parted`` has per column the columns that ever had a value where it
    had
    none; ``orders`` has those it has been above.
    """

    count: int
    ids: tuple[str, ...]
    rows: tuple[int, ...]
    repeats: tuple[int, ...]
    columns: Mapping[str, ColumnHistory]
    parted: Mapping[str, InOrder[str]] = field(default_factory=dict)
    orders: Orders = field(default_factory=dict)

    @classmethod
    def empty(cls, schema: TableSchema) -> Self:
        """The history of a table without deltas."""
        return cls(0, (), (), (), {column.name: ColumnHistory(column.type) for column in schema.profiled})

    def under(self, schema: TableSchema, named: Mapping[str, str], rows: int) -> "TableHistory":
        """The history after the table's columns have changed.

        Args:
            schema: the columns now.
            named: the former name of each column that was known before; all rows so far lack the other columns.
            rows: how many rows the table has had so far.
        """
        known = {name: self.columns[former] for name, former in named.items()}
        missing = tuple(replace(_NOTHING, nulls=0 if number else rows) for number in range(len(self.ids)))
        columns = {c.name: known.get(c.name, ColumnHistory(c.type, missing)) for c in schema.profiled}
        everything = frozenset(columns)
        parted = {
            name: frozenset(other for other, former in named.items() if former in self.parted.get(named[name], ()))
            if name in named
            else everything
            for name in columns
        }
        above = under(self.orders, named)
        return replace(
            self, columns=columns, parted={name: others for name, others in parted.items() if others}, orders=above
        )

    def followed_by(self, delta_id: str, whole: Whole, found: Mapping[str, ColumnFigures]) -> "TableHistory":
        """The history with one more delta."""
        number = self.count + 1
        columns = {name: known.followed_by(found[name], number) for name, known in self.columns.items()}
        ids, counts, again = (*self.ids, delta_id), (*self.rows, whole.rows), (*self.repeats, whole.repeats)
        over = len(ids) > MOST_DELTAS
        parted = {
            name: others
            for name in columns
            if (others := self.parted.get(name, frozenset()) | whole.parted.get(name, frozenset()))
        }
        above = joined(self.orders, whole.orders)
        return TableHistory(number, ids[over:], counts[over:], again[over:], columns, parted, above)


def _bounded(deltas: Sequence[ColumnFigures]) -> tuple[ColumnFigures, ...]:
    if len(deltas) <= MOST_DELTAS:
        return tuple(deltas)
    return (deltas[0].merged(deltas[1]), *deltas[2:])


def _seen(known: Trait, found: Mapping[str, int] | None, number: int, most: int) -> Trait:
    if known is None or found is None:
        return None
    fresh = {
        text: Seen(
            known[text].rows + rows if text in known else rows, known[text].first if text in known else number, number
        )
        for text, rows in found.items()
    }
    both = {**known, **fresh}
    return both if len(both) <= most else None


def _text(value: Number | None) -> str | None:
    return None if value is None else text_of(value)


def _number(text: str | None, kind: LogicalType) -> Number | None:
    return None if text is None else parsed(text, kind)
