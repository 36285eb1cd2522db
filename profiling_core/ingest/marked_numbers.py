"""Turns numbers with a decimal comma or thousands marks into plain ones: 1.234,50 becomes 1234.50."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.model.number_marks import DECIMALS, PLAIN, THOUSANDS, Marks

# Blanks as people and programs write them between digits: plain, no-break, thin, narrow no-break.
_WRITTEN: Mapping[str, str] = MappingProxyType(
    {",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]", "": ""}
)
DIGITS_AND_MARKS = "^[+-]?[0-9][0-9.,' \u00a0\u2009\u202f\u2019]*$"
EVERY = tuple(Marks(decimal, mark) for mark in THOUSANDS for decimal in DECIMALS if decimal != mark)
"""All ways to write numbers, those with fewer marks first."""


def _grouped(marks: Marks) -> str:
    """Numbers in groups of three digits, or as in 12,34,567 of two before the last three, without a leading zero."""
    mark = _WRITTEN[marks.thousands]
    threes = rf"[1-9][0-9]{{0,2}}({mark}[0-9]{{3}})+"
    twos = rf"[1-9][0-9]?({mark}[0-9]{{2}})+{mark}[0-9]{{3}}"
    return rf"^[+-]?({threes}|{twos})({_WRITTEN[marks.decimal]}[0-9]*)?$"


def plain_numbers(texts: pa.Array, marks: Marks) -> pa.Array:
    """Texts without their marks; a mark in a wrong place stays, and the text is no number."""
    if marks == PLAIN:
        return texts
    if marks.thousands:
        grouped = pc.match_substring_regex(texts, _grouped(marks))
        if pc.any(grouped).as_py():
            together = pc.replace_substring_regex(texts, _WRITTEN[marks.thousands], "")
            texts = pc.if_else(pc.fill_null(grouped, False), together, texts)  # noqa: FBT003 -- a value
    if marks.decimal == ",":
        # A point that was in the text must not become a decimal point.
        texts = pc.replace_substring(pc.replace_substring(texts, ".", "·"), ",", ".")
    return texts


def is_marked(text: str) -> bool:
    """Whether a text consists of digits and marks of numbers, with at least one mark."""
    return re.match(DIGITS_AND_MARKS, text) is not None and not text.isdigit()


def others(marks: Marks) -> Iterator[tuple[Marks, str]]:
    """Other ways to write numbers, fewer marks first, each with the settings that choose it."""
    for other in EVERY:
        said = [f'decimal: "{other.decimal}"'] if other.decimal != marks.decimal else []
        said += [f'thousands: "{other.thousands}"'] if other.thousands != marks.thousands else []
        if said:
            yield other, " and ".join(said)
