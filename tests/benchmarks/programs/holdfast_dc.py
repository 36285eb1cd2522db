"""Our discovery over same-column predicates: ``holdfast_dc.py table.csv bound [constraints.txt]``; bound 0 is none.

Compiled code is loaded from its cache by a discovery in the table's first rows beforehand: that and the imports are
the start, which is reported apart.
"""

import sys
import tempfile
from pathlib import Path

from canonical import canonical
from report import report, started, timed, write_lines

_OPERATORS = {"!=": "≠", "≠": "≠", "==": "=", "≤": "<=", "≥": ">="}


def main(path: Path, bound: int, out: str | None) -> None:
    from profiling_core.model.types import NullSemantics
    from profiling_core.pipeline.discover import DiscoveryRequest, discover

    request = DiscoveryRequest(
        nulls=NullSemantics.EQUAL, cross=False, max_predicates=bound or None, typed_header=True, ranked=False
    )
    with tempfile.TemporaryDirectory() as folder:
        few = Path(folder) / "few.csv"
        with path.open(encoding="utf-8") as file:
            few.write_text("".join(line for _, line in zip(range(5), file, strict=False)), encoding="utf-8")
        discover([few], request)
    start = started()
    found, times = timed(lambda: discover([path], request).constraints)
    if out:
        write_lines(out, (_canonical(m.constraint) for m in found))
    report(**start, **times, count=len(found))


def _canonical(constraint) -> str:
    return canonical((p.left.column, _OPERATORS.get(p.op.value, p.op.value)) for p in constraint.predicates)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
