"""Deltas of a table: ``growing_table.py table.parquet rows days directory``.

``000`` inserts that many rows, in random order; each day after it inserts 400 others, deletes 300 of the first ones and
updates 300 more.
"""

import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from report import report

INSERTED, DELETED, UPDATED = 400, 300, 300
CHANGED = "l_extendedprice"


def main(source: str, rows: int, days: int, out: Path) -> None:
    whole = pq.read_table(source)
    views = {field.name for field in whole.schema if pa.types.is_string_view(field.type)}
    whole = pa.table(
        {name: whole[name].cast(pa.string()) if name in views else whole[name] for name in whole.column_names}
    )
    order = np.random.default_rng(7).permutation(len(whole))
    rows = min(rows, len(whole) - days * INSERTED)
    first, rest = order[:rows], order[rows:]
    _write(out / "000.parquet", [(whole.take(first), "insert")])
    for day in range(days):
        coming = rest[day * INSERTED : (day + 1) * INSERTED]
        going, changing = np.split(first[day * (DELETED + UPDATED) :][: DELETED + UPDATED], [DELETED])
        updated = whole.take(changing)
        place = updated.schema.get_field_index(CHANGED)
        dearer = pc.add(updated[CHANGED], pa.scalar(Decimal("1.00"))).cast(updated[CHANGED].type)
        updated = updated.set_column(place, updated.schema.field(place), dearer)
        parts = [(whole.take(coming), "insert"), (whole.take(going), "delete"), (updated, "update")]
        _write(out / f"{day + 1:03}.parquet", parts)
    report(rows=rows)


def _write(path: Path, parts: list[tuple[pa.Table, str]]) -> None:
    marked = [table.append_column("_op", pa.array([operation] * len(table))) for table, operation in parts]
    pq.write_table(pa.concat_tables(marked), path)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
