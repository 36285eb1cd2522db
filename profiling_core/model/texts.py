"""Texts as they may be shown: what would act on a terminal, or on the order of a page's letters, is written out."""

import unicodedata

# control, format (as bidirectional overrides), surrogate, line and paragraph separator
_ACTING = ("Cc", "Cf", "Cs", "Zl", "Zp")


def written_out(text: str, *, but: str = "") -> str:
    """The text with control characters and the like as their escapes, except those in ``but``."""
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in _ACTING and c not in but else c for c in text
    )
