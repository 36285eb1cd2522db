"""Our discovery of INDs over source texts by Spark's tasks: ``holdfast_ind_spark.py arity error out.txt table.csv …``.

Empty cells are values, as Desbordante takes them. ``wall`` is without the interpreter's start, ``spark`` is Spark's.
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
    from profiling_core.model.constraint import Kind
    from profiling_core.pipeline.discover import discover
    from profiling_core.pipeline.discovery_request import DiscoveryRequest
    from profiling_core.spark.session import spark_session

    spark_session("bench").range(1).count()
    spark = time.monotonic() - began
    request = DiscoveryRequest(
        kind=Kind.IND,
        values="text",
        max_arity=arity or None,
        max_error=error,
        reduced=False,
        empty_values="value",
        spark=True,
    )
    found = [m.constraint for m in discover(paths, request).constraints]
    wall = time.monotonic() - began
    write_lines(out, (inclusion(i.lhs.table, i.lhs.columns, i.rhs.table, i.rhs.columns) for i in found))
    report(**start, **peaks, wall=wall, spark=spark, count=len(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], [Path(path) for path in sys.argv[4:]])
