"""Figures of a column's values, from which its role is inferred."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from profiling_core.algorithms.values.arrow_buffers import doubles
from profiling_core.model.schema import Column
from profiling_core.model.types import LogicalType, TypeClass

MOST_SCALE = 6
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True, slots=True)
class Figures:
    """A column in figures: ``rows``, of them ``present`` with a value, and ``distinct`` values.

    Of numbers: ``whole`` (no fractions), ``low`` and ``high``, ``scale`` (digits after the point that all values need,
    None beyond :data:`MOST_SCALE`). Of texts: ``shortest`` and ``longest`` in characters, ``spaced`` the share of
    values with a space, ``digits`` the share that are nothing but digits, ``leading`` whether one of these begins with
    zero. Of points in time: ``midnight``, whether all are whole days. ``days``: whether all
    numbers are days in digits. ``some``: two of the values as text.
    """

    rows: int
    present: int
    distinct: int
    whole: bool = False
    low: float = 0.0
    high: float = 0.0
    scale: int | None = None
    shortest: int = 0
    longest: int = 0
    spaced: float = 0.0
    digits: float = 0.0
    leading: bool = False
    midnight: bool = False
    days: bool = False
    some: tuple[str, ...] = ()

    @property
    def is_unique(self) -> bool:
        """Whether no value comes twice, and there is more than one."""
        return self.distinct == self.present > 1

    @property
    def each(self) -> float:
        """How often a value comes on average."""
        return self.present / self.distinct if self.distinct else 0.0


def figures_of(values: pa.ChunkedArray, column: Column) -> Figures:
    """The figures of a column's values, in the Arrow type of its logical type."""
    there = values.drop_null().combine_chunks()
    if isinstance(there, pa.ChunkedArray):  # of no chunk at all
        there = pa.concat_arrays(there.chunks) if there.num_chunks else pa.array([], values.type)
    counted = (len(values), len(there), pc.count_distinct(there).as_py() if len(there) else 0)
    kind = column.type.type_class
    if not len(there):
        return Figures(*counted)
    if kind is TypeClass.NUMERIC:
        return _of_numbers(counted, doubles(there).to_numpy(zero_copy_only=False))
    if kind is TypeClass.STRING:
        return _of_texts(counted, there)
    if column.type is LogicalType.TIMESTAMP:
        at = there.cast(pa.int64()).to_numpy(zero_copy_only=False)
        return Figures(*counted, midnight=bool((at % _DAY == 0).all()))
    return Figures(*counted, midnight=True)


def _of_numbers(counted: tuple[int, int, int], values: NDArray[np.float64]) -> Figures:
    scale = scale_of(values)
    whole, low, high = scale == 0, float(values.min()), float(values.max())
    return Figures(*counted, whole=whole, low=low, high=high, scale=scale, days=whole and _are_days(values))


def _are_days(values: NDArray[np.float64]) -> bool:
    """Whether whole numbers are days as 20240131 is one."""
    _, rest = np.divmod(values, 10_000)
    months, days = np.divmod(rest, 100)
    return bool(((months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)).all())


def scale_of(values: NDArray[np.float64]) -> int | None:
    """The digits after the decimal point that all values have at most; None: more than :data:`MOST_SCALE`."""
    if not np.isfinite(values).all():
        return None
    for scale in range(MOST_SCALE + 1):
        if np.allclose(values, np.round(values, scale), rtol=1e-12, atol=10.0 ** -(scale + 5)):
            return scale
    return None


def _of_texts(counted: tuple[int, int, int], values: pa.Array) -> Figures:
    lengths = pc.utf8_length(values)
    some = pc.unique(values[:100]).to_pylist()[:3]
    digits = pc.match_substring_regex(values, "^[0-9]+$")
    return Figures(
        *counted,
        shortest=pc.min(lengths).as_py(),
        longest=pc.max(lengths).as_py(),
        spaced=_share(pc.match_substring(values, " ")),
        digits=_share(digits),
        leading=bool(pc.any(pc.match_substring_regex(values, "^0[0-9]+$")).as_py()),
        some=tuple(some),
    )


def _share(found: pa.Array) -> float:
    return float(pc.mean(found.cast(pa.float64())).as_py())
