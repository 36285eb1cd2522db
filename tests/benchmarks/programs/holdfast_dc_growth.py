"""Deltas in indexed mode: ``holdfast_dc_growth.py table rows bound size [change:share …]``.

The table (CSV or Parquet) is put in random order, so that fewer rows are a sample of more. The state is written to
files and mapped again before each delta, as between runs of the pipeline; measured is the time from the delta's rows to
the new state in memory. Printed are the bootstrap's, per kind of change the median of five deltas of ``size`` rows, and
for each ``change:share`` a delta of that share of the rows beside batch discovery on its result.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
from report import report, started, timed, timed_once

REPEAT = 5
CHANGES = {"insert": (0, 1), "delete": (1, 0), "update": (1, 1)}


def main(path: Path, rows: int, bound: int, size: int, *shares: str) -> None:
    from profiling_core.algorithms.denial.indexed.table import IndexedTable
    from profiling_core.algorithms.denial.sampled import discovery
    from profiling_core.algorithms.evidence import predicate_space
    from profiling_core.algorithms.values.encoding import encode
    from profiling_core.ingest.files import read_table
    from profiling_core.model.types import NullSemantics

    schema, table = read_table(path, typed_header=path.suffix == ".csv")
    space = predicate_space.build(schema, NullSemantics.EQUAL, cross=False)
    order = np.random.default_rng(1).permutation(table.num_rows)
    largest = max((float(share.split(":")[1]) for share in shares), default=0.0)
    rows = min(rows, int((table.num_rows - REPEAT * size) / (1 + largest)))
    most = max(REPEAT * size, round(rows * largest))
    table = table.take(order[: rows + most])

    def bootstrapped(count):
        return IndexedTable.bootstrap(table.slice(0, count), np.arange(count), space, max_predicates=bound)

    def batch(positions):
        chosen = table.take(positions)
        return timed(lambda: discovery.discover(encode(chosen, space), space, max_predicates=bound))

    def applied(state, change, size, number=0):
        """Applies one delta; the new state, what changed, its time, and the rows after it."""
        leaving, coming = CHANGES[change]
        held = len(state["segment0.ids"])
        gone = np.sort(np.random.default_rng(number).choice(held, leaving * size, replace=False))
        came = np.arange(rows + number * size, rows + (number + coming) * size)
        new = IndexedTable.from_arrays(space, state)
        outcome, spent = timed_once(lambda: new.apply(gone, table.take(came), came))
        left = np.append(np.delete(np.arange(held), gone), came)
        return new, len(outcome.added) + len(outcome.gone), spent, left

    def mapped(state, folder):
        arrays = state.arrays()
        for number, array in enumerate(arrays.values()):
            np.save(folder / f"{number}.npy", array)
        return {name: np.load(folder / f"{i}.npy", mmap_mode="r") for i, name in enumerate(arrays)}

    with tempfile.TemporaryDirectory() as folder:
        for count, few in ((2_000, 10), (2_000, 400), (20_000, 1_000)):  # its code is loaded
            small = mapped(bootstrapped(min(rows, count)), Path(folder))
            for change in CHANGES:
                applied(small, change, min(few, most))
    start = started()
    _, discovered = batch(np.arange(rows))
    state, bootstrap = timed(lambda: bootstrapped(rows))
    with tempfile.TemporaryDirectory() as folder:
        arrays = mapped(state, Path(folder))
        deltas = {change: [applied(arrays, change, size, n) for n in range(REPEAT)] for change in CHANGES}
        compared = []
        for change, share in (text.split(":") for text in shares):
            new, changed, spent, left = applied(arrays, change, round(rows * float(share)))
            found, beside = batch(left)
            same = "yes" if found.cover == new.cover else "NO"
            compared.append((change, float(share), changed, spent, beside["run"], same))
    report(
        **start,
        **bootstrap,
        batch=discovered["run"],
        rows=rows,
        columns=table.num_columns,
        count=len(state.cover),
        state=sum(array.nbytes for array in arrays.values()) / 2**20,
        deltas={change: median(delta[2] for delta in found) for change, found in deltas.items()},
        changed={change: median(delta[1] for delta in found) for change, found in deltas.items()},
        shares=compared,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:5]), *sys.argv[5:])
