"""The rows that broke a constraint: inserted rows that violate it, beside the rows that they contradict.

Only inserted rows can break a denial constraint (with FDs and UCCs), so the scan is I×(K ∪ I) over the same tiles
as the evidence. What comes back is capped per constraint and tile; the number of violating rows is exact, from
roaring bitmaps of row ids.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyroaring import BitMap64

from profiling_core.algorithms.denial.violations import violations
from profiling_core.algorithms.values.encoding import encode_together
from profiling_core.model.change import Witness
from profiling_core.model.constraint import DenialConstraint, RowConstraint, as_denial_constraint
from profiling_core.model.predicate import PredicateSpace
from profiling_core.spark.evidence import RowDelta, row_blocks
from profiling_core.spark.names import all_quoted, named, plain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = 20
CONTRADICTED = 3
_SCHEMA = "constraint int, violating binary, examples string"


@dataclass(frozen=True, slots=True)
class Break:
    """The ids of the inserted rows that violate a constraint, and by id some of them with what they contradict."""

    rows: BitMap64
    by_row: Mapping[int, Witness]

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """Up to :data:`EXAMPLES` of the rows, each with what it contradicts."""
        return tuple(self.by_row[i] for i in sorted(self.by_row) if i in self.rows)[:EXAMPLES]


def find_breaks(
    spark: "SparkSession", delta: RowDelta, space: PredicateSpace, broken: Sequence[RowConstraint]
) -> list[Break]:
    """For each of the broken constraints, the inserted rows that violate it (one pass over the kept rows for all)."""
    if not broken:
        return []
    constraints = [as_denial_constraint(constraint) for constraint in broken]
    inserted = delta.inserted.toArrow()
    scan = _scan(inserted, space, constraints)
    found = spark.range(1, numPartitions=1).mapInArrow(
        lambda batches: (r for _ in batches for r in scan(None)), _SCHEMA
    )
    if delta.kept is not None:
        names = inserted.column_names
        kept = plain(delta.kept.select(*all_quoted(names)))
        streamed = kept.mapInArrow(
            lambda batches: (r for block in row_blocks(named(batches, names)) for r in scan(block)), _SCHEMA
        )
        found = found.unionAll(streamed)
    return _merge(found.toArrow(), len(broken))


def _scan(
    inserted: pa.Table, space: PredicateSpace, constraints: Sequence[DenialConstraint]
) -> Callable[[pa.Table | None], Iterator[pa.RecordBatch]]:
    """A function of one block of kept rows (None: the inserted rows among themselves)."""

    def scan(block: pa.Table | None) -> Iterator[pa.RecordBatch]:
        others = inserted if block is None else block
        come, rest = encode_together([inserted, others], space)
        ids = inserted["_row_id"].to_numpy()
        rows: list[tuple[int, bytes, str]] = []
        for number, constraint in enumerate(constraints):
            found = violations(come, rest, constraint, space.nulls, same_rows=block is None, examples=EXAMPLES)
            if not found.left_rows.any():
                continue
            examples = [
                [int(ids[i]), row_text(inserted, i), None if constraint.is_single_row else row_text(others, j)]
                for i, j in found.pairs.tolist()
            ]
            rows.append((number, BitMap64(ids[found.left_rows].tolist()).serialize(), json.dumps(examples)))
        yield _batch(rows)

    return scan


def _batch(rows: Sequence[tuple[int, bytes, str]]) -> pa.RecordBatch:
    numbers, violating, examples = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.record_batch(
        {
            "constraint": pa.array(numbers, pa.int32()),
            "violating": pa.array(violating, pa.binary()),
            "examples": pa.array(examples, pa.string()),
        }
    )


def row_text(table: pa.Table, row: int) -> dict[str, str | None]:
    """One row as column name → text of the value, without the columns that only we add."""
    values = {name: table[name][row].as_py() for name in table.column_names if not name.startswith("_")}
    return {name: None if value is None else str(value) for name, value in values.items()}


def _merge(found: pa.Table, constraints: int) -> list[Break]:
    violating = [BitMap64() for _ in range(constraints)]
    examples: list[dict[int, Witness]] = [{} for _ in range(constraints)]
    for record in sorted(found.to_pylist(), key=lambda r: (r["constraint"], r["examples"])):
        violating[record["constraint"]] |= BitMap64.deserialize(record["violating"])
        for row_id, row, other in json.loads(record["examples"]):
            known = examples[record["constraint"]].get(row_id)
            others = () if other is None else (other,)
            if known is None:
                examples[record["constraint"]][row_id] = Witness(row, others)
            elif other is not None and len(known.contradicts) < CONTRADICTED and other not in known.contradicts:
                examples[record["constraint"]][row_id] = Witness(row, (*known.contradicts, other))
    return [Break(ids, witnesses) for ids, witnesses in zip(violating, examples, strict=True)]
