"""Desbordante's IND programs: ``desbordante_ind.py Spider|Faida|Mind arity error inclusions.txt table.csv …``."""

import sys
from pathlib import Path

from canonical import inclusion
from report import report, started, timed, write_lines


def main(name: str, arity: int, error: float, out: str, paths: list[str]) -> None:
    import desbordante

    options = {"max_arity": arity} if name == "Mind" else {}
    options |= {"error": error} if error else {}

    def discover():
        algorithm = getattr(desbordante.ind.algorithms, name)()  # each time: it loads no second time
        algorithm.load_data(tables=[(path, ",", True) for path in paths])
        algorithm.execute(**options)
        return algorithm.get_inds()

    start = started()
    found, times = timed(discover)
    tables = [(Path(path).stem, _names(path)) for path in paths]
    write_lines(out, (_line(ind, tables) for ind in found))
    report(**start, **times, count=len(found))


def _names(path: str) -> list[str]:
    with Path(path).open(encoding="utf-8") as file:
        return file.readline().strip().split(",")


def _line(ind, tables) -> str:
    sides = []
    for side in (ind.get_lhs(), ind.get_rhs()):
        table, names = tables[side.table_index]
        sides += [table, [names[column] for column in side.column_indices]]
    return inclusion(*sides)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5:])
