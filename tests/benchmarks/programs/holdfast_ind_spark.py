"""Our discovery of INDs over source texts by Spark's tasks: ``holdfast_ind_spark.py arity error out.txt table.csv …``.

Empty cells are values, as Desbordante takes them. Without tables Spark starts, until its Python processes answer, and
nothing else is done. ``run`` is by the clock, as the work is that of several processes.
"""

import sys
import time
from pathlib import Path

from canonical import inclusion
from peaks import watched
from report import report, started, write_lines


def main(arity: int, error: float, out: str, paths: list[Path]) -> None:
    start = started()
    peaks = watched()
    began = time.monotonic()
    found = discovered(arity, error, paths) if paths else answered()
    report(**start, **peaks, run=time.monotonic() - began, count=len(found))
    write_lines(out, (inclusion(i.lhs.table, i.lhs.columns, i.rhs.table, i.rhs.columns) for i in found))


def discovered(arity: int, error: float, paths: list[Path]):
    from profiling_core.model.constraint import Kind
    from profiling_core.pipeline.discover import discover
    from profiling_core.pipeline.discovery_request import DiscoveryRequest

    request = DiscoveryRequest(
        kind=Kind.IND,
        values="text",
        max_arity=arity or None,
        max_error=error,
        reduced=False,
        empty_values="value",
        spark=True,
    )
    return [m.constraint for m in discover(paths, request).constraints]


def answered() -> list[int]:
    from profiling_core.spark.session import spark_session

    return spark_session("bench").sparkContext.parallelize(range(2), 2).mapPartitions(lambda _: []).collect()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], [Path(path) for path in sys.argv[4:]])
