"""Days of a tall table: ``holdfast_partitions.py table.csv max_lhs error batch``.

The table begins without its last ``batch`` rows, which then come, go, and come again; then as many rows from all over
the table go and come back. CPU seconds of each, and of the state's way to plain arrays and back.
"""

import sys
from pathlib import Path

from report import report, started, timed_once


def main(path: Path, max_lhs: int, error: float, batch: int) -> None:
    import numpy as np

    from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
    from profiling_core.algorithms.dependencies.upkeep.partition_table import PartitionTable
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.ingest.files import read_table
    from profiling_core.model.types import NullSemantics

    schema, rows = read_table(path, typed_header=True)
    space = predicate_space.equality_only(schema, NullSemantics.EQUAL)
    bounds = CoverBounds(max_lhs, max_lhs, error, error)
    days(PartitionTable.bootstrap(rows.slice(0, 200), range(200), space, bounds=bounds), rows.slice(0, 220), 20)
    start = started()
    many = rows.num_rows - batch
    table, began = timed_once(lambda: PartitionTable.bootstrap(rows.slice(0, many), range(many), space, bounds=bounds))
    came, went = days(table, rows, batch)
    drawn = np.sort(np.random.default_rng(0).permutation(many)[:batch])
    _, scattered_went = timed_once(lambda: table.apply(drawn.tolist(), None, []))
    _, scattered_came = timed_once(lambda: table.apply([], rows.take(drawn), drawn.tolist()))
    arrays, saved = timed_once(table.arrays)
    _, restored = timed_once(lambda: PartitionTable.from_arrays(arrays, space, bounds=bounds))
    report(
        **start, run=began, count=len(table.functional_dependencies()), uccs=len(table.unique_column_combinations()),
        sets=len(arrays["sets"]), came=came, went=went, scattered_came=scattered_came, scattered_went=scattered_went,
        kept=saved + restored,
    )  # fmt: skip


def days(table, rows, batch):
    """CPU seconds in which the last rows come, and go; afterwards they are there."""
    last = range(rows.num_rows - batch, rows.num_rows)
    _, came = timed_once(lambda: table.apply([], rows.slice(last.start), last))
    _, went = timed_once(lambda: table.apply(list(last), None, []))
    table.apply([], rows.slice(last.start), last)
    return came, went


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
