"""What violating rows have in common: the value that they share and that chance explains least.

Where k of n violating rows have a value that a share p of all arrived rows has, chance alone gives k or more with the
probability P(X ≥ k), X ~ Binomial(n, p). The value with the least such probability is told if it is small enough for
as many columns as were looked at (Bonferroni), and if most of the violating rows have it, or half of them and most rows
with it violate: where a field is often empty, the rows of a source that never fills it are told from the others.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.model.diagnosis import Concentration
from profiling_core.model.texts import value_text

# A group explains four of five of the violating rows, or of its own rows: others may be wrong for another reason. A
# group with fewer than half of the violating rows is not the reason of most.
_MOST = 0.8
_HALF = 0.5
_LEAST_ROWS = 3
_UNLIKELY = 0.001
Counted = Callable[[str, str | None], tuple[int, int] | None]


def most_common(violating: pa.Table, columns: Sequence[str]) -> dict[str, tuple[pa.Scalar, int]]:
    """Per column the value that half of the violating rows have, with their number; columns without one go."""
    found = {}
    for name in columns:
        counts = violating[name].value_counts()
        if not len(counts):
            continue
        top = pc.index(counts.field(1), pc.max(counts.field(1))).as_py()
        count = counts.field(1)[top].as_py()
        if count >= max(_LEAST_ROWS, _HALF * violating.num_rows):
            found[name] = (counts.field(0)[top], count)
    return found


def of_some(rows: pa.Table, some: npt.NDArray[np.bool_], columns: Sequence[str]) -> Concentration | None:
    """What some of the rows that arrived have in common in one of these columns.

    Args:
        rows: n rows.
        some: bool[n].
        columns: the columns that may tell them apart.
    """
    of_these = rows.filter(pa.array(some))
    common = most_common(of_these, columns)
    usual = {name: having(rows[name], value) for name, (value, _) in common.items()}
    return least_likely(shared(common, of_these.num_rows, usual, rows.num_rows))


def of_a_table(rows: pa.Table, columns: Sequence[str], counted: Counted) -> Concentration | None:
    """What all of some rows have in common in one of these columns, beside all rows of their table.

    Args:
        rows: the rows.
        columns: the columns that may tell them apart.
        counted: by column and value how many rows of the table have it, and how many have any; None: it is unknown.
    """
    number = rows.num_rows
    common = ((name, value_text(v.as_py())) for name, (v, n) in most_common(rows, columns).items() if n == number)
    known = ((name, value, counted(name, value)) for name, value in common)
    return least_likely([Concentration(name, value, number, number, *of) for name, value, of in known if of])


def shared(
    common: Mapping[str, tuple[pa.Scalar, int]], violating: int, usual: Mapping[str, int], arrived: int
) -> list[Concentration]:
    """The candidates, one per column, with how usual each is among the rows that arrived."""
    return [
        Concentration(name, value_text(value.as_py()), count, violating, usual[name], arrived)
        for name, (value, count) in common.items()
    ]


def having(values: pa.ChunkedArray, value: pa.Scalar) -> int:
    """How many are this value, or null where it is."""
    there = pc.equal(values, value) if value.is_valid else pc.is_null(values)
    return int(pc.sum(there).as_py() or 0)


def least_likely(candidates: Sequence[Concentration]) -> Concentration | None:
    """Of the candidates, one per column, the one that chance explains least; None where chance may explain it."""
    scored = [(_log_probability(c), c.column, c) for c in candidates if c.rows >= _MOST * min(c.violating, c.usual)]
    best = min(scored, key=lambda s: s[:2], default=None)
    if best is None or best[0] > math.log(_UNLIKELY / len(scored)):
        return None
    return best[2]


def _log_probability(found: Concentration) -> float:
    """Log P(X ≥ k) for X ~ Binomial(n, p), with p from the rows that arrived."""
    n, k = found.violating, found.rows
    p = min(1.0, found.usual / max(1, found.arrived))
    if p >= 1.0:
        return 0.0
    if p <= 0.0:
        return -math.inf
    terms = [_log_choose(n, i) + i * math.log(p) + (n - i) * math.log1p(-p) for i in range(k, n + 1)]
    highest = max(terms)
    return min(0.0, highest + math.log(sum(math.exp(term - highest) for term in terms)))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
