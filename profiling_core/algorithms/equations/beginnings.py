"""Texts put together of other columns, or of their first or last characters: full names, initials, a year's digits."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from profiling_core.algorithms.budget import ENDLESS, STEP, Budget
from profiling_core.algorithms.equations.other_values import cased
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.texts import LONGEST_CUT, MOST_DIGITS, Texts, constants_between, stands_in
from profiling_core.model.expression import LAST, WHOLE, Abridged, Joined

# Columns that a text is put together from, and columns that are tried as its parts, at most; settings: with them there
# are 6!/2! = 360 orders of four parts.
_MOST_PARTS = 4
_MOST_HOLDERS = 6
# A beginning or end with one value is a constant.
_LEAST_KINDS = 2
_CASES = ("", "upper", "lower")


class _Piece(NamedTuple):
    """A possible part of a text: characters of a column, row by row; ``length`` as in :class:`Abridged`."""

    name: str
    length: int
    values: Sequence[str | None]


def beginnings(texts: Texts, parts: Texts, budget: Budget = ENDLESS) -> Iterator[Proposal]:
    """Proposals of text columns that are put together from other columns, or from their beginnings.

    Args:
        texts: text columns by name, row by row.
        parts: the columns that may stand in them, as texts: the same text columns, and whole numbers.
        budget: when to end.
    """
    for target, values in budget.steps(texts.items(), len(parts) * STEP):
        for case in _cases(values):
            others = {n: [v if v is None else cased(v, case) for v in c] for n, c in parts.items() if n != target}
            plain = {n for n, c in others.items() if list(c) == list(parts[n])}
            found = next(_abridged(values, others, case), None)
            if found is not None and not (case and plain.issuperset(found.columns)):
                yield Proposal(target, found)
                break


def _cases(values: Sequence[str | None]) -> Iterator[str]:
    """The letter cases that all values have; the empty one stands for "as written"."""
    yield ""
    for case in _CASES[1:]:
        if all(value is None or value == cased(value, case) for value in values):
            yield case


def _abridged(
    values: Sequence[str | None], others: Mapping[str, Sequence[str | None]], case: str
) -> Iterator[Abridged | Joined]:
    pieces = [piece for name, column in others.items() if (piece := _longest(name, column, values))]
    pieces = sorted(pieces, key=_by_length)[:_MOST_HOLDERS]
    for size in range(min(_MOST_PARTS, len(pieces)), 0, -1):
        for chosen in combinations(pieces, size):
            for order in permutations(chosen):
                made = _made(order, values, case)
                if made is not None:
                    yield made


def _by_length(piece: _Piece) -> int:
    """The sort key: numbers with zeros and whole columns first, then the most characters."""
    return -(piece.length % LAST) if piece.length > 0 else piece.length - LONGEST_CUT


def _longest(name: str, column: Sequence[str | None], values: Sequence[str | None]) -> _Piece | None:
    """The longest form of a column that occurs in each row's text: a number with zeros, the whole, or either end.

    Where all rows with a text have one value of the column, it is a constant of the texts.
    """
    if not _varies(column, values):
        return None
    for digits in _digits_of(column):
        filled = [v if v is None else v.zfill(digits) for v in column]
        if stands_in(filled, values):
            return _Piece(name, -digits, filled)
    if stands_in(column, values):
        return _Piece(name, WHOLE, column)
    longest = min(LONGEST_CUT, max((len(v) for v in column if v), default=0) - 1)
    ends = (_ends(name, column, size) for size in range(longest, 0, -1))
    return next((piece for both in ends for piece in both if _tells(piece, values)), None)


def _ends(name: str, column: Sequence[str | None], size: int) -> Iterator[_Piece]:
    """The first, and the last, characters of a column; one last character is too often there by chance."""
    yield _Piece(name, size, [None if v is None else v[:size] for v in column])
    if size > 1:
        yield _Piece(name, LAST + size, [None if v is None else v[-size:] for v in column])


def _tells(piece: _Piece, values: Sequence[str | None]) -> bool:
    """Whether a piece stands in each row's text, and is no constant."""
    return _varies(piece.values, values) and stands_in(piece.values, values)


def _varies(column: Sequence[str | None], texts: Sequence[str | None]) -> bool:
    """Whether the rows with a text have several values of a column."""
    return len({part for part, text in zip(column, texts, strict=True) if part and text is not None}) >= _LEAST_KINDS


def _digits_of(column: Sequence[str | None]) -> range:
    """How many digits numbers may have with zeros in front, from the most on; none for other texts."""
    there = [value for value in column if value]
    if not there or not all(value.isascii() and value.isdigit() for value in there):
        return range(0)
    return range(MOST_DIGITS, min(map(len, there)), -1)


def _made(order: Sequence[_Piece], values: Sequence[str | None], case: str) -> Abridged | Joined | None:
    between = constants_between([piece.values for piece in order], values)
    whole = not case and all(piece.length == WHOLE for piece in order)
    # A single uncut column without constant text is a copy, or the same text in another case.
    copy = len(order) == 1 and order[0].length >= WHOLE and not case
    if between is None or (copy and not any(between)):
        return None
    parts: list[tuple[int, str]] = []
    for text, piece in zip(between, [*order, None], strict=True):
        parts += [(0, text)] if text else []
        parts += [(piece.length, piece.name)] if piece else []
    return Joined(tuple((bool(length), text) for length, text in parts)) if whole else Abridged(tuple(parts), case)
