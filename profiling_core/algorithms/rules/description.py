"""What was found as plain data, for programs: the same from files and from DataFrames."""

from collections.abc import Iterator, Sequence
from typing import Any

from profiling_core.algorithms.rules.candidate import Candidate
from profiling_core.algorithms.rules.discovery import TableRules
from profiling_core.algorithms.rules.words import in_words


def as_json(found: Sequence[TableRules], *, implied: bool) -> dict[str, Any]:
    """What was found as plain JSON data: constraints by table and rank, and the tables with their columns' roles."""
    data: dict[str, Any] = {
        "constraints": [c for table in found for c in _described(table, table.rules.shown)],
        "tables": [_table(table) for table in found],
    }
    if implied:
        data["implied"] = [c for table in found for c in _described(table, table.rules.implied)]
    return data


def _table(table: TableRules) -> dict[str, Any]:
    return {
        "table": table.name,
        "rows": table.rows,
        "key": list(table.key),
        "columns": [role.to_json() for role in table.roles.values()],
        "implied": len(table.rules.implied),
        "left_out": len(table.rules.left_out),
        "looked_at": table.looked_at,
    }


def _described(table: TableRules, rules: Sequence[Candidate]) -> Iterator[dict[str, Any]]:
    for rank, rule in enumerate(rules, 1):
        words = in_words(rule.constraint, table.roles)
        yield rule.constraint.described() | rule.measured.to_json() | {"words": words, "rank": rank}
