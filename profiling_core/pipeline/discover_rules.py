"""One-shot discovery of the rules of files that a person would sign: of all kinds and tables, within a budget."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.discovery import Rows, TableRules, find_rules
from profiling_core.pipeline.discover import read_files
from profiling_core.pipeline.discovery_request import DiscoveryRequest, Progress


def discover_rules(
    files: Sequence[Path], request: DiscoveryRequest, budget: Budget, limit: int, progress: Progress = lambda _: None
) -> list[TableRules]:
    """The rules of files; each file is a table with its name.

    Args:
        files: CSV or Parquet files.
        request: how the files are read; what else it says is for discovery of one kind.
        budget: the time that there is, reading included; files are read even where it takes longer.
        limit: how many rules of a table are shown at most.
        progress: told each step before it begins, in words.

    Raises:
        InputError: a file cannot be read, or two of them give one name to their tables.
    """
    said: dict[str, list[str]] = {}
    told = partial(_note, said)
    tables = [Rows(schema, rows) for schema, rows in read_files(files, request, progress, told)]
    found = find_rules(tables, budget, limit=limit, progress=progress)
    return [replace(one, looked_at="; ".join([one.looked_at, *said.get(one.name, ())])) for one in found]


def _note(said: dict[str, list[str]], table: str, what: str) -> None:
    """Keeps what was taken for granted of a table."""
    said.setdefault(table, []).append(what)
