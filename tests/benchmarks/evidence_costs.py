"""What the model in algorithms/evidence/contexts.py rests on: ``python -m benchmarks.evidence_costs`` measures it.

Prints CPU nanoseconds for a pair of contexts that is compared and for a pair of a cluster that is visited, on random
tables of some widths, and their ratio, which ``CLUSTER_PAIR_COSTS`` is the median of.
"""

import sys
import time

import numpy as np

from profiling_core.algorithms.evidence import contexts, predicate_space
from profiling_core.algorithms.evidence.keys import KeyLayout
from profiling_core.algorithms.evidence.pairs import Side, count, triangle
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics

ROWS = 6_000
CLUSTER = 60


def main() -> None:
    for columns in (4, 8, 16, 24, 32):
        schema = TableSchema("r", tuple(Column(f"c{i}", LogicalType.STRING, ordered=False) for i in range(columns)))
        layout = KeyLayout(predicate_space.build(schema, NullSemantics.EQUAL, cross=False))
        random = np.random.default_rng(0)
        codes = random.integers(0, ROWS // CLUSTER, (columns, ROWS)).astype(np.int32)
        codes[columns // 2 :] %= 4
        side = Side(codes, np.ones(ROWS, np.uint64))
        rare = np.zeros(codes.shape, np.bool_)
        rare[: columns // 2] = True
        visited = columns // 2 * ROWS * (CLUSTER - 1) // 2
        chosen = contexts.Plan(rare, layout, visited)
        compared = ROWS * (ROWS - 1) / 2
        pair = _nanoseconds(lambda: count(side, side, list(triangle(ROWS)), layout, 1, same=True), compared)  # noqa: B023
        cluster = _nanoseconds(lambda: contexts.cluster_pairs(side, chosen, layout, 1), visited)  # noqa: B023
        line = f"{columns} columns: {pair:.1f} ns compared, {cluster:.1f} ns visited, ratio {cluster / pair:.1f}\n"
        sys.stdout.write(line)


def _nanoseconds(work, pairs: float) -> float:
    work()
    began = time.process_time()
    for _ in range(5):
        work()
    return (time.process_time() - began) / 5 / pairs * 1e9


if __name__ == "__main__":
    main()
