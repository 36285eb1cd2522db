"""Texts as they are shown: lists of names, and what would act on a terminal or on the order of letters written out."""

import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime

# control, format (as bidirectional overrides), surrogate, line and paragraph separator
_ACTING = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Beyond it not every whole number is a double.
_EXACT = 2.0**53


def written_out(text: str, *, but: str = "") -> str:
    """The text with control characters and the like as their escapes, except those in ``but``."""
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in _ACTING and c not in but else c for c in text
    )


def value_text(value: object) -> str | None:
    """A value as people write it: ``5448`` for 5448.0, ``2024-05-18 08:21:19`` for that moment in UTC; null is None."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    if isinstance(value, datetime):
        return str(value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value)
    return None if value is None else str(value)


def moment_text(at: datetime | str | None) -> str:
    """A moment to the minute, in UTC: ``2026-11-25 21:10 UTC``; empty for none.

    Args:
        at: with or without a zone, which is then UTC; as a text in ISO's form.
    """
    if not at:
        return ""
    known = datetime.fromisoformat(at) if isinstance(at, str) else at
    if known.tzinfo is not None:
        known = known.astimezone(UTC)
    return f"{known:%Y-%m-%d %H:%M} UTC"


def with_article(name: str) -> str:
    """A column's name as one has it: ``an amount``, ``a dest``, ``passengers``."""
    plural = name.endswith("s") and not name.endswith(("ss", "us", "is"))
    vowel = name[:1].lower() in "aeio" or (name[:1].lower() == "u" and not name.lower().startswith(("uni", "us")))
    return name if plural else f"{'an' if vowel else 'a'} {name}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``; or with another word before the last."""
    if len(names) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
