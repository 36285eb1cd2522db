"""Benchmark results as Markdown that can be committed: tables, the command that made them, the machine, no dates."""

import math
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path

from benchmarks.processes import Measurement, machine


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; all columns but the first are right-aligned."""
    lines = [header, ["---", *("---:" for _ in header[1:])], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def published(path: Path, header: Sequence[str]) -> list[list[str]]:
    """The lines of a page's table with this header; none where there is no such page or table."""
    text = path.read_text("utf-8") if path.exists() else ""
    _, _, below = text.partition(table(header, []) + "\n")
    lines = takewhile(lambda line: line.startswith("| "), below.splitlines())
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def seconds(value: float) -> str:
    """Seconds with the digits that mean something."""
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def cells(measured: Measurement, *names: str) -> list[str]:
    """Figures of a run by their names in its report (``peak``: the whole process's), or why there are none."""
    if measured.failed:
        return [measured.failed, *("" for _ in names[1:])]
    figures = {**measured.report, "peak": measured.peak}
    return [f"{figures[name]:.0f}" if name.endswith("peak") else seconds(figures[name]) for name in names]


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean of positive numbers; NaN without any."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def write_page(path: Path, title: str, command: str, parts: Iterable[str]) -> None:
    """Writes a page: title, the command that makes it again, the machine, then the parts, a blank line between."""
    intro = f"Made by `{command}` on {machine()}. Times are CPU seconds of all threads, user and system."
    text = "\n\n".join([f"# {title}", intro, *parts])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
