"""Tables as HTML for notebooks; names and values are text, whatever they hold."""

import html
from collections.abc import Iterable, Sequence

_STYLE = "text-align:left;vertical-align:top"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *below: str) -> str:
    """A table with a head, and lines of text below it."""
    body = "".join(_row("td", row) for row in rows)
    lines = "".join(f"<div>{html.escape(line)}</div>" for line in below)
    return f"<table><thead>{_row('th', head)}</thead><tbody>{body}</tbody></table>{lines}"


def _row(cell: str, texts: Sequence[str]) -> str:
    cells = "".join(f'<{cell} style="{_STYLE}">{html.escape(text)}</{cell}>' for text in texts)
    return f"<tr>{cells}</tr>"
