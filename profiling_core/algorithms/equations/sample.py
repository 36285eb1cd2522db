"""The numbers that equations are proposed from: some rows that have a value in each of the columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.equations.judging import tolerance
from profiling_core.algorithms.equations.numbers import Array, Numbers, numbers_of
from profiling_core.model.expression import Precision

# Rows of a sample.
ROWS = 300
# Rows that are searched for gaps in columns, and the fewest rows that equations are proposed from.
_LOOKED_AT, _FEWEST = 6_000, 12
# Common patterns of gaps that get a sample of their own, at most.
_MOST_GAPS = 6
# Floats with more than MOST_DECIMALS decimals are measured, not written. With more than MOST_WRITTEN they may be
# rounded to significant digits instead, at most MOST_DIGITS.
MOST_DECIMALS, MOST_WRITTEN, MOST_DIGITS = 8, 4, 12
# The significant digits of single precision, and the relative error of such a number written out as a double.
_SINGLE_DIGITS, _WRITTEN_OUT = 7, 1e-14


@dataclass(frozen=True, eq=False)
class Sample:
    """``values``: float64[c, n], the ``names``' values in n rows; ``numbers``: the same by name, exact where possible.

    Per column, ``decimals`` is the number of digits after the point (None: too many), ``precision`` how precisely
    equations hold, and ``room`` float64[c, n] the approximate tolerance per row. ``targets`` are the positions of the
    columns that equations are searched for.
    """

    names: tuple[str, ...]
    numbers: Mapping[str, Numbers]
    values: NDArray[np.float64]
    decimals: tuple[int | None, ...]
    precision: tuple[Precision, ...]
    room: NDArray[np.float64]
    targets: tuple[int, ...]

    @property
    def rows(self) -> int:
        """The number of rows, n."""
        return int(self.values.shape[1])

    def at(self, rows: NDArray[np.int64]) -> "Sample":
        """Some of the rows, by their positions."""
        numbers = {name: one.at(rows) for name, one in self.numbers.items()}
        return replace(self, numbers=numbers, values=self.values[:, rows], room=self.room[:, rows])


def spread(rows: int, wanted: int) -> NDArray[np.int64]:
    """Sorted positions of some random rows, the same for the same number of rows."""
    if rows <= wanted:
        return np.arange(rows)
    return np.sort(np.random.default_rng(rows).choice(rows, wanted, replace=False))


def decimals_of(numbers: Numbers) -> int | None:
    """The digits after the point that suffice for all values; None: floats that need more than ``MOST_DECIMALS``."""
    if numbers.exact:
        return numbers.scale
    values = numbers.values[numbers.there]
    values = values[np.isfinite(values)]
    for digits in range(MOST_DECIMALS + 1):
        scaled = values * 10.0**digits
        wrong = np.abs(scaled - np.rint(scaled)) > np.maximum(1e-7, np.abs(scaled) * 1e-14)
        if not wrong.any():
            return digits
        if digits < MOST_DECIMALS:
            # Only values that need more digits are tried further.
            values = values[wrong]
    return None


def _digits_of(values: NDArray[np.float64]) -> int | None:
    """The significant digits that suffice for all values; None: more than ``MOST_DIGITS``."""
    values = values[np.isfinite(values) & (values != 0)]
    if len(values) and _are_single(values):
        return _SINGLE_DIGITS
    for digits in range(1, MOST_DIGITS + 1):
        scaled = values * 10.0 ** (digits - 1 - np.floor(np.log10(np.abs(values))))
        values = values[np.abs(scaled - np.rint(scaled)) > np.maximum(1e-5, np.abs(scaled) * 1e-14)]
        if not len(values):
            return digits
    return None


def _are_single(values: NDArray[np.float64]) -> bool:
    """Whether doubles are numbers of single precision that were written out: ``690.799987792969``."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32).astype(np.float64)
    return bool((np.abs(single - values) <= _WRITTEN_OUT * np.abs(values)).all())


class Written(NamedTuple):
    """How a column's numbers are written: with how many decimals, and how precisely equations hold of them."""

    decimals: int | None
    precision: Precision


def written_form(numbers: Numbers) -> Written:
    """How a column is written; floats with many decimals count as rounded to significant digits."""
    decimals = decimals_of(numbers)
    if numbers.exact or (decimals is not None and decimals <= MOST_WRITTEN):
        return Written(decimals, Precision(decimals))
    return Written(decimals, Precision(decimals, _digits_of(numbers.values[numbers.there])))


def samples(numbers: Mapping[str, Numbers], forms: Mapping[str, Written]) -> Iterator[Sample]:
    """Samples of rows in which columns have values together: of all columns, and of those that have gaps.

    Args:
        numbers: the columns of a table by name.
        forms: what :func:`written_form` says of each.
    """
    names = list(numbers)
    if not names:
        return
    size = len(numbers[names[0]].there)
    looked = spread(size, _LOOKED_AT)
    there = np.array([numbers[name].there[looked] for name in names])
    done: set[tuple[str, ...]] = set()
    for rows in _together(there):
        if len(rows) < _FEWEST:
            continue
        whole = [name for name, has in zip(names, there, strict=True) if has[rows].all()]
        kept = looked[rows[spread(len(rows), ROWS)]]
        sampled = {name: numbers[name].at(kept) for name in whole}
        varied = tuple(name for name in whole if varies(sampled[name]))
        if len(varied) > 1 and varied not in done:
            done.add(varied)
            yield sample_of(varied, sampled, forms)


def _together(there: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
    """Rows in which all columns have a value, then rows for common patterns of gaps."""
    patterns, counts = np.unique(there, axis=0, return_counts=True)
    yield np.flatnonzero(there.all(axis=0))
    full = [pattern for pattern in patterns[np.argsort(-counts, kind="stable")] if not pattern.all()]
    for pattern in full[: 4 * _MOST_GAPS]:
        yield np.flatnonzero(pattern)
    by_rows, counts = np.unique(there, axis=1, return_counts=True)
    for row in by_rows.T[np.argsort(-counts, kind="stable")][:_MOST_GAPS]:
        yield np.flatnonzero((there | ~row[:, None]).all(axis=0))


def varies(numbers: Numbers) -> bool:
    """Whether there is more than one distinct number, and all are finite."""
    return bool((numbers.values != numbers.values[0]).any()) and (
        numbers.exact or bool(np.isfinite(numbers.values).all())
    )


def sample_of(names: Sequence[str], numbers: Mapping[str, Numbers], forms: Mapping[str, Written]) -> Sample:
    """A sample of columns whose rows are chosen; a null is 0 in it."""
    values = np.array([numbers[name].doubles for name in names])
    precision = tuple(forms[name].precision for name in names)
    # Twice the values, since the summands of a sum or difference may be larger than it.
    room = np.array([tolerance(p, v, 2 * np.abs(v)) for p, v in zip(precision, values, strict=True)])
    return Sample(
        tuple(names),
        {name: numbers[name] for name in names},
        values,
        tuple(forms[name].decimals for name in names),
        precision,
        room,
        tuple(range(len(names))),
    )


def numeric_columns(rows: pa.Table, names: Sequence[str]) -> dict[str, Numbers]:
    """Those of these columns that are numeric, as numbers."""
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return {name: numbers_of(rows[name]) for name in names if any(kind(rows[name].type) for kind in kinds)}


def distinct_rows(arrays: Sequence[Array]) -> int:
    """How many distinct combinations of values the columns have."""
    codes = np.zeros(len(arrays[0]), np.int64)
    for array in arrays:
        _, inverse = np.unique(array.astype(np.float64) if array.dtype == object else array, return_inverse=True)
        _, codes = np.unique(codes * (int(inverse.max()) + 1) + inverse, return_inverse=True)
    return int(codes.max()) + 1 if len(codes) else 0
