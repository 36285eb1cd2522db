"""Turns days as people write them into ISO: 1.5.2024, 2024-5-1, 31-May-2024, May 31, 2024. Text after the day stays."""

import calendar
import re
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

_FIRST = 2_000
_LIKE_DAYS = r"^([0-9]{1,4}[-/. ]|[A-Za-z]{3,9}\.? [0-9]{1,2},? [0-9]{4})"
_MONTHS = {
    name.lower(): number
    for number in range(1, 13)
    for name in (calendar.month_name[number], calendar.month_abbr[number])
} | {"sept": 9}
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
BEGIN = "[JFMASOND][a-z]{2,8}[.]? [0-9]"
"""The beginning of days that begin with the name of a month."""
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?P<year>[0-9]{4})(?P<mark>[-/])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})(?![0-9])",
        r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4})(?![0-9])",
        rf"(?P<day>[0-9]{{1,2}})(?:\.? |-)(?P<name>{_NAME})\.?(?: |-)(?P<year>[0-9]{{4}})(?![0-9])",
        rf"(?P<name>{_NAME})\.? (?P<day>[0-9]{{1,2}}),? (?P<year>[0-9]{{4}})(?![0-9])",
    )
)


def like_days(texts: pa.Array) -> bool:
    """Whether the first texts all look as if they began with days."""
    return pc.all(pc.match_substring_regex(texts[:_FIRST], _LIKE_DAYS)).as_py() is not False


def with_iso_days(texts: pa.Array) -> pa.Array:
    """Distinct texts; those that begin with a day have it in ISO form, others stay as they are."""
    return pa.array([None if text is None else _iso(text) for text in texts.to_pylist()], pa.string())


@lru_cache(1 << 16)
def _iso(text: str) -> str:
    for form in _FORMS:
        if found := form.match(text):
            parts = found.groupdict()
            month = _MONTHS[parts["name"].lower()] if "name" in parts else int(parts["month"])
            return f"{parts['year']}-{month:02}-{int(parts['day']):02}{text[found.end() :]}"
    return text
