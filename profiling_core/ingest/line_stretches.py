"""Stretches of rows that stand on consecutive lines of a file: by them the line of each row is known."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

MOST_STRETCHES = 1_000
"""Stretches of a file, at most: 20 kB. Of later rows, in a file with more values that span lines, no line is known."""


class Stretches:
    """Collects the beginnings of stretches: the number of a row within its file (from 0), and its line."""

    def __init__(self) -> None:
        self._begins: list[tuple[int, int]] = []
        self._apart: int | None = None

    @property
    def begins(self) -> Sequence[tuple[int, int]]:
        """The beginnings, in order; line 0: unknown from there on."""
        kept = self._begins[:MOST_STRETCHES]
        return [*kept, (self._begins[MOST_STRETCHES][0], 0)] if len(self._begins) > MOST_STRETCHES else kept

    def add(self, first: int, lines: pa.Int64Array) -> None:
        """Adds the lines of consecutive rows, from row number ``first`` on."""
        if not len(lines) or len(self._begins) > MOST_STRETCHES:
            return
        numbers = lines.to_numpy()
        apart = numbers - np.arange(first, first + len(numbers))
        before = apart[0] - 1 if self._apart is None else self._apart
        begin = np.flatnonzero(np.diff(apart, prepend=before))
        self._begins += [(first + int(i), int(numbers[i])) for i in begin[: MOST_STRETCHES + 1].tolist()]
        self._apart = int(apart[-1])
