"""Columns that have their values together: in each row all of them are there, or none is."""

from collections.abc import Iterator, Sequence
from math import log10

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.conditions.categories import Candidate
from profiling_core.algorithms.conditions.judging import there
from profiling_core.model.consequent import Present

# Of columns that all come together so many are said to do so: what a whole form left open is one fact.
_MOST_BESIDE_ONE = 4


def together(rows: pa.Table, names: Sequence[str]) -> Iterator[Candidate]:
    """The first of the columns that have their values in the same rows, with each of the others."""
    first: dict[bytes, str] = {}
    told: dict[str, int] = {}
    for name in names:
        if not rows[name].null_count and not pa.types.is_floating(rows[name].type):
            continue
        has = there(rows[name])
        share = float(has.mean())
        if not 0 < share < 1:
            continue
        one = first.setdefault(np.packbits(has).tobytes(), name)
        if one == name or told.get(one, 0) >= _MOST_BESIDE_ONE:
            continue
        told[one] = told.get(one, 0) + 1
        improbable = -len(has) * (share * log10(share) + (1 - share) * log10(1 - share))
        yield Candidate(one, (), Present(name, there=True), both_ways=True, surprise=improbable)
