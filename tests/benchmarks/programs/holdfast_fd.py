"""Our FDs or UCCs, null = null: ``holdfast_fd.py table.csv fd|ucc error longest [constraints.txt]``.

``longest`` 0 is no bound. Compiled code is loaded from its cache by discoveries in the table's first rows beforehand
(of a narrow table enough that each way is taken once): that and the imports are the start, which is reported apart.
"""

import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from report import report, started, timed, write_lines

# Of the table for the start; a wide one's first thousand rows would be all of it.
NARROW, FIRST_ROWS, FIRST_ROWS_OF_WIDE = 20, 2_000, 50


def main(path: Path, kind: str, error: float, longest: int, out: str | None) -> None:
    from profiling_core.algorithms.dependencies import choice
    from profiling_core.model.constraint import Kind
    from profiling_core.model.types import NullSemantics
    from profiling_core.pipeline.discover import DiscoveryRequest, discover

    bound = longest + (kind == "fd") if longest else None
    request = DiscoveryRequest(
        kind=Kind(kind),
        nulls=NullSemantics.EQUAL,
        max_predicates=bound,
        max_error=error,
        typed_header=True,
        ranked=False,
    )
    with tempfile.TemporaryDirectory() as folder:
        few = Path(folder) / "few.csv"
        with path.open(encoding="utf-8") as file:
            header = next(file)
            rows = FIRST_ROWS if header.count(",") < NARROW else FIRST_ROWS_OF_WIDE
            lines = (line for _, line in zip(range(rows), file, strict=False))
            few.write_text(header + "".join(lines), encoding="utf-8")
        discover([few], request)
        with patch.object(choice, "FEW_PAIRS", 0), patch.object(choice, "ROW_AND_DEPENDENCY", 0.0):
            discover([few], request)
    start = started()
    found, times = timed(lambda: discover([path], request).constraints)
    if out:
        write_lines(out, (_line(m.constraint) for m in found))
    report(**start, **times, count=len(found))


def _line(constraint) -> str:
    right = constraint.rhs.columns[0] if constraint.kind == "fd" else ""
    return f"{','.join(sorted(constraint.lhs.columns))} -> {right}"


if __name__ == "__main__":
    source, kind, error, longest, *rest = sys.argv[1:]
    main(Path(source), kind, float(error), int(longest), rest[0] if rest else None)
