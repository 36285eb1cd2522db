"""Aligned plain-text tables: what a person reads in a mail, a chat message or a log."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from profiling_core.alert.rows import Row, RowTable
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


def render(table: RowTable, *, indent: str = "  ", width: int = 100) -> list[str]:
    """The table's lines; columns that do not fit the width are left out, the constraint's own never."""
    heads = [shortened(name) for name in table.columns]
    cells = [[_cell(row, i) for i in range(len(heads))] for row in table.rows]
    widths = [max(map(cell_len, (head, *(line[i] for line in cells)))) for i, head in enumerate(heads)]
    fitting = _fitting(widths, table.own, width - len(indent) - 7)
    lines = [_line("", heads[:fitting], widths, indent)]
    for row, line in zip(table.rows, cells, strict=True):
        lines.append(_line(row.role.value, line[:fitting], widths, indent))
    if table.more:
        lines.append(f"{indent}… and {table.more:,} more rows")
    return lines


def _cell(row: Row, column: int) -> str:
    return shortened(row.values[column]) + (" ◀" if row.disagrees[column] and row.role.value == "new" else "")


def _fitting(widths: Sequence[int], own: int, room: int) -> int:
    used, count = 0, 0
    for position, width in enumerate(widths):
        used += width + 2
        if used > room and position >= own:
            break
        count = position + 1
    return count


def _line(role: str, cells: Sequence[str], widths: Sequence[int], indent: str) -> str:
    padded = (set_cell_size(cell, width) for cell, width in zip(cells, widths, strict=False))
    return f"{indent}{role:<5}  {'  '.join(padded)}".rstrip()
