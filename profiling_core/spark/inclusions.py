"""The rows behind broken inclusions: rows whose value has no partner."""

import heapq
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.inclusions.value_generator import rows_holding
from profiling_core.algorithms.values.canonical_values import Values
from profiling_core.model.change import Witness
from profiling_core.model.delta import ROW_ID
from profiling_core.spark.names import all_quoted, named, plain
from profiling_core.spark.rows import FEW_ROWS, Rows
from profiling_core.spark.witnesses import row_text

WITNESSES = 50
_FOUND = "number int, row_id bigint, content string"


@dataclass(frozen=True, slots=True)
class WantedOrphans:
    """Columns of the included table, and the orphan values (as generator entries) that its rows are to hold."""

    columns: tuple[str, ...]
    values: pa.Table


def orphan_rows(rows: Rows, wanted: Sequence[WantedOrphans], values: Values) -> list[tuple[Witness, ...]]:
    """For each of the wanted columns, the rows that hold orphan values: the first :data:`WITNESSES` by row id.

    Args:
        rows: rows of one table.
        wanted: columns and values; all are looked for in one pass.
        values: how values compare.
    """
    names = [ROW_ID, *rows.schema.names]
    scan = _scan(wanted, values, names)
    if rows.most <= FEW_ROWS:
        read = (batch for portion in rows.portions(names) for batch in portion.to_batches())
        found = [record for batch in scan(read) for record in batch.to_pylist()]
    else:
        found = plain(rows.frame.select(*all_quoted(names))).mapInArrow(scan, _FOUND).toArrow().to_pylist()
    chosen: list[tuple[Witness, ...]] = []
    for number in range(len(wanted)):
        own = {record["row_id"]: record["content"] for record in found if record["number"] == number}
        chosen.append(tuple(Witness(json.loads(own[row_id]), ids=(row_id,)) for row_id in sorted(own)[:WITNESSES]))
    return chosen


def _scan(
    wanted: Sequence[WantedOrphans], values: Values, names: Sequence[str]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def scan(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        first: list[list[tuple[int, str]]] = [[] for _ in wanted]
        for batch in named(batches, names):
            table = pa.Table.from_batches([batch])
            ids = table["_row_id"].to_numpy()
            for kept, sought in zip(first, wanted, strict=True):
                at = np.flatnonzero(rows_holding([table[c] for c in sought.columns], values, sought.values))
                at = at[np.argsort(ids[at])][:WITNESSES]
                new = [(int(ids[i]), json.dumps(row_text(table, i))) for i in at.tolist()]
                kept[:] = heapq.nsmallest(WITNESSES, [*kept, *new])
        yield _batch(first)

    return scan


def _batch(first: Sequence[Sequence[tuple[int, str]]]) -> pa.RecordBatch:
    records = [(number, row_id, content) for number, kept in enumerate(first) for row_id, content in kept]
    numbers, row_ids, contents = zip(*records, strict=True) if records else ((), (), ())
    return pa.record_batch(
        {
            "number": pa.array(numbers, pa.int32()),
            "row_id": pa.array(row_ids, pa.int64()),
            "content": pa.array(contents, pa.string()),
        }
    )
