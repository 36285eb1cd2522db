"""Rows compared with the others of their table: in this process if few can contradict them, else streamed past.

A row violates a constraint that has equalities only with rows that agree with it, and these are looked up. Without one
every row may contradict it: those of a large table stream past the delta in Spark's tasks.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from profiling_core.model.constraint import DenialConstraint
from profiling_core.model.predicate import Operator
from profiling_core.spark.evidence import RowDelta, row_blocks
from profiling_core.spark.names import all_quoted, named, plain
from profiling_core.spark.rows import FEW_ROWS

Records = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class AskedConstraint:
    """A constraint, and inserted rows that are held against others."""

    constraint: DenialConstraint
    rows: pa.Table

    @property
    def agreeing(self) -> list[str]:
        """The columns in which two rows that violate the constraint agree."""
        return [
            p.left.column
            for p in self.constraint.predicates
            if p.op is Operator.EQ and p.left.column == p.right.column and not p.is_single_row
        ]


@dataclass
class NearRows:
    """The rows of a delta's table that stay and agree with what is asked, kept for the next question while few.

    Of a constraint, all inserted rows are asked first and then some of them, beside which the same rows stand.
    """

    delta: RowDelta
    kept: dict[int, list[pa.Table]] = field(default_factory=dict)
    room: int = 200_000

    def within_reach(self, asked: AskedConstraint) -> bool:
        """Whether this process looks the rows up: they agree in a column, or are few."""
        staying = self.delta.staying
        return staying is None or bool(asked.agreeing) or staying.most <= FEW_ROWS

    def beside(self, number: int, asked: AskedConstraint) -> Iterator[pa.Table]:
        """The rows that stay and may contradict those that are asked, a part at a time."""
        if number in self.kept or self.delta.staying is None:
            yield from self.kept.get(number, ())
            return
        found: list[pa.Table] = []
        for rows in self.delta.staying.agreeing(asked.rows.select(asked.agreeing), asked.rows.column_names):
            self.room -= len(rows)
            if self.room >= 0:
                found.append(rows)
            yield rows
        if self.room >= 0:
            self.kept[number] = found


Look = Callable[[int, AskedConstraint, pa.Table | None], Iterator[pa.RecordBatch]]


def scanned(near: NearRows, asked: Sequence[AskedConstraint], look: Look, schema: str) -> tuple[Records, Records]:
    """What looking tells of inserted rows among themselves, and beside the rows that stay.

    Args:
        near: the delta's rows; Spark reads them only where all rows of a large table have to be looked at.
        asked: what is asked for; a number that was asked before asks for some of the same rows again.
        look: what a question (by its number) and some rows of the table that stay tell; None: the inserted ones.
        schema: Spark's schema of what it tells.
    """
    open_ = [(number, one) for number, one in enumerate(asked) if len(one.rows)]
    among = _records(batch for number, one in open_ for batch in look(number, one, None))
    here = [(number, one) for number, one in open_ if near.within_reach(one)]
    far = [(number, one) for number, one in open_ if not near.within_reach(one)]
    beside = _records(
        batch for number, one in here for rows in near.beside(number, one) for batch in look(number, one, rows)
    )
    return among, beside + (_streamed(near.delta, far, look, schema) if far else [])


def _streamed(delta: RowDelta, asked: Sequence[tuple[int, AskedConstraint]], look: Look, schema: str) -> Records:
    if delta.kept is None:
        return []
    names = sorted({name for _, one in asked for name in one.rows.column_names})
    kept = plain(delta.kept.select(*all_quoted(names)))
    streamed = kept.mapInArrow(
        lambda batches: (
            found
            for block in row_blocks(named(batches, names))
            for number, one in asked
            for found in look(number, one, block)
        ),
        schema,
    )
    found: Records = streamed.toArrow().to_pylist()
    return found


def _records(batches: Iterator[pa.RecordBatch]) -> Records:
    return [record for batch in batches for record in batch.to_pylist()]
