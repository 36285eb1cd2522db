"""Texts that equal others, or are cut from them, proposed from a sample."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.equations.other_values import cut
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.model.expression import PIECE, Cut, Linear

Texts = Mapping[str, Sequence[str | None]]
# Rows that a proposal needs.
_FEWEST = 8
LONGEST_CUT = 12
"""Characters that are cut from either end of a text by their number, at most; a setting."""
MOST_DIGITS = 8
"""Digits of a whole number with zeros in front, at most."""
Both = list[tuple[str, str]]


def text_proposals(
    texts: Texts, parts: Texts, pairs: Iterable[tuple[str, str]], budget: Budget = ENDLESS
) -> Iterator[Proposal]:
    """Proposals of expressions that text columns may equal.

    Args:
        texts: text columns by name, row by row.
        parts: the columns that may stand in them, as texts: the same text columns, and whole numbers.
        pairs: of ``parts``, which may be made from which.
        budget: when to end.
    """
    places = {name: place for place, name in enumerate(parts)}
    for target, source in budget.steps(pairs):
        both: Both = [
            (a, b) for a, b in zip(parts[target], parts[source], strict=True) if a is not None and b is not None
        ]
        if len(both) >= _FEWEST and target in texts and source in texts:
            yield from _simple(target, source, both, copies=places[source] < places[target])
        elif len(both) >= _FEWEST:
            # What stands within a text is a text that is written into it.
            yield from _cut_from(target, source, both, whole=target not in texts, within=source not in texts)


def _simple(target: str, source: str, both: Both, *, copies: bool) -> Iterator[Proposal]:
    if all(a == b for a, b in both):
        if copies:
            yield Proposal(target, Linear((("1", source),)))
        return
    yield from _cut_from(target, source, both)


def _cut_from(target: str, source: str, both: Both, *, whole: bool = False, within: bool = False) -> Iterator[Proposal]:
    """How a column is cut from another; ``whole``: it has whole numbers, without leading zeros."""
    for found in _cuts(source, both, whole=whole, within=within):
        if all(_is_cut(a, cut(found, b), whole=whole) for a, b in both):
            yield Proposal(target, found)
            return


def _is_cut(text: str, made: str | None, *, whole: bool) -> bool:
    if made is None or not whole:
        return made == text
    return made.isascii() and made.isdigit() and (made.lstrip("0") or "0") == text


def _cuts(source: str, both: Both, *, whole: bool, within: bool) -> Iterator[Cut]:
    """Candidates of how the row with the longest source is cut; a whole number may have had zeros in front.

    ``within``: also by characters within the source. The most digits come first: the fewest only tell how many numbers
    there are so far.
    """
    first, text = max(both, key=lambda pair: len(pair[1]))
    for part in (*(first.zfill(size) for size in range(MOST_DIGITS, len(first), -1) if whole), first):
        if not part or len(part) >= len(text):
            continue
        if text.startswith(part):
            yield from _of_two(Cut(source, "before", separator=text[len(part)]), Cut(source, "first", len(part)))
        if text.endswith(part):
            yield from _of_two(Cut(source, "after", separator=text[-len(part) - 1]), Cut(source, "last", len(part)))
        yield from _pieces(source, text, part)
        if within:
            places = (at for at in range(1, len(text) - len(part)) if text.startswith(part, at))
            yield from (Cut(source, "first", len(part), start=at) for at in places)


def _of_two(separated: Cut, counted: Cut) -> Iterator[Cut]:
    """The cut at a separator first; the cut by length first if the separator would be a letter or digit."""
    several = [counted] if counted.length <= LONGEST_CUT else []
    yield from [*several, separated] if separated.separator.isalnum() else [separated, *several]


def _pieces(source: str, text: str, part: str) -> Iterator[Cut]:
    """The cuts of a part between two separators."""
    for separator in dict.fromkeys(sign for sign in text if not sign.isalnum()):
        for place, piece in enumerate(text.split(separator)[1:-1], 2):
            if piece == part:
                yield Cut(source, PIECE, place, separator)


def stands_in(column: Sequence[str | None], texts: Sequence[str | None]) -> bool:
    """Whether each row's text contains the column's, in enough rows."""
    seen = 0
    for part, whole in zip(column, texts, strict=True):
        if part is None or whole is None:
            continue
        if part not in whole:
            return False
        seen += bool(part)
    return seen >= _FEWEST


def _complete(texts: Sequence[str | None], parts: Sequence[Sequence[str | None]]) -> Iterator[tuple[str, list[str]]]:
    """The rows without nulls: the text, and its parts."""
    for whole, *row in zip(texts, *parts, strict=True):
        known = [part for part in row if part is not None]
        if whole is not None and len(known) == len(parts):
            yield whole, known


def constants_between(parts: Sequence[Sequence[str | None]], texts: Sequence[str | None]) -> list[str] | None:
    """The constant texts before, between and after the parts in this order; None if they differ between rows."""
    rows = list(_complete(texts, parts))
    if len(rows) < _FEWEST:
        return None
    # Long parts leave few ways to place them in the whole text.
    between = _between(*max(rows, key=lambda row: min(map(len, row[1]))))
    if between is None or any(_joined_text(between, row) != text for text, row in rows):
        return None
    return between


def _between(whole: str, values: Sequence[str]) -> list[str] | None:
    """The texts before, between and after the values in a text; None if it does not contain them in this order."""
    between, start = [], 0
    for value in values:
        place = whole.find(value, start)
        if place < 0:
            return None
        between.append(whole[start:place])
        start = place + len(value)
    return [*between, whole[start:]]


def _joined_text(between: Sequence[str], values: Sequence[str]) -> str:
    return "".join(text + value for text, value in zip(between, [*values, ""], strict=True))
