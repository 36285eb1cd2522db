"""The rows that broke a constraint: inserted rows that violate it, beside the rows that they contradict.

Only inserted rows can break a denial constraint (with FDs and UCCs), so the scan is I×(K ∪ I). It tells which rows are
in a violation, exactly, as roaring bitmaps of row ids; a second scan, of a few rows that stand out alone, finds what
these contradict.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.algorithms.denial.checking.violations import violations
from profiling_core.algorithms.values.encoding import Encoded, encode_together
from profiling_core.model.change import Witness
from profiling_core.model.constraint import DenialConstraint, RowConstraint, as_denial_constraint
from profiling_core.model.delta import ROW_ID
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.texts import value_text
from profiling_core.spark.contradicting import AskedConstraint, scanned
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.kinds.registry import room_of
from profiling_core.spark.kinds.room import InViolation, NewRows

EXAMPLES = 20
CONTRADICTED = 3
_FOUND = "constraint int, row_ids binary"
_PAIRS = "constraint int, row_id long, row string, other string"


@dataclass(frozen=True, slots=True)
class Break:
    """The inserted rows that violate a constraint.

    ``rows`` are the ids of all of them, ``standing_out`` of those to which the violations are owed
    (docs/semantics.md, "Changes"); ``witnesses`` are up to :data:`EXAMPLES` of the latter.
    """

    rows: BitMap64
    standing_out: BitMap64
    witnesses: tuple[Witness, ...] = ()


def find_breaks(delta: RowDelta, space: PredicateSpace, broken: Sequence[RowConstraint]) -> list[Break]:
    """For each of the broken constraints, the inserted rows that violate it."""
    if not broken:
        return []
    constraints = [as_denial_constraint(constraint) for constraint in broken]
    inserted = delta.coming.read([ROW_ID, *delta.coming.schema.names])
    found = _in_violation(delta, inserted, space, constraints)
    new = NewRows(delta, inserted, space)
    apart = [
        _standing_out(new, constraint, rows) if rows.all else BitMap64()
        for constraint, rows in zip(broken, found, strict=True)
    ]
    named_rows = [rows[:EXAMPLES] for rows in apart]
    witnesses = _witnesses(delta, inserted, space, list(zip(constraints, named_rows, strict=True)))
    return [Break(rows.all, out, w) for rows, out, w in zip(found, apart, witnesses, strict=True)]


def _standing_out(new: NewRows, constraint: RowConstraint, found: InViolation) -> BitMap64:
    """Of the inserted rows in a violation, those that it is owed to.

    One wrong row among many right ones contradicts all of them, so that all of them are in a violation. What stands out
    are those without which the constraint would hold as it did: what a person wants to see, and a policy sets aside.
    """
    # Where rows were wrong before, it may be these that contradict all the new ones.
    return room_of(constraint).standing_out(new, constraint.familiar, found) or found.all


def _in_violation(
    delta: RowDelta,
    inserted: pa.Table,
    space: PredicateSpace,
    constraints: Sequence[DenialConstraint],
) -> list[InViolation]:
    def look(number: int, asked: AskedConstraint, others: pa.Table | None) -> Iterator[pa.RecordBatch]:
        come, rest = _encoded(asked, asked.rows if others is None else others, space)
        found = violations(come, rest, asked.constraint, space.nulls, same_rows=others is None, examples=0)
        ids = BitMap64(inserted[ROW_ID].to_numpy()[found.left_rows].tolist())
        yield pa.record_batch({"constraint": pa.array([number], pa.int32()), "row_ids": [ids.serialize()]})

    # Of the rows that stay only the columns that the constraint speaks of are read.
    asked = [
        AskedConstraint(constraint, inserted.select([ROW_ID, *sorted(set(constraint.columns))]))
        for constraint in constraints
    ]
    among, beside = (_by_constraint(part, len(constraints)) for part in scanned(delta, asked, look, _FOUND))
    return [InViolation(new, older) for new, older in zip(among, beside, strict=True)]


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
    delta: RowDelta,
    inserted: pa.Table,
    space: PredicateSpace,
    wanted: Sequence[tuple[DenialConstraint, BitMap64]],
) -> list[tuple[Witness, ...]]:
    """Per constraint the wanted inserted rows with what they contradict: kept rows, where there are any."""
    masks = [np.isin(inserted[ROW_ID].to_numpy(), np.array(list(rows), np.int64)) for _, rows in wanted]
    asked = [AskedConstraint(c, inserted.filter(pa.array(mask))) for mask, (c, _) in zip(masks, wanted, strict=True)]

    def look(number: int, asked: AskedConstraint, others: pa.Table | None) -> Iterator[pa.RecordBatch]:
        rows, alone = asked.rows, others is None
        if others is None:  # their own places first, so that a row is not compared with itself
            others = pa.concat_tables([rows, inserted.filter(pa.array(~masks[number]))])
        come, rest = _encoded(asked, others, space)
        found = violations(come, rest, asked.constraint, space.nulls, same_rows=alone, examples=EXAMPLES)
        single = asked.constraint.is_single_row
        yield _batch(
            [
                (
                    number,
                    rows[ROW_ID][i].as_py(),
                    json.dumps(row_text(rows, i)),
                    None if single else json.dumps(row_text(others, j)),
                )
                for i, j in found.pairs.tolist()
            ]
        )

    among, beside = (
        sorted(part, key=lambda r: (r["constraint"], r["row_id"], r["other"] or ""))
        for part in scanned(delta, asked, look, _PAIRS)
    )
    witnesses: list[dict[int, Witness]] = [{} for _ in wanted]
    for records, both_new in ((beside, False), (among, True)):
        for record in records:
            of = witnesses[record["constraint"]]
            of[record["row_id"]] = _with(of.get(record["row_id"]), record, both_new=both_new)
    return [tuple(of[i] for i in sorted(of)) for of in witnesses]


def _with(known: Witness | None, record: dict[str, Any], *, both_new: bool) -> Witness:
    other = () if record["other"] is None else (json.loads(record["other"]),)
    if known is None:
        return Witness(json.loads(record["row"]), other, both_new and bool(other))
    complete = known.both_new != both_new or len(known.contradicts) == CONTRADICTED
    if complete or not other or other[0] in known.contradicts:
        return known
    return Witness(known.broken_by, (*known.contradicts, *other), both_new)


def _batch(pairs: Sequence[tuple[int, int, str, str | None]]) -> pa.RecordBatch:
    numbers, ids, rows, others = zip(*pairs, strict=True) if pairs else ((), (), (), ())
    return pa.record_batch(
        {
            "constraint": pa.array(numbers, pa.int32()),
            "row_id": pa.array(ids, pa.int64()),
            "row": pa.array(rows, pa.string()),
            "other": pa.array(others, pa.string()),
        }
    )


def row_text(table: pa.Table, row: int) -> dict[str, str | None]:
    """One row as column name → text of the value, without the columns that only we add."""
    return {name: value_text(table[name][row].as_py()) for name in table.column_names if not name.startswith("_")}
