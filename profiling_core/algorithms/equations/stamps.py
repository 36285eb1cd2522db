"""Codes into which a date is written, proposed from a sample: ``INV-202401-0007``, ``2024-W05``, ``L240131A``."""

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.equations.other_values import written_date
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.model.expression import Stamped

# The longest first: of what is written as a day the month is, too.
_PATTERNS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d%m%Y", "%y%m%d", "%d%m%y", "%G-W%V", "%GW%V", "%Y-%m", "%Y/%m", "%Y%m"),
    *("%G%V", "%Y%j", "%y%j", "%m%Y", "%y-%m", "%y%m", "%y%V", "%m%d", "%Y", "%y"),
)
# Two digits stand in a code of many by chance, unless the code's rows say otherwise, of which there are to be some.
_FEWEST, _LEAST_KINDS = 8, 2
PATTERNS = len(_PATTERNS)


def stamps(codes: Mapping[str, Sequence[str | None]], dates: Mapping[str, pa.ChunkedArray]) -> Iterator[Proposal]:
    """What codes have of a date in them, at the same place in each row.

    Args:
        codes: texts, and whole numbers as they are written, row by row.
        dates: columns of dates and moments, of the same rows.
    """
    for pattern in _PATTERNS:
        for date, column in dates.items():
            written = _without_gaps(written_date(pattern, column.combine_chunks()))
            for code, texts in codes.items():
                both = [(a, b) for a, b in zip(texts, written, strict=True) if a is not None and b is not None]
                if len(both) < _FEWEST or len({b for _, b in both}) < _LEAST_KINDS:
                    continue
                start = _place(both)
                if start is not None and not (start == 0 and all(a == b for a, b in both) and pattern == "%Y"):
                    yield Proposal(code, Stamped(code, date, pattern, start))


def _without_gaps(written: pa.Array) -> list[str | None]:
    """Texts of years with four digits, as all writings in codes have them."""
    texts: list[str | None] = pc.if_else(
        pc.starts_with(written, "-"), pa.scalar(None, written.type), written
    ).to_pylist()
    return texts


def _place(both: Sequence[tuple[str, str]]) -> int | None:
    """Where a date stands in all codes: so many characters behind, or (below zero) from the end on."""
    code, written = min(both, key=lambda pair: pair[0].count(pair[1]))
    found = [i for i in range(len(code) - len(written) + 1) if code.startswith(written, i)]
    for start in found:
        if all(b == a[start : start + len(b)] for a, b in both):
            return start
    for start in (i - len(code) for i in found):
        if all(len(a) >= -start and b == a[len(a) + start : len(a) + start + len(b)] for a, b in both):
            return start
    return None
