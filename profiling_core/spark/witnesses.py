"""The rows that broke a constraint: inserted rows that violate it, beside the rows that they contradict.

Only inserted rows can break a denial constraint (with FDs and UCCs), so the scan is I×(K ∪ I). It tells which rows are
in a violation, exactly, as roaring bitmaps of row ids; a second scan, of a few rows that stand out alone, finds what
these contradict.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap64

from profiling_core.algorithms.denial.checking.violations import violations
from profiling_core.algorithms.values.encoding import Encoded, encode_together
from profiling_core.model.change import Witness
from profiling_core.model.constraint import DenialConstraint, RowConstraint, as_denial_constraint
from profiling_core.model.delta import ROW_ID
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.texts import value_text
from profiling_core.spark.contradicting import AskedConstraint, NearRows, scanned
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.kinds.registry import room_of
from profiling_core.spark.kinds.room import InViolation, NewRows

EXAMPLES = 20
CONTRADICTED = 3
RowText = dict[str, str | None]
_FOUND = "constraint int, row_ids binary"
_PAIRS = "constraint int, row_id long, other_id long"


@dataclass(frozen=True, slots=True)
class Break:
    """The inserted rows that violate a constraint.

    ``rows`` are the ids of all of them, ``standing_out`` of those to which the violations are owed
    (docs/semantics.md, "Changes"); ``witnesses`` are up to :data:`EXAMPLES` of the latter. ``at_fault`` is False where
    none stands out: rows that were wrong before contradict the new ones, and all of these are given.
    """

    rows: BitMap64
    standing_out: BitMap64
    witnesses: tuple[Witness, ...] = ()
    at_fault: bool = True


def find_breaks(delta: RowDelta, space: PredicateSpace, broken: Sequence[RowConstraint]) -> list[Break]:
    """For each of the broken constraints, the inserted rows that violate it."""
    if not broken:
        return []
    constraints = [as_denial_constraint(constraint) for constraint in broken]
    inserted = delta.coming.read([ROW_ID, *delta.coming.schema.names])
    near = NearRows(delta)
    found = _in_violation(near, inserted, space, constraints)
    new = NewRows(delta, inserted, space)
    apart = [
        _standing_out(new, constraint, rows) if rows.all else BitMap64()
        for constraint, rows in zip(broken, found, strict=True)
    ]
    # Where rows were wrong before, it may be these that contradict all the new ones.
    shown = [out or rows.all for out, rows in zip(apart, found, strict=True)]
    named_rows = [rows[:EXAMPLES] for rows in shown]
    witnesses = _witnesses(near, inserted, space, list(zip(constraints, named_rows, strict=True)))
    parts = zip(found, shown, witnesses, apart, strict=True)
    return [Break(rows.all, out, w, bool(at_fault)) for rows, out, w, at_fault in parts]


def _standing_out(new: NewRows, constraint: RowConstraint, found: InViolation) -> BitMap64:
    """Of the inserted rows in a violation, those that it is owed to.

    One wrong row among many right ones contradicts all of them, so that all of them are in a violation. What stands out
    are those without which the constraint would hold as it did: what a person wants to see, and a policy sets aside.
    """
    return room_of(constraint).standing_out(new, constraint.familiar, found)


def _in_violation(
    near: NearRows, inserted: pa.Table, space: PredicateSpace, constraints: Sequence[DenialConstraint]
) -> list[InViolation]:
    def look(number: int, asked: AskedConstraint, others: pa.Table | None) -> Iterator[pa.RecordBatch]:
        come, rest = _encoded(asked, asked.rows if others is None else others, space)
        found = violations(come, rest, asked.constraint, space.nulls, same_rows=others is None, examples=0)
        ids = BitMap64(inserted[ROW_ID].to_numpy()[found.left_rows].tolist())
        yield pa.record_batch({"constraint": pa.array([number], pa.int32()), "row_ids": [ids.serialize()]})

    asked = [_asked(inserted, constraint) for constraint in constraints]
    among, beside = (_by_constraint(part, len(constraints)) for part in scanned(near, asked, look, _FOUND))
    return [InViolation(new, older) for new, older in zip(among, beside, strict=True)]


def _asked(rows: pa.Table, constraint: DenialConstraint) -> AskedConstraint:
    """Rows in the columns that a constraint speaks of: no others are read of the rows that stay."""
    return AskedConstraint(constraint, rows.select([ROW_ID, *sorted(set(constraint.columns))]))


def _encoded(asked: AskedConstraint, others: pa.Table, space: PredicateSpace) -> list[Encoded]:
    """The rows that are asked for and others, in the columns that the constraint speaks of."""
    spoken = frozenset(asked.constraint.columns)
    groups = tuple(g for g in space.groups if spoken.issuperset((g.left.column, g.right.column)))
    return encode_together([asked.rows, others], replace(space, groups=groups))


def _by_constraint(records: Sequence[dict[str, Any]], constraints: int) -> list[BitMap64]:
    ids = [BitMap64() for _ in range(constraints)]
    for record in records:
        ids[record["constraint"]] |= BitMap64.deserialize(record["row_ids"])
    return ids


def _witnesses(
    near: NearRows, inserted: pa.Table, space: PredicateSpace, wanted: Sequence[tuple[DenialConstraint, BitMap64]]
) -> list[tuple[Witness, ...]]:
    """Per constraint the wanted inserted rows with what they contradict: kept rows, where there are any."""
    masks = [np.isin(inserted[ROW_ID].to_numpy(), np.array(list(rows), np.int64)) for _, rows in wanted]
    asked = [
        _asked(inserted.filter(pa.array(mask)), constraint) for mask, (constraint, _) in zip(masks, wanted, strict=True)
    ]

    def look(number: int, asked: AskedConstraint, others: pa.Table | None) -> Iterator[pa.RecordBatch]:
        rows, alone = asked.rows, others is None
        if others is None:  # their own places first, so that a row is not compared with itself
            rest = inserted.filter(pa.array(~masks[number]))
            others = pa.concat_tables([rows, rest.select(rows.column_names)])
        come, rest = _encoded(asked, others, space)
        found = violations(come, rest, asked.constraint, space.nulls, same_rows=alone, examples=EXAMPLES)
        ids, other_ids = rows[ROW_ID].to_numpy(), others[ROW_ID].to_numpy()
        single = asked.constraint.is_single_row
        yield _batch([(number, ids[i], None if single else other_ids[j]) for i, j in found.pairs.tolist()])

    among, beside = (_met(part) for part in scanned(near, asked, look, _PAIRS))
    told = {pair: _Met(others, pair not in beside) for pair, others in (among | beside).items()}
    texts = _texts_of(told, near.delta, inserted)
    return [
        tuple(met.as_witness(row, texts) for (of, row), met in sorted(told.items()) if of == number)
        for number in range(len(wanted))
    ]


class _Met(NamedTuple):
    """The ids of the first rows that a row contradicts, and whether these are new ones."""

    others: Sequence[int]
    both_new: bool

    def as_witness(self, row: int, texts: Mapping[int, RowText]) -> Witness:
        """The row with those of the others that differ in a value."""
        different: list[int] = []
        for other in self.others:
            if all(texts[other] != texts[known] for known in different):
                different.append(other)
        both_new = self.both_new and bool(different)
        return Witness(texts[row], tuple(texts[i] for i in different), both_new, (row, *different))


def _texts_of(told: Mapping[tuple[int, int], _Met], delta: RowDelta, inserted: pa.Table) -> dict[int, RowText]:
    """By row id, the rows that are told of: new ones, and those of the rows that stay, which are read whole here."""
    shown = BitMap64({row for _, row in told}.union(*(met.others for met in told.values())))
    texts = _texts(inserted.filter(pc.is_in(inserted[ROW_ID], pa.array(shown, pa.int64()))))
    older = shown - BitMap64(texts)
    if delta.staying is not None and older:
        texts |= _texts(delta.staying.with_ids(older, inserted.column_names))
    return texts


def _met(records: Sequence[dict[str, Any]]) -> dict[tuple[int, int], list[int]]:
    """By constraint and row, the first of the rows that it contradicts; none where it contradicts itself."""
    met: dict[tuple[int, int], set[int]] = {}
    for record in records:
        others = met.setdefault((record["constraint"], record["row_id"]), set())
        others |= {record["other_id"]} - {None}
    return {pair: sorted(others)[:CONTRADICTED] for pair, others in met.items()}


def _batch(pairs: Sequence[tuple[int, int, int | None]]) -> pa.RecordBatch:
    numbers, ids, others = zip(*pairs, strict=True) if pairs else ((), (), ())
    return pa.record_batch(
        {
            "constraint": pa.array(numbers, pa.int32()),
            "row_id": pa.array(ids, pa.int64()),
            "other_id": pa.array(others, pa.int64()),
        }
    )


def _texts(rows: pa.Table) -> dict[int, RowText]:
    return {row_id: row_text(rows, i) for i, row_id in enumerate(rows[ROW_ID].to_pylist())}


def witness_alone(table: pa.Table, row: int) -> Witness:
    """One row that violates a rule by itself."""
    ids = (table[ROW_ID][row].as_py(),) if ROW_ID in table.column_names else ()
    return Witness(row_text(table, row), ids=ids)


def row_text(table: pa.Table, row: int) -> RowText:
    """One row as column name → text of the value, without the columns that only we add."""
    return {name: value_text(table[name][row].as_py()) for name in table.column_names if not name.startswith("_")}
