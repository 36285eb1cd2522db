"""Our discovery of INDs over source texts: ``holdfast_ind.py arity error inclusions.txt table.csv …``; arity 0: any.

Empty cells are values, as Desbordante takes them.
"""

import sys
from pathlib import Path

from canonical import inclusion
from report import report, started, timed, write_lines


def main(arity: int, error: float, out: str, paths: list[Path]) -> None:
    from profiling_core.model.constraint import Kind
    from profiling_core.pipeline.discover import DiscoveryRequest, discover

    request = DiscoveryRequest(
        kind=Kind.IND, values="text", max_arity=arity or None, max_error=error, reduced=False, empty_values="value"
    )
    start = started()
    found, times = timed(lambda: discover(paths, request).constraints)
    write_lines(out, (_line(m.constraint) for m in found))
    report(**start, **times, count=len(found))


def _line(ind) -> str:
    return inclusion(ind.lhs.table, ind.lhs.columns, ind.rhs.table, ind.rhs.columns)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], [Path(path) for path in sys.argv[4:]])
