"""Texts as they are shown: lists of names, and what would act on a terminal or on the order of letters written out."""

import unicodedata
from collections.abc import Sequence

# control, format (as bidirectional overrides), surrogate, line and paragraph separator
_ACTING = ("Cc", "Cf", "Cs", "Zl", "Zp")


def written_out(text: str, *, but: str = "") -> str:
    """The text with control characters and the like as their escapes, except those in ``but``."""
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in _ACTING and c not in but else c for c in text
    )


def listed(names: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``; or with another word before the last."""
    if len(names) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
