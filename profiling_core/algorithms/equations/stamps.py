"""Codes that contain a date, proposed from a sample: ``INV-202401-0007``, ``2024-W05``, ``2023/24``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, date
from types import MappingProxyType

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.model.expression import Stamped, written_pieces

# The longest first, since a code that contains a day also contains its month.
_PATTERNS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d%m%Y", "%y%m%d", "%d%m%y", "%G-W%V", "%GW%V", "%G/%V"),
    *("%Y-%m", "%Y/%m", "%Y%m"),
    *("%Y-Q%q", "%YQ%q", "%Y Q%q", "%Y/Q%q", "Q%q %Y", "Q%q-%Y", "Q%q/%Y", "%yQ%q", "%Y-%q"),
    *("%G%V", "%Y%j", "%y%j", "%m%Y", "%y-%m", "%y%m", "%y%V", "%m%d", "%Y", "%y", "%q"),
)
_WAYS = tuple((pattern, tuple(written_pieces(pattern))) for pattern in _PATTERNS)
TRIED = len(_WAYS)
"""How many ways of writing a date are tried."""
# Patterns that, if they are the whole code, are already found as parts of the date.
_PARTS = ("%Y", "%q")
# Fewest rows, and fewest distinct dates, that are evidence for a date in a code: two digits match by chance.
_FEWEST, _LEAST_KINDS = 8, 2
_DIGITS = frozenset("0123456789")
_WRITTEN: Mapping[str, Callable[[date], str]] = MappingProxyType(
    {
        "%Y": lambda day: f"{day.year:04d}",
        "%y": lambda day: f"{day.year % 100:02d}",
        "%q": lambda day: str((day.month + 2) // 3),
        "%m": lambda day: f"{day.month:02d}",
        "%d": lambda day: f"{day.day:02d}",
        "%j": lambda day: f"{day.timetuple().tm_yday:03d}",
        "%G": lambda day: f"{day.isocalendar().year:04d}",
        "%V": lambda day: f"{day.isocalendar().week:02d}",
    }
)


def stamps(
    codes: Mapping[str, Sequence[str | None]], dates: Mapping[str, pa.ChunkedArray], budget: Budget = ENDLESS
) -> Iterator[Proposal]:
    """Proposals of codes that contain a date, at the same place in each row.

    Args:
        codes: texts, and whole numbers as they are written, row by row.
        dates: columns of dates and moments, of the same rows.
        budget: when to end.
    """
    likely = {name: texts for name, texts in codes.items() if all(t is None or _DIGITS & {*t} for t in texts)}
    found: list[tuple[int, Proposal]] = []
    for day, column in dates.items():
        days = _days(column)
        for code in budget.steps(likely, TRIED * len(days)):
            found += _of_two(code, likely[code], day, days)
    yield from (proposal for _, proposal in sorted(found, key=lambda one: one[0]))


def _of_two(
    code: str, texts: Sequence[str | None], day: str, days: Sequence[date | None]
) -> Iterator[tuple[int, Proposal]]:
    """The ways in which a code contains a day, by their places."""
    for place, (pattern, pieces) in enumerate(_WAYS):
        both = _both(texts, days, pieces)
        start = _place(both)
        if start is not None and not _is_part(pattern, both):
            yield place, Proposal(code, Stamped(code, day, pattern, start))


def _is_part(pattern: str, both: Sequence[tuple[str, str]]) -> bool:
    """Whether the column is nothing but a part of the date, which is found as that part."""
    return pattern in _PARTS and all(code == written for code, written in both)


def _days(column: pa.ChunkedArray) -> list[date | None]:
    """The days of years that Python's dates have; None for others."""
    days = column.cast(pa.date32())
    years = pc.year(days)
    near = pc.and_(pc.greater_equal(years, MINYEAR), pc.less_equal(years, MAXYEAR))
    found: list[date | None] = pc.if_else(near, days, pa.scalar(None, pa.date32())).to_pylist()
    return found


def _both(codes: Sequence[str | None], days: Sequence[date | None], pieces: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of code and written date; none if a code lacks its date, or rows or dates are few."""
    both = []
    for code, day in zip(codes, days, strict=True):
        if code is not None and day is not None:
            written = _written(pieces, day)
            if written not in code:
                return []
            both.append((code, written))
    return both if len(both) >= _FEWEST and len({written for _, written in both}) >= _LEAST_KINDS else []


def _written(pieces: Sequence[str], day: date) -> str:
    return "".join(_WRITTEN[piece](day) if piece in _WRITTEN else piece for piece in pieces)


def _place(both: Sequence[tuple[str, str]]) -> int | None:
    """The position of the date in all codes, or below zero its position from the end; None: it differs."""
    if not both:
        return None
    code, written = min(both, key=lambda pair: pair[0].count(pair[1]))
    found = [i for i in range(len(code) - len(written) + 1) if code.startswith(written, i)]
    for start in found:
        if all(b == a[start : start + len(b)] for a, b in both):
            return start
    for start in (i - len(code) for i in found):
        if all(len(a) >= -start and b == a[len(a) + start : len(a) + start + len(b)] for a, b in both):
            return start
    return None
