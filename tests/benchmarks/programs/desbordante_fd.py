"""A Desbordante algorithm: ``desbordante_fd.py table.csv Name error longest [constraints.txt]``; longest 0: no bound.

``Name`` is HyFD, Pyro or Tane (FDs), HPIValid or PyroUCC (UCCs). One thread where it can be told. Runs in .venv-bench.
"""

import sys
from pathlib import Path

from report import report, started, timed, write_lines


def main(path: str, name: str, error: float, longest: int, out: str | None) -> None:
    import desbordante

    keys = name in ("HPIValid", "PyroUCC")
    module = desbordante.ucc if keys else desbordante.fd if name == "HyFD" else desbordante.afd

    def discover():
        algorithm = getattr(module.algorithms, name)()
        algorithm.load_data(table=(path, ",", True))
        asked = {"error": error, "max_lhs": longest or None, "threads": 1}
        possible = algorithm.get_possible_options()
        algorithm.execute(**{key: value for key, value in asked.items() if value is not None and key in possible})
        return algorithm

    start = started()
    algorithm, times = timed(discover)
    found = algorithm.get_uccs() if keys else algorithm.get_fds()
    if out:
        names = [column.rpartition("(")[0] for column in _header(path)]
        write_lines(out, (_line(constraint, names, keys=keys) for constraint in found))
    report(**start, **times, count=len(found))


def _header(path: str) -> list[str]:
    with Path(path).open(encoding="utf-8") as file:
        return file.readline().strip().split(",")


def _line(constraint, names: list[str], *, keys: bool) -> str:
    left = constraint.indices if keys else constraint.lhs_indices
    right = "" if keys else names[constraint.rhs_index]
    return f"{','.join(sorted(names[i] for i in left))} -> {right}"


if __name__ == "__main__":
    source, name, error, longest, *rest = sys.argv[1:]
    main(source, name, float(error), int(longest), rest[0] if rest else None)
