"""A message for Slack's incoming webhooks, as blocks of rich text.

Rich text holds what it is given: unlike Slack's own markup it makes no link, mention or emphasis of a value.
"""

from typing import Any

from profiling_core.alert.brief import Brief, ShownRow

_MOST_CHARACTERS = 2900
Element = dict[str, Any]


def payload(brief: Brief) -> dict[str, Any]:
    """The request's body: the first line as it stands in notifications, and the blocks."""
    blocks = [_section([_text(brief.first, bold=True)])]
    if brief.rows:
        blocks.append(_list([_row(row) for row in brief.rows], after=brief.row_lines[len(brief.rows) :]))
    blocks += [_section([_text(sentence)]) for sentence in brief.sentences]
    if brief.also:
        title, *lines = brief.also_lines
        blocks += [_section([_text(title)]), _list([[_text(line.removeprefix("· "))] for line in lines])]
    blocks += _foot(brief)
    return {"text": _escaped(brief.first), "blocks": blocks[:50]}


def _foot(brief: Brief) -> list[Element]:
    owner = [[_text("Owner: "), _text(brief.owner, bold=True)]] if brief.owner else []
    # on a line of its own a phone does not break a command between the signs of an option
    acts = [[_text(f"{action.what}:\n"), _text(action.command, code=True)] for action in brief.actions]
    link = [[{"type": "link", "url": brief.link, "text": "Open the incident"}]] if brief.link else []
    return [_list([*owner, *acts, *link])] if owner or acts or link else []


def _row(row: ShownRow) -> list[Element]:
    key = [_text(f"{row.key}: ")] if row.key else []
    rest = [_text(f" ({row.rest})")] if row.rest else []
    return [*key, _text(f"▶ {row.wrong}", bold=True), *rest]


def _section(elements: list[Element]) -> Element:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}


def _list(items: list[list[Element]], after: list[str] | None = None) -> Element:
    entries = [{"type": "rich_text_section", "elements": item} for item in items]
    rest = [{"type": "rich_text_section", "elements": [_text(line)]} for line in after or ()]
    return {
        "type": "rich_text",
        "elements": [{"type": "rich_text_list", "style": "bullet", "elements": entries}, *rest],
    }


def _text(text: str, *, bold: bool = False, code: bool = False) -> Element:
    style = {"bold": True} if bold else {"code": True} if code else None
    return {"type": "text", "text": text[:_MOST_CHARACTERS]} | ({"style": style} if style else {})


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
