"""Whether values that all differ so far are given out, or as if drawn from so many that hardly two are the same.

Of n numbers drawn from a range of w about n²/2w pairs are the same (the problem of birthdays). Where many would be and
none is, somebody sees to it; so they do where numbers rise as they come. Where few would be, the next ones may be the
same by chance, unless the range is so wide that hardly any two ever are.
"""

from math import log, prod

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# What is given out one after the other rises in so many of the steps.
_MOSTLY = 0.9


def may_be_drawn(known: pa.ChunkedArray, come: pa.ChunkedArray, once_in: float) -> bool:
    """Whether two that are the same are no wonder: whole numbers, or codes of one length.

    Args:
        known: the values so far, in the order in which they came.
        come: those of the delta.
        once_in: the deltas of which one may bring two that are the same by chance.
    """
    known, come = known.drop_null(), come.drop_null()
    kinds = _kinds(pa.chunked_array([*known.chunks, *come.chunks]))
    if not len(known) or kinds is None or _rises(known):
        return False
    kept = len(known) * (len(known) - 1) / 2 / kinds >= log(once_in)
    same = (len(known) + len(come) / 2) * len(come) / kinds
    return not kept and same * once_in >= 1


def _kinds(values: pa.ChunkedArray) -> float | None:
    """From how many values they may be drawn; None: of texts of several lengths, and other types, nobody can say."""
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
