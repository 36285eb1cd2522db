"""Proposals of one cause that contradict each other: each break says which cell of a row to change, and one is enough.

Where ``{zip} → city`` and ``{city} → zip`` break by one row, the one break would have the city changed, and the other
the zip. Either change mends both. What more breaks propose is taken; as many for either leave it open. A change that
leaves another rule broken by its row is not proposed: a visit that ends before it begins has no minutes to change.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from profiling_core.model.finding import CONSTRAINT, NAMES_THE_CELL, Evidence, Finding

_Cell = tuple[str, str | None]


def reconciled(group: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings of one cause; for each row rules propose one change, or name what could be changed instead.

    Findings of a load have each column beside its own past: if two are odd, both may be wrong.
    """
    proposed: defaultdict[str, list[Evidence]] = defaultdict(list)
    for finding in group:
        for row in finding.rows:
            if row.expected and row.identity:
                proposed[row.identity].append(row)
    return tuple(
        finding
        if finding.of_load
        else _said(replace(finding, rows=tuple(_settled(row, proposed[row.identity]) for row in finding.rows)))
        for finding in group
    )


def without_half_mends(group: Sequence[Finding]) -> list[Finding]:
    """The findings of one cause, without changes of rows that also break a rule which says nothing of the changed cell.

    A rule that proposes another change itself speaks of another error.
    """
    rules = [finding for finding in group if finding.kind == CONSTRAINT and not _proposes(finding)]
    return [_mending(finding, rules) if _proposes(finding) else finding for finding in group]


def _proposes(finding: Finding) -> bool:
    """Whether a rule says which cell to change."""
    return finding.kind == CONSTRAINT and finding.magnitude >= NAMES_THE_CELL


def _mending(finding: Finding, rules: Sequence[Finding]) -> Finding:
    column = finding.columns[0]
    left = {row.identity for rule in rules for row in rule.rows if column not in row.values} - {""}
    if not any(row.identity in left for row in finding.rows):
        return finding
    rows = tuple(replace(row, expected={}) if row.identity in left else row for row in finding.rows)
    if any(row.identity not in left for row in rows):
        return replace(finding, rows=rows)
    return replace(finding, rows=rows, mended="", cause=finding.cause.removesuffix(f" in {column}"))


def _settled(row: Evidence, proposed: Sequence[Evidence]) -> Evidence:
    """A row with what most of the proposals for it would have changed; a change of several cells stays as it is.

    Args:
        row: as one finding shows it.
        proposed: as those findings show it that propose a change.
    """
    if len(row.expected) != 1:
        return row
    (own,) = row.expected.items()
    votes = Counter(cell for other in proposed for cell in other.expected.items())
    others = [cell for cell in votes if _is_instead(cell, own, row, proposed)]
    most = max((votes[cell] for cell in others), default=0)
    rivals = dict(cell for cell in others if votes[cell] == most)
    if most > votes[own]:
        name = next(iter(rivals))
        return replace(row, expected={name: rivals[name]}, wrong=(name,))
    return replace(row, instead=rivals) if most == votes[own] else row


def _is_instead(cell: _Cell, own: _Cell, row: Evidence, proposed: Sequence[Evidence]) -> bool:
    """Whether to change one cell of a row mends the break that asks for the other: either rule speaks of both."""
    name = cell[0]
    asking = (other for other in proposed if cell in other.expected.items())
    return name != own[0] and name in row.values and any(own[0] in other.values for other in asking)


def _said(finding: Finding) -> Finding:
    """The finding, whose cause names no single column where each row leaves open which cell is wrong."""
    if not finding.rows or not all(row.instead for row in finding.rows):
        return finding
    names = dict.fromkeys(name for row in finding.rows for name in (*row.expected, *row.instead))
    return replace(finding, cause=f"{' or '.join(names)} is wrong: which of them cannot be told", mended="")
