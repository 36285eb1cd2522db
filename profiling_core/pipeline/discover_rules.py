"""One-shot discovery of the rules of files that a person would sign: of all kinds and tables, within a budget."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.discovery import Rows, TableRules, find_rules
from profiling_core.pipeline.discover import read_files
from profiling_core.pipeline.discovery_request import DiscoveryRequest, Progress

# Fitted to CPU seconds of find_rules without a bound, on made-up tables of six kinds of columns: 1.9 s of 600 rows by
# 24 columns, 21.6 s of 600 by 48, 6.6 s of 6,000 by 24. They grow by a power of the columns, and with rows beside some.
_OF_48_COLUMNS, _GROWTH, _ROWS = 21.6, 3.5, 1_600


def discover_rules(
    files: Sequence[Path],
    request: DiscoveryRequest,
    budget: Budget,
    limit: int,
    progress: Progress = lambda _: None,
    say: Progress = lambda _: None,
) -> list[TableRules]:
    """The rules of files; each file is a table with its name.

    Args:
        files: CSV or Parquet files.
        request: how the files are read; what else it says is for discovery of one kind.
        budget: the work of the search; reading is not counted.
        limit: how many rules of a table are shown at most.
        progress: told each step before it begins, in words.
        say: told before the search how long it would take, where that is longer than there is time.

    Raises:
        InputError: a file cannot be read, or two of them give one name to their tables.
    """
    said: dict[str, list[str]] = {}
    told = partial(_note, said)
    tables = [Rows(schema, rows) for schema, rows in read_files(files, request, progress, told)]
    if (seconds := sum(_seconds(rows) for rows in tables)) > budget.seconds:
        say(
            f"to look at all columns would take about {seconds:,.0f} s; "
            f"the search ends after the work of {budget.seconds:,.0f} s (--budget), and what is left out is said"
        )
    found = find_rules(tables, budget, limit=limit, progress=progress)
    return [replace(one, looked_at="; ".join([one.looked_at, *said.get(one.name, ())])) for one in found]


def _seconds(table: Rows) -> float:
    """About how long the search takes on a table without a budget, in seconds."""
    rows = (_ROWS + table.rows.num_rows) / (_ROWS + 600)
    return float(_OF_48_COLUMNS * (table.rows.num_columns / 48) ** _GROWTH * rows)


def _note(said: dict[str, list[str]], table: str, what: str) -> None:
    """Keeps what was taken for granted of a table."""
    said.setdefault(table, []).append(what)
