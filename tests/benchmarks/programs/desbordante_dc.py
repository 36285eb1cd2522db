"""Desbordante's FastADC: ``desbordante_dc.py table.csv threads space``; the space: same or across.

Zero threads: as many as it takes by itself. Runs in .venv-bench.
"""

import sys
from pathlib import Path

from report import report, started, timed


def main(path: str, threads: int, space: str) -> None:
    import desbordante

    with Path(path).open("rb") as file:
        rows = sum(1 for _ in file) - 1
    # 350 is its default, which it refuses for shorter tables.
    shard = min(350, rows)

    def discover():
        algorithm = desbordante.dc.algorithms.FastADC()
        algorithm.load_data(table=(path, ",", True))
        algorithm.execute(
            allow_cross_columns=space == "across", evidence_threshold=0.0, threads=threads, shard_length=shard
        )
        return algorithm.get_dcs(), algorithm  # which owns what the constraints refer to

    start = started()
    (found, _algorithm), times = timed(discover)
    report(**start, **times, count=len(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
