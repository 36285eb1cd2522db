"""Batches on maintained agree sets: ``holdfast_dynast.py table.csv max_lhs error batch``; max_lhs −1 is no bound.

The table begins without its last rows, which then come and go again in batches of ``batch`` rows. Medians in
milliseconds (of wall time, for CPU time comes in steps that are too long): ``state``, the agree sets alone;
``current``, these and all FDs and UCCs with exact figures; ``listed``, their making as objects. Beside them
``reference``, the time of a fixed NumPy loop in the same process, by which machines can be compared. Compiled code is
loaded by a walk over a few rows beforehand.
"""

import sys
import time
from pathlib import Path
from statistics import median

from report import report, started, timed

MOST_BATCHES = 9


def main(path: Path, max_lhs: int, error: float, batch: int) -> None:
    from profiling_core.algorithms.dependencies.agree_sets.agree_set_state import AgreeSetState
    from profiling_core.algorithms.dependencies.covers.cover_bounds import CoverBounds
    from profiling_core.algorithms.dependencies.upkeep.engine import AgreeSetEngine
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.ingest.files import read_table
    from profiling_core.model.types import NullSemantics

    schema, rows = read_table(path, typed_header=True)
    space = predicate_space.equality_only(schema, NullSemantics.EQUAL)
    longest = None if max_lhs < 0 else max_lhs
    bounds = CoverBounds(longest, longest, error, error)

    def engine(table):
        return AgreeSetEngine(AgreeSetState.bootstrapped(table, range(table.num_rows), space), bounds)

    first = rows.num_rows - batch * max(1, min(MOST_BATCHES, rows.num_rows // (2 * batch)))
    for few in (20, 40):
        walk(engine(rows.slice(0, few)), rows.slice(few, 2 * batch), few, batch, with_covers)
    start = started()
    _, whole = timed(lambda: engine(rows))
    scratch_peak = started()["start_peak"]
    began, bootstrap = timed(lambda: AgreeSetState.bootstrapped(rows.slice(0, first), range(first), space))
    state = walk(began, rows.slice(first), first, batch, lambda _: None)
    kept = engine(rows.slice(0, first))
    current = walk(kept, rows.slice(first), first, batch, with_covers)
    kept.apply([], rows.slice(first), range(first, rows.num_rows))
    fds, listing = timed(lambda: [kept.functional_dependencies(), kept.unique_column_combinations()])
    report(
        **start, **whole, scratch_peak=scratch_peak, agree_sets=len(kept.state.agree_sets()),
        fds=len(fds[0]), uccs=len(fds[1]), bootstrap=bootstrap["run"], listed=1e3 * listing["wall"],
        state_insert=state[0], state_delete=state[1], current_insert=current[0], current_delete=current[1],
        slowest=current[2], reference=1e3 * timed(reference)[1]["wall"],
    )  # fmt: skip


def with_covers(engine) -> None:
    engine.cover()


def walk(engine, rows, first, batch, then):
    """Medians of inserts and deletes, and the slowest batch, in milliseconds."""
    spent = []
    parts = [(first + at, rows.slice(at, batch)) for at in range(0, rows.num_rows, batch)]
    inserts = [([], part, range(start, start + part.num_rows)) for start, part in parts]
    for deleted, inserted, ids in [*inserts, *((ids, None, []) for _, _, ids in inserts)]:
        began = time.perf_counter_ns()
        engine.apply(list(deleted), inserted, list(ids))
        then(engine)
        spent.append((time.perf_counter_ns() - began) / 1e6)
    half = len(inserts)
    return median(spent[:half]), median(spent[half:]), max(spent)


def reference() -> int:
    """50 comparisons of a million numbers with one."""
    import numpy as np

    numbers = np.arange(1_000_000, dtype=np.int32)
    return sum(int(np.count_nonzero(numbers == value)) for value in range(50))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
