"""Numbers as people write them, from docs/semantics.md, "Values": character by character, one text at a time."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

BLANKS = " \u00a0"
MINUS = "-\u2212"


class Written(NamedTuple):
    """What one text says: the number, its unit, and how it is negative (empty: it is not)."""

    number: Decimal
    unit: str
    sign: str


def written(text: str, units: Sequence[str]) -> Written | None:
    """A text as a number with a unit before or behind it; None: it is no number."""
    rest, signs = text.strip(BLANKS), []
    if rest.startswith("(") != rest.endswith(")"):
        return None
    if rest.startswith("("):
        rest, signs = rest[1:-1].strip(BLANKS), ["brackets"]
    rest, unit, signs = _taken_off(rest, units, signs)
    plain = rest.count(".") <= 1 and rest.replace(".", "").isdigit() and rest.isascii()
    if not plain or len(signs) > 1:
        return None
    number = Decimal(rest)
    return Written(-number if signs and signs != ["plus"] else number, unit, "".join(signs).replace("plus", ""))


def _taken_off(rest: str, units: Sequence[str], signs: list[str]) -> tuple[str, str, list[str]]:
    if rest[:1] in (*MINUS, "+"):
        signs = [*signs, "plus" if rest[0] == "+" else "leading"]
        rest = rest[1:].strip(BLANKS)
    if rest and rest[-1] in MINUS:
        rest, signs = rest[:-1], [*signs, "trailing"]
    for unit in sorted(units, key=len, reverse=True):
        if rest.startswith(unit) and unit:
            rest = rest[len(unit) :].strip(BLANKS)
            if rest[:1] and rest[0] in MINUS:
                rest, signs = rest[1:], [*signs, "leading"]
            return rest, unit, signs
        if rest.endswith(unit) and unit:
            return rest[: -len(unit)].strip(BLANKS), unit, signs
    return rest, "", signs


def numbers(texts: Sequence[str], units: Sequence[str]) -> list[Decimal] | None:
    """The numbers of a column; None: it is text."""
    found = [written(text, units) for text in texts]
    if not all(found):
        return None
    there = [one for one in found if one]
    signs = {one.sign for one in there if one.sign}
    if len({one.unit for one in there}) != 1 or len(signs) > 1:
        return None
    return [one.number for one in there]
