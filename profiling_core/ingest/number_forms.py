"""Turns numbers as people write them into numbers as programs do: ``€ 5``, ``12 %``, ``(3)``, ``7-``, ``1:30:00``.

A column is of numbers if all of its texts have one unit, or none, and mark negative numbers in one way. This form is
fixed with the column (:class:`profiling_core.model.number_form.NumberForm`); later texts are read by it alone.
"""

import re
from collections.abc import Collection
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.model.number_form import DURATION, PLAIN_FORM, SYMBOLS, UNITS, WORDS, NumberForm, Sign

Formed = StrEnum(  # type: ignore[misc]  # a member per unit and sign
    "Formed",
    {f"UNIT_{place}": f"numbers with unit {unit!r}" for place, unit in enumerate(UNITS)}
    | {f"SIGN_{sign.name}": f"negative numbers: {sign}" for sign in Sign},
)
"""Properties of how all numbers of a column are written, beside their type."""
FORMED = frozenset(Formed)
_OF_UNIT = dict(zip(UNITS, Formed, strict=False))
_OF_SIGN = dict(zip(Sign, list(Formed)[len(UNITS) :], strict=False))
PLAIN_FORMED = frozenset({_OF_UNIT[""], *_OF_SIGN.values()})
"""The properties of plain numbers without a negative one."""

BLANKS = " \t\u00a0\u2007\u2009\u202f"
_UNIT = "|".join(map(re.escape, sorted((*WORDS, *SYMBOLS), key=len, reverse=True)))
_MINUS = "[-\u2212]"
_SIGN = "[-+\u2212]"
_DIGITS = f"[0-9.,][0-9.,'\u2019{BLANKS}]*(?:[eE][-+]?[0-9]+)?"
_WRITTEN = (
    rf"^[{BLANKS}]*(?P<open>\(?)[{BLANKS}]*(?P<lead>{_SIGN}?)[{BLANKS}]*(?P<before>(?:{_UNIT})?)[{BLANKS}]*(?P<inner>{_MINUS}?)"
    rf"(?P<number>{_DIGITS})[{BLANKS}]*"
    rf"(?P<after>(?:{_UNIT})?)(?P<trail>{_MINUS}?)[{BLANKS}]*(?P<close>\)?)[{BLANKS}]*$"
)
BEGIN = f"[{BLANKS}(\u2212]|P[0-9T]|{_UNIT}"
"""Beginnings of numbers in forms that programs do not write, and that are rare in texts."""
_CLOCK = r"(?P<hours>[0-9]+):(?P<minutes>[0-5][0-9]):(?P<seconds>[0-5][0-9]([.,][0-9]{1,9})?)"
_DURATION = rf"[-+]?((?P<days>[0-9]+) days?,? )?{_CLOCK}"
_ISO_DURATION = (
    r"[-+]?P(?=[0-9T])((?P<days>[0-9]+)D)?"
    r"(T(?=[0-9])((?P<hours>[0-9]+)H)?((?P<minutes>[0-9]+)M)?((?P<seconds>[0-9]+([.,][0-9]{1,9})?)S)?)?"
)
_LIKE_DURATIONS = r"^[-+]?(P[0-9T]|([0-9]+ days?,? )?[0-9]+:[0-5][0-9]:[0-5][0-9])"
_UNDRESSED_DIFFERS = f"^[^-+.0-9]|[^0-9.]$|{_MINUS}[{BLANKS}]"
_NO_NUMBER = "·"
_FIRST = 2_000
_SECONDS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


class _Parsed(NamedTuple):
    """Texts split into numbers with a leading minus (null: no number), units, and the sign's form."""

    numbers: pa.Array
    units: pa.Array
    signs: pa.Array


def trimmed(texts: pa.Array) -> pa.Array:
    """Texts without blanks around them."""
    return pc.utf8_trim(texts, characters=BLANKS)


def _parsed(texts: pa.Array) -> _Parsed:
    found = pc.extract_regex(texts, _WRITTEN)
    part = {name: pc.fill_null(pc.struct_field(found, name), "") for name in re.compile(_WRITTEN).groupindex}
    there = {
        name: pc.not_equal(part[name], "") for name in ("open", "lead", "inner", "trail", "close", "before", "after")
    }
    marks = sum(
        there[name].cast(pa.int8()).to_numpy(zero_copy_only=False) for name in ("open", "lead", "inner", "trail")
    )
    right = pc.and_(pa.array(marks <= 1), pc.equal(there["open"], there["close"]))
    right = pc.and_(pc.and_(right, found.is_valid()), pc.invert(pc.and_(there["before"], there["after"])))
    leading = pc.or_(pc.and_(there["lead"], pc.not_equal(part["lead"], "+")), there["inner"])
    signs = pc.case_when(
        pc.make_struct(there["open"], there["trail"], leading),
        *(Sign.BRACKETS.value, Sign.TRAILING.value, Sign.LEADING.value, ""),
    )
    digits = trimmed(part["number"])
    numbers = pc.if_else(pc.equal(signs, ""), digits, pc.binary_join_element_wise("-", digits, ""))
    units = pc.binary_join_element_wise(part["before"], part["after"], "")
    parsed = _Parsed(pc.if_else(right, numbers, pa.nulls(1, pa.string())[0]), units, signs)
    return _with_durations(texts, parsed)


def _with_durations(texts: pa.Array, parsed: _Parsed) -> _Parsed:
    alike = pc.fill_null(pc.match_substring_regex(texts, _LIKE_DURATIONS), False)  # noqa: FBT003 -- a value
    if not pc.any(alike).as_py():
        return parsed
    seconds = pa.array([_seconds(text) for text in texts.filter(alike).to_pylist()], pa.string())
    negative = pc.fill_null(pc.starts_with(seconds, "-"), False)  # noqa: FBT003 -- a value
    signs = pc.if_else(negative, Sign.LEADING.value, "")
    units = pa.array([DURATION] * len(seconds), pa.string())
    new = (seconds, units, signs)
    return _Parsed(*(pc.replace_with_mask(old, alike, fresh) for old, fresh in zip(parsed, new, strict=True)))


def _seconds(text: str) -> str | None:
    """A duration's seconds as a number; None where the text is no duration."""
    found = re.fullmatch(_DURATION, text) or re.fullmatch(_ISO_DURATION, text)
    if found is None:
        return None
    parts = {unit: Decimal((found[unit] or "0").replace(",", ".")) for unit in _SECONDS}
    total = sum((number * _SECONDS[unit] for unit, number in parts.items()), Decimal())
    return f"{'-' if text.startswith('-') and total else ''}{total:f}"


def undressed(texts: pa.Array, form: NumberForm) -> pa.Array:
    """Texts in this form as numbers with their marks alone; texts in another form become no number."""
    if form == PLAIN_FORM and not pc.any(pc.match_substring_regex(texts, _UNDRESSED_DIFFERS)).as_py():
        return texts
    parsed = _parsed(texts)
    fits_unit = pc.equal(parsed.units, form.unit)
    fits_sign = pc.or_(pc.equal(parsed.signs, ""), pc.equal(parsed.signs, form.sign.value))
    if form.is_optional:
        fits_unit = pc.or_(fits_unit, pc.equal(parsed.units, ""))
    fits = pc.and_(parsed.numbers.is_valid(), pc.and_(fits_unit, fits_sign))
    return pc.if_else(pc.fill_null(fits, False), parsed.numbers, pc.binary_join_element_wise(texts, _NO_NUMBER, ""))  # noqa: FBT003 -- a value


def signs_of_plain(numbers: pa.Array) -> frozenset[Formed]:
    """The properties of plain numbers: no unit, and a minus in front if one is negative."""
    negative = pc.any(pc.starts_with(numbers, "-")).as_py()
    return frozenset({_OF_UNIT[""], _OF_SIGN[Sign.LEADING]}) if negative else PLAIN_FORMED


def taken_apart(texts: pa.Array) -> tuple[pa.Array, frozenset[Formed]]:
    """Numbers with their marks alone, and the properties of their form; the texts and no properties if there is none.

    Args:
        texts: distinct texts, without null.
    """
    nothing = (texts, frozenset[Formed]())
    parsed = _parsed(texts[:_FIRST])
    if parsed.numbers.null_count:
        return nothing
    parsed = _parsed(texts) if len(texts) > _FIRST else parsed
    units = pc.unique(parsed.units).to_pylist()
    signs = [sign for sign in pc.unique(parsed.signs).to_pylist() if sign]
    if parsed.numbers.null_count or len(units) != 1 or len(signs) > 1:
        return nothing
    marked = [_OF_SIGN[Sign(sign)] for sign in signs]
    return parsed.numbers, frozenset({_OF_UNIT[units[0]], *(marked or _OF_SIGN.values())})


def form_of(possible: Collection[str]) -> NumberForm | None:
    """The form of a column's numbers; None: several forms."""
    unit = next((unit for unit, formed in _OF_UNIT.items() if formed in possible), None)
    sign = next((sign for sign, formed in _OF_SIGN.items() if formed in possible), None)
    return None if unit is None or sign is None else NumberForm(unit, sign)


def commonest_form(texts: pa.Array) -> NumberForm:
    """The commonest form among the numbers of some texts."""
    parsed = _parsed(texts)
    there = parsed.numbers.is_valid()
    counts = pc.value_counts(parsed.units.filter(there)).to_pylist()
    signs = pc.value_counts(parsed.signs.filter(there)).to_pylist()
    unit = max(counts, key=lambda count: int(count["counts"]))["values"] if counts else ""
    marked = [count for count in signs if count["values"]]
    sign = Sign(max(marked, key=lambda count: int(count["counts"]))["values"]) if marked else Sign.LEADING
    return NumberForm(unit, sign)
