"""Found rules as plain data, for programs: the same for files and for DataFrames."""

from collections.abc import Iterator, Sequence
from typing import Any

from profiling_core.algorithms.rules.discovery import TableRules
from profiling_core.algorithms.rules.lines import Line
from profiling_core.algorithms.rules.words import in_words


def as_json(found: Sequence[TableRules], *, implied: bool) -> dict[str, Any]:
    """Found rules as plain JSON data: constraints by table and rank, and the tables with their columns' roles."""
    data: dict[str, Any] = {
        "constraints": [c for table in found for c in _described(table, table.rules.lines)],
        "tables": [_table(table) for table in found],
    }
    if implied:
        data["implied"] = [c for table in found for c in _described(table, [(c,) for c in table.rules.implied])]
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


def _described(table: TableRules, lines: Sequence[Line]) -> Iterator[dict[str, Any]]:
    """Each rule by itself, with the rank of its line, and its probability if a score gave one."""
    for rank, line in enumerate(lines, 1):
        for rule in line:
            words = in_words(rule.constraint, table.roles)
            told: dict[str, Any] = {"words": words, "rank": rank}
            if (told_so := table.rules.probabilities.get(rule.constraint.fingerprint)) is not None:
                told["probability"] = round(told_so, 2)
            yield rule.constraint.described() | rule.measured.to_json() | told
