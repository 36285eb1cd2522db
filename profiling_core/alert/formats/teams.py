"""A message for webhooks of Microsoft Teams, as an adaptive card.

Its text is in runs, which Teams shows as they are; a text block would read links and emphasis into values.
"""

from typing import Any

from profiling_core.alert.brief import Action, Brief, ShownRow

_SCHEMA = "http://adaptivecards.io/schemas/adaptive-card.json"
Element = dict[str, Any]


def payload(brief: Brief) -> dict[str, Any]:
    """The request's body."""
    body = [_block([_run(brief.first, weight="Bolder", size="Medium")])]
    body += [_block(_row(row)) for row in brief.rows]
    body += [_block([_run(line)]) for line in brief.row_lines[len(brief.rows) :]]
    body += [_block([_run(sentence)], spacing="Medium") for sentence in brief.sentences]
    body += [_block([_run(line)]) for line in brief.also_lines]
    body += [_block([_run("Owner: "), _run(brief.owner, weight="Bolder")], spacing="Medium")] if brief.owner else []
    body += [block for action in brief.actions for block in _action(action)]
    card: Element = {"type": "AdaptiveCard", "$schema": _SCHEMA, "version": "1.4", "body": body}
    card["msteams"] = {"width": "Full"}
    if brief.link:
        card["actions"] = [{"type": "Action.OpenUrl", "title": "Open the incident", "url": brief.link}]
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "summary": brief.first, "attachments": [content]}


def _row(row: ShownRow) -> list[Element]:
    key = [_run(f"{row.key}: ")] if row.key else []
    rest = [_run(f" ({row.rest})")] if row.rest else []
    return [*key, _run(f"▶ {row.wrong}", weight="Bolder", color="Attention"), *rest]


def _action(action: Action) -> list[Element]:
    """What can be done, and below it the command, which a phone would else break between the signs of an option."""
    command = _run(action.command, fontType="Monospace", size="Small")
    return [_block([_run(f"{action.what}:")]), _block([command], spacing="None")]


def _block(runs: list[Element], spacing: str = "Small") -> Element:
    return {"type": "RichTextBlock", "inlines": runs, "spacing": spacing}


def _run(text: str, **look: str) -> Element:
    return {"type": "TextRun", "text": text, **look}
