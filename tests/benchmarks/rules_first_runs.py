"""What batches of tables showed in their first run, before anybody had looked at what they miss.

``data/first_runs.csv`` has a line per batch: of the known rules the number that is shown, of the rules of the first ten
lines the number that a person would sign, and the names by which ``python -m benchmarks.rules`` runs it again.
"""

import csv
from collections.abc import Iterator

from benchmarks.rules_data import DATA


def first_runs() -> Iterator[str]:
    """The lines of a part of the page in Markdown, a table of them among these."""
    table = "| batch | tables | known rules | shown | first ten lines | signed | run again by |\n"
    table += "|---|--:|--:|--:|--:|--:|---|"
    with (DATA / "first_runs.csv").open(encoding="utf-8", newline="") as file:
        for run in csv.DictReader(file):
            shares = [
                f"{run[a]} ({int(run[a]) / int(run[b]):.0%})" for a, b in (("shown", "known"), ("signed", "lines"))
            ]
            again = f"`{run['rounds']}`" if run["rounds"] else ""
            table += (
                f"\n| {run['batch']} | {run['tables']} | {run['known']} | {shares[0]} | {run['lines']} | {shares[1]} "
            )
            table += f"| {again} |"
    yield from (DATA / "first_runs.md").read_text(encoding="utf-8").rstrip().replace("{table}", table).splitlines()
