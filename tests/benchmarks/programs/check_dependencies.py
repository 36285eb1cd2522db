"""An independent check of listed FDs or UCCs: ``check_dependencies.py table.csv error constraints.txt most``.

It knows nothing of our library: values are numbered by a dictionary per column, and the pairs of rows that agree on a
set of columns are counted by sorting. Each line ``a,b -> c`` (a UCC: ``a,b ->``) must have at most ``error`` of the
pairs violating it (g1, null = null), and more than that without any one of its columns. Of more than ``most`` lines so
many are checked, spread evenly. A row's key is the sum of a random 64-bit number per value, so that a set of columns is
a sum of arrays; that two different rows get one key is less likely than a broken memory cell.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from report import report

Keys = NDArray[np.uint64]
# Sorting is fastest for many rows of keys at once that fit into the caches.
_KEYS_AT_ONCE = 1 << 18


def main(path: Path, error: float, listed: Path, most: int) -> None:
    keys = _keys(path)
    rows = next(iter(keys.values())).size
    limit = error * rows * (rows - 1)
    lines = listed.read_text("utf-8").splitlines()
    chosen = lines if len(lines) <= most else [lines[i * len(lines) // most] for i in range(most)]
    invalid, not_minimal, right = 0, 0, 0
    for violations, generalised in _violations(chosen, keys):
        valid = 2 * violations <= limit
        minimal = all(2 * more > limit for more in generalised)
        invalid += not valid
        not_minimal += not minimal
        right += valid and minimal
    report(lines=len(lines), checked=len(chosen), invalid=invalid, not_minimal=not_minimal, right=right)


def _keys(path: Path) -> dict[str, Keys]:
    """Per column a random number per value, row by row."""
    header, *lines = path.read_text("utf-8").splitlines()
    random = np.random.default_rng(20)
    keys = {}
    for name, values in zip(header.split(","), zip(*(line.split(",") for line in lines), strict=True), strict=True):
        number = {value: i for i, value in enumerate(dict.fromkeys(values))}
        drawn = random.integers(0, 2**64, len(number), np.uint64)
        keys[name.rpartition("(")[0]] = drawn[np.fromiter(map(number.__getitem__, values), np.int64, len(values))]
    return keys


def _violations(lines: list[str], keys: dict[str, Keys]) -> Iterator[tuple[int, list[int]]]:
    """Per line the violating pairs, and those without each of its columns."""
    rows = next(iter(keys.values())).size
    step = max(1, _KEYS_AT_ONCE // rows // 16)
    for first in range(0, len(lines), step):
        part = lines[first : first + step]
        questions, bounds = [], [0]
        for line in part:
            left, _, right = line.partition(" ->")
            columns, rhs = [name for name in left.split(",") if name], right.strip()
            whole = sum((keys[name] for name in columns), np.zeros(rows, np.uint64))
            for key in [whole, *(whole - keys[name] for name in columns)]:
                questions += [key, key + keys[rhs]] if rhs else [key]
            bounds.append(len(questions))
        agreeing = _agreeing(np.array(questions))
        for line, (start, end) in zip(part, pairwise(bounds), strict=True):
            own = agreeing[start:end]
            violations = (own[::2] - own[1::2] if line.partition(" ->")[2].strip() else own).tolist()
            yield violations[0], violations[1:]


def _agreeing(keys: Keys) -> NDArray[np.int64]:
    """Per row of keys the unordered pairs of equal ones."""
    keys.sort(axis=1)
    begins = np.ones(keys.shape, np.bool_)
    begins[:, 1:] = keys[:, 1:] != keys[:, :-1]
    sets, starts = np.nonzero(begins)
    ends = np.append(starts[1:], keys.shape[1])
    ends[ends == 0] = keys.shape[1]
    sizes = (ends - starts).astype(np.int64)
    return np.bincount(sets, (sizes * (sizes - 1) // 2).astype(np.float64), len(keys)).astype(np.int64)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
