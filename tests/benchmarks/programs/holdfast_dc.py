"""Our discovery: ``holdfast_dc.py table.csv bound space engine``; bound 0 is none.

The space is ``same`` or ``across``, the engine ``auto``, ``pairs`` or ``hydra``.

Compiled code is loaded from its cache by a discovery in the table's first rows beforehand, by both engines: that and
the imports are the start, which is reported apart.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from report import report, started, timed, write_few


def main(path: Path, bound: int, space: str, engine: str) -> None:
    from profiling_core.model.types import NullSemantics
    from profiling_core.pipeline.discover import DiscoveryRequest, discover

    request = DiscoveryRequest(
        nulls=NullSemantics.EQUAL,
        cross=space == "across",
        max_predicates=bound or None,
        engine=engine,
        typed_header=path.suffix == ".csv",
        ranked=False,
    )
    with tempfile.TemporaryDirectory() as folder:
        few = Path(folder) / f"few{path.suffix}"
        write_few(path, few)
        for way in ("pairs", "hydra"):  # auto may go either
            discover([few], replace(request, engine=way))
    start = started()
    found, times = timed(lambda: discover([path], request).constraints)
    report(**start, **times, count=len(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5])
