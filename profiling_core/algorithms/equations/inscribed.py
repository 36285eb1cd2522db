"""Codes that contain a text: a region's first letters in front, a country after ``INV-``."""

from collections.abc import Iterator

from profiling_core.algorithms.budget import ENDLESS, Budget
from profiling_core.algorithms.equations.other_values import cased
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.texts import Texts
from profiling_core.model.expression import WHOLE, Inscribed

# First characters of a text that are tried, at most; rows, and distinct texts, that a proposal needs.
_LONGEST, _FEWEST, _LEAST_KINDS = 4, 8, 2
_CASES = ("", "upper", "lower")
_Both = list[tuple[str, str]]


def inscribed(texts: Texts, parts: Texts, budget: Budget = ENDLESS) -> Iterator[Proposal]:
    """Proposals of codes that contain another column's text, at one place in all rows; whole texts first.

    Args:
        texts: text columns by name, row by row.
        parts: the columns that may stand in them, as texts: the same text columns, and whole numbers.
        budget: when to end.
    """
    for code, values in budget.steps(texts.items()):
        for name, column in budget.steps(parts.items()):
            both = [(a, b) for a, b in zip(values, column, strict=True) if a is not None and b is not None]
            if name != code and len(both) >= _FEWEST and _tells_more(both):
                found = next(_of(code, name, both), None)
                if found is not None:
                    yield Proposal(code, found)


def _tells_more(both: _Both) -> bool:
    """Whether there are more distinct codes than distinct texts."""
    codes, texts = ({pair[side] for pair in both} for side in (0, 1))
    return len(codes) > len(texts)


def _of(code: str, name: str, both: _Both) -> Iterator[Inscribed]:
    for length in (WHOLE, *range(_LONGEST, 0, -1)):
        for case in _CASES:
            start = _place(both, length, case)
            if start is not None:
                yield Inscribed(code, name, length, case, start)


def _place(both: _Both, length: int, case: str) -> int | None:
    """The position at which the first ``length`` characters of the text stand in all codes; None: there is none."""
    made: _Both = []
    for text, whole in both:
        part = cased(whole if length == WHOLE else whole[:length], case)
        if part not in text or not part or len(part) == len(text) or (length != WHOLE and not part.isalpha()):
            return None
        made.append((text, part))
    if len({part for _, part in made}) < _LEAST_KINDS:
        return None
    text, part = min(made, key=lambda pair: pair[0].count(pair[1]))
    places = (i for i in range(len(text)) if text.startswith(part, i))
    return next((i for i in places if all(a.startswith(b, i) for a, b in made)), None)
