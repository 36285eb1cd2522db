"""The same files through ``holdfast init --yes`` and ``holdfast apply``: the cells that the state holds, compared.

Each file is a project of its own, so that one that is refused leaves the others alone. State has typed values; a cell
is equal if its text, read by rules that know nothing of the product's, is the value.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from itertools import zip_longest
from pathlib import Path
from typing import Any

import duckdb
import yaml

from benchmarks.reading_cases import NOWHERE, Case

_HOLDFAST = (sys.executable, "-c", "from profiling_core.cli.main import main; main()")
_STEPS = (("init", "--yes", "landing/table", "--name", "one"), ("apply", "one"))


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a file: rows in the state, cells that are not those of the clean version, and what was refused."""

    name: str
    rows: int = 0
    wanted: int = 0
    other: tuple[tuple[str, Any], ...] = ()
    refused: str = ""

    @property
    def equal(self) -> bool:
        """Whether the state has the rows of the clean version, in their order, and no others."""
        return not self.refused and not self.other and self.rows == self.wanted


def applied(case: Case, root: Path) -> Applied:
    """Runs the two commands in an empty directory, and compares.

    Args:
        case: a file, and the rows that a person reads in it.
        root: an empty directory.
    """
    landed = root / "landing" / "table" / "2024-01-01.csv"
    landed.parent.mkdir(parents=True)
    landed.write_bytes(case.content)
    for step in _STEPS:
        done = subprocess.run([*_HOLDFAST, *step], cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            return Applied(case.name, refused=(done.stderr or done.stdout).strip().splitlines()[0])
    nulls = yaml.safe_load((root / "dags" / "datasets" / "one.yaml").read_text("utf-8"))["tables"]["table"]
    found, wanted = _state(root), [row for row in case.rows if any(cell.strip() for cell in row)]
    return Applied(case.name, len(found), len(wanted), tuple(_other(wanted, found, _nulls(nulls))))


def _nulls(table: dict[str, Any]) -> frozenset[str]:
    """The texts that a dataset's file says are no values."""
    own = [text for column in table.get("columns", {}).values() for text in column.get("null_values", ())]
    return frozenset({"", *table["source"]["null_values"], *own})


def _state(root: Path) -> list[tuple[Any, ...]]:
    """The rows of the state without what Holdfast adds, in the order of the file."""
    files = str(root / ".holdfast/state/one/table/rows/*/*.parquet")
    query = "SELECT * EXCLUDE (_row_id, _delta_id) FROM read_parquet(?, hive_partitioning = false) ORDER BY _row_id"
    return duckdb.execute(query, [files]).fetchall()


def _other(
    wanted: Sequence[Sequence[str]], found: Sequence[Sequence[Any]], nulls: frozenset[str]
) -> Iterator[tuple[str, Any]]:
    for row, values in zip(wanted, found, strict=False):
        for text, value in zip_longest(row, values, fillvalue=""):
            if text != NOWHERE and not is_read_as(text.strip(), value, nulls):
                yield text, value


def is_read_as(text: str, value: Any, nulls: frozenset[str]) -> bool:
    """Whether a cell's text means a value."""
    if value is None or text in nulls:
        return value in (None, text) and text in nulls
    reading = next((reading for kind, reading in _READINGS.items() if isinstance(value, kind)), str)
    if isinstance(value, datetime) and value.tzinfo:
        value = value.astimezone(UTC).replace(tzinfo=None)  # as moments without a zone are kept
    return bool(reading(text) == (_plain(value) if isinstance(value, str) else value))


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None


def _float(text: str) -> float | None:
    number = _number(text)
    return None if number is None else float(number)


def _moment(text: str) -> datetime | None:
    for form in ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"):
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007 -- cells have no zone
        except ValueError:
            continue
    return None


def _day(text: str) -> date | None:
    moment = _moment(text)
    return moment.date() if moment else None


# A bool is an int, and a datetime a date: the narrower ones stand first.
_READINGS: dict[type, Callable[[str], Any]] = {
    str: _plain,
    bool: lambda text: {"true": True, "false": False}.get(text.lower()),
    float: _float,
    int: _number,
    Decimal: _number,
    datetime: _moment,
    date: _day,
}


def said_of(found: Sequence[Applied]) -> str:
    """What became of files, in words: how many are equal, and what differs in the others."""
    lines = [f"**Through init and apply**: {sum(one.equal for one in found)} of {len(found)} files have equal cells"]
    lines += [f"{one.name}: {one.refused or (one.rows, one.wanted, one.other[:3])}" for one in found if not one.equal]
    return "\n".join(lines)


def measured(cases: Iterable[Case]) -> list[Applied]:
    """What became of each file."""
    found = []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            found.append(applied(case, Path(folder)))
    return found
