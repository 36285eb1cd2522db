"""Texts from data as a person can read them: on one line, nothing hidden, no longer than there is room for."""

from rich.cells import cell_len, set_cell_size

from profiling_core.model.texts import written_out

_WIDEST_CELL = 26
_NULL = "null"


def visible(text: str | None) -> str:
    """The text on one line, with control characters and the like written out; null as ``null``."""
    if text is None:
        return _NULL
    return written_out(text)


def shortened(text: str | None, width: int = _WIDEST_CELL) -> str:
    """The visible text, cut to a width in terminal cells."""
    shown = visible(text)
    return shown if cell_len(shown) <= width else f"{set_cell_size(shown, width - 1).rstrip()}…"
