"""Whether values that are all distinct so far are assigned, or only drawn from so large a range that none repeats.

Of n numbers drawn from a range of w about n²/2w pairs are equal (the birthday problem). If many pairs would be equal
and none is, the values are kept unique; the same holds for numbers that rise as they come. If few would be, the next
values may repeat by chance, unless the range is so wide that repeats are rare.
"""

from math import log, prod

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Assigned numbers rise in at least this share of the steps.
_MOSTLY = 0.9


def may_be_drawn(known: pa.ChunkedArray, come: pa.ChunkedArray, once_in: float) -> bool:
    """Whether equal values may come by chance, for whole numbers or codes of one length.

    Args:
        known: the values so far, in the order in which they came.
        come: those of the delta.
        once_in: in one of this many deltas a repeat by chance is accepted.
    """
    known, come = known.drop_null(), come.drop_null()
    kinds = _kinds(pa.chunked_array([*known.chunks, *come.chunks]))
    if not len(known) or kinds is None or _rises(known):
        return False
    kept = len(known) * (len(known) - 1) / 2 / kinds >= log(once_in)
    same = (len(known) + len(come) / 2) * len(come) / kinds
    return not kept and same * once_in >= 1


def _kinds(values: pa.ChunkedArray) -> float | None:
    """The size of the range that values may be drawn from; None: unknown, as for texts of several lengths."""
    if pa.types.is_integer(values.type):
        ends = pc.min_max(values)
        return float(ends["max"].as_py() - ends["min"].as_py() + 1)
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return None
    codes = pc.unique(values).to_pylist()
    if len({len(code) for code in codes}) > 1:
        return None
    return float(prod(len(set(letters)) for letters in zip(*codes, strict=True)))


def _rises(values: pa.ChunkedArray) -> bool:
    numbers = pc.rank(values.combine_chunks(), tiebreaker="dense").to_numpy().astype(np.int64)
    return len(numbers) > 1 and bool((np.diff(numbers) > 0).mean() >= _MOSTLY)
