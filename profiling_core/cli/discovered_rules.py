"""The output of ``holdfast discover`` without ``--kind``: each table's rules in words, and its columns' roles."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from profiling_core.alert.figures import counted
from profiling_core.algorithms.rules.discovery import TableRules
from profiling_core.algorithms.rules.lines import Line, text_of, words_of
from profiling_core.cli.tables import console, in_cell, safe_text
from profiling_core.model.role import ColumnRole


def say(found: Sequence[TableRules], seconds: float, *, implied: bool, columns: bool) -> None:
    """Prints what was found, table by table."""
    out = console()
    for table in found:
        size = f"{counted(table.rows, 'row')} × {counted(len(table.roles), 'column')}"
        out.print(safe_text(f"{table.name} ({size})", "bold"))
        if columns:
            out.print(_roles(table.roles.values()))
        out.print(_rules(table, table.rules.lines) if table.rules.lines else "No rule stands out.", highlight=False)
        if implied and table.rules.implied:
            out.print("\nFollows from these:", highlight=False)
            out.print(_rules(table, [(c,) for c in table.rules.implied]))
        out.print(safe_text(_ending(table, implied=implied)), end="\n\n")
    shown = counted(sum(len(table.rules.shown) for table in found), "rule")
    out.print(f"{shown}; {seconds:.1f} s.", highlight=False)


def _roles(roles: Any) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0), style="dim")
    for role in roles:
        table.add_row(in_cell(role.column), _named(role), in_cell(role.reason))
    return table


def _named(role: ColumnRole) -> str:
    return f"{role.role}, {role.unit}" if role.unit else str(role.role)


def _rules(table: TableRules, lines: Sequence[Line]) -> Table:
    shown = Table(box=None, header_style="bold", pad_edge=False)
    shown.add_column("", justify="right")
    shown.add_column("rule", overflow="fold", ratio=3)
    shown.add_column("constraint", overflow="fold", ratio=2)
    shown.add_column("likely", justify="right")
    for rank, line in enumerate(lines, 1):
        told = in_cell(words_of(line, table.roles)), in_cell(text_of(line))
        shown.add_row(str(rank), *told, _likely(table, line))
    return shown


def _likely(table: TableRules, line: Line) -> str:
    """How likely a person would sign the least likely rule of a line: ``0.93``; empty where it was not judged."""
    known = [table.rules.probabilities.get(rule.constraint.fingerprint) for rule in line]
    return f"{min(p for p in known if p is not None):.2f}" if None not in known else ""


def _ending(table: TableRules, *, implied: bool) -> str:
    """What was looked at, and how much is not shown."""
    parts = [f"Looked at {table.looked_at}."]
    if table.rules.implied and not implied:
        follow = "1 more follows" if len(table.rules.implied) == 1 else f"{len(table.rules.implied)} more follow"
        parts.append(f"{follow} from these: --implied shows them.")
    if table.rules.left_out:
        parts.append(f"{len(table.rules.left_out)} more had no place beside them.")
    return " ".join(parts)
