"""The ids of deltas: what a landing file's name gives, and in which order deltas apply."""

import re
import unicodedata
from datetime import datetime

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,120}")
_STRANGE = re.compile(r"[^A-Za-z0-9_.:+-]")
_DIGITS = re.compile("([0-9]+)")
# A number of eight digits is a day only in these centuries.
_DAY = re.compile(r"(?<![0-9])(?:19|20|21)[0-9]{2}(?:-[0-9]{2}-[0-9]{2}|[0-9]{4})(?![0-9])")
_LENGTHS = (19, 16, 13, 10, 8)


def delta_id_of(name: str) -> str | None:
    """The id of the delta that a file or directory of this name (without extension) is; None: it gives none.

    Ids name runs and directories, too: letters lose their accents, and ``_`` stands for what is no letter, digit or
    one of ``_.:+-``.
    """
    if _ID.fullmatch(name):
        return name
    letters = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    found = _STRANGE.sub("_", letters).lstrip("_.:+-")
    return found if _ID.fullmatch(found) else None


def in_order(delta_id: str) -> tuple[tuple[str | int, ...], str]:
    """A key by which ids sort as their deltas apply: numbers in them by what they are, so that 9 comes before 10."""
    parts = _DIGITS.split(delta_id)
    return tuple(int(part) if i % 2 else part for i, part in enumerate(parts)), delta_id


def moment_of(delta_id: str) -> datetime | None:
    """The moment that a delta id names, without a time zone; None: it names none.

    It is its first day with what follows of a time: ``2024-05-01``, ``20240501``, ``orders_2024-05-01T13``.
    """
    for found in _DAY.finditer(delta_id):
        for length in _LENGTHS:
            try:
                return datetime.fromisoformat(delta_id[found.start() : found.start() + length]).replace(tzinfo=None)
            except ValueError:
                continue
    return None
