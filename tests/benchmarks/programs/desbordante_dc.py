"""Desbordante's FastADC: ``desbordante_dc.py table.csv threads space [constraints.txt]``; the space: same or across.

Zero threads: as many as it takes by itself. Runs in .venv-bench.
"""

import re
import sys
from pathlib import Path

from canonical import canonical
from report import report, started, timed, write_lines

_PREDICATE = re.compile(r"t\.(?P<left>.+) (?P<op>==|!=|<=|>=|<|>) s\.(?P<right>.+)")


def main(path: str, threads: int, space: str, out: str | None) -> None:
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
    if out:
        write_lines(out, (_canonical(str(dc)) for dc in found))
    report(**start, **times, count=len(found))


def _canonical(text: str) -> str:
    predicates = []
    for part in text.removeprefix("¬{ ").removesuffix(" }").split(" ∧ "):
        found = _PREDICATE.fullmatch(part)
        if found is None or found["left"] != found["right"]:
            raise ValueError(f"not a same-column constraint: {text}")
        predicates.append((found["left"].rpartition("(")[0], found["op"].replace("==", "=").replace("!=", "≠")))
    return canonical(predicates)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None)
