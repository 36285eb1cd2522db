"""A Desbordante algorithm: ``desbordante_fd.py table.csv Name error longest``; longest 0: no bound.

``Name`` is HyFD, Pyro or Tane (FDs), HPIValid or PyroUCC (UCCs). One thread where it can be told. Runs in .venv-bench.
"""

import sys

from report import report, started, timed


def main(path: str, name: str, error: float, longest: int) -> None:
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
    report(**start, **times, count=len(found))


if __name__ == "__main__":
    source, name, error, longest = sys.argv[1:]
    main(source, name, float(error), int(longest))
