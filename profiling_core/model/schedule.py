"""Cron expressions as the dataset file may have them: five fields, or one of the usual names."""

import re
from collections.abc import Sequence

_NAMED = frozenset({"@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"})
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
# Per field its name, the least and the greatest number, and the names that stand for numbers.
_FIELDS = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of the month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 7, _DAYS),
)
_ITEM = re.compile(r"(\*|(\w+)(?:-(\w+))?)(?:/(\d{1,4}))?")


def checked(text: str) -> str:
    """The expression, where it is one; raises ``ValueError`` with what is wrong with it."""
    if text in _NAMED:
        return text
    fields = text.split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"{text!r} is no cron expression: it has {len(fields)} fields where 5 are needed")
    for field, (name, least, greatest, names) in zip(fields, _FIELDS, strict=True):
        for item in field.split(","):
            if not _is_item(item.lower(), least, greatest, names):
                raise ValueError(f"{text!r} is no cron expression: {item!r} is no {name} ({least} to {greatest})")
    return text


def _is_item(item: str, least: int, greatest: int, names: Sequence[str]) -> bool:
    found = _ITEM.fullmatch(item)
    if not found or found[4] == "0":
        return False
    ends = [end for end in (found[2], found[3]) if end is not None]
    numbers = [names.index(end) + least if end in names else int(end) if end.isdecimal() else -1 for end in ends]
    return all(least <= number <= greatest for number in numbers) and numbers == sorted(numbers)
