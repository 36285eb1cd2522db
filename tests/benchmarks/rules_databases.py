"""Of the rules that databases' authors declared, how many are shown or follow, and where the others are lost.

``python -m benchmarks.rules_databases DIRECTORY [DATABASE …] [--lines] [--budget SECONDS]`` reads
``<database>/*.csv`` and ``<database>.rules.json`` of a directory or a ZIP archive (``data/declared.zip``), discovers
each database as ``holdfast discover`` does, and prints the figures.
Results are kept per database and version of the code, below the system's folder for temporary files.
"""

import argparse
import pickle
import sys
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from benchmarks.rules_declared import ASKED, SAID, Declared, declared_of
from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.discovery import Rows, TableRules, find_rules
from profiling_core.algorithms.rules.implication import KnownRules
from profiling_core.algorithms.rules.lines import Line, text_of
from profiling_core.ingest.files import read_table
from profiling_core.model.expressions.textual import Cut
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation

_FIRST = 10
# Enough for nearly all searches of 14 tables: misses are no matter of the budget.
_SECONDS = 600.0
_CODE = Path(sys.modules[Budget.__module__].__file__ or "").parents[1]
_KEPT = Path(tempfile.gettempdir(), "holdfast-rules-of-databases")
STAGES = ("shown", "follows", "redundant", "scored low", "no candidate", "no form")


class Database(NamedTuple):
    """A database: what its authors declared, and what was found of its tables, in how many seconds of the processor."""

    name: str
    declared: tuple[Declared, ...]
    found: Sequence[TableRules]
    seconds: float


@dataclass(frozen=True)
class Judged:
    """A line of a table with its place from 1 on, and whether all of its rules are declared or follow from those."""

    table: str
    rank: int
    line: Line
    signed: bool


def unpacked(path: Path) -> Path:
    """The directory of an archive's files; a directory itself."""
    if path.is_dir():
        return path
    place = _KEPT / sha256(path.read_bytes()).hexdigest()[:16]
    if not place.exists():
        making = place.with_suffix(".part")
        with zipfile.ZipFile(path) as packed:
            packed.extractall(making)
        making.rename(place)
    return place


def rows_of(directory: Path, name: str) -> list[Rows]:
    """A database's tables as they are read from files."""
    return [Rows(*read_table(path, null_values=None)) for path in sorted((directory / name).glob("*.csv"))]


def names_in(directory: Path) -> list[str]:
    """The databases of a directory."""
    return sorted(path.name.removesuffix(".rules.json") for path in directory.glob("*.rules.json"))


def databases(directory: Path, names: Iterable[str], seconds: float = _SECONDS) -> Iterator[Database]:
    """Some databases with what was found of them in a budget, now or by the same code before."""
    code = sha256(b"".join(path.read_bytes() for path in sorted(_CODE.rglob("*.py")) + sorted(_CODE.rglob("*.json"))))
    for name in names:
        digest = code.copy()
        digest.update(b"" if seconds == _SECONDS else str(seconds).encode())
        for path in sorted((directory / name).glob("*.csv")):
            digest.update(path.read_bytes())
        kept = _KEPT / f"{name}-{digest.hexdigest()[:16]}.pickle"
        if not kept.exists():
            rows, began = rows_of(directory, name), time.process_time()
            found = find_rules(rows, Budget.of(seconds))
            _KEPT.mkdir(exist_ok=True)
            kept.write_bytes(pickle.dumps((found, time.process_time() - began)))
        found, took = pickle.loads(kept.read_bytes())
        yield Database(name, declared_of(directory / f"{name}.rules.json"), found, took)


def staged(database: Database) -> list[tuple[Declared, str]]:
    """Each declared rule that is asked for, and whether it is shown or follows; or else where it is lost."""
    shown = [c for table in database.found for c in table.rules.shown]
    known = KnownRules(c.constraint for c in shown)
    implied = [c for table in database.found for c in table.rules.implied]
    left_out = [c for table in database.found for c in table.rules.left_out]
    return [(rule, _stage(rule, shown, known, (implied, left_out))) for rule in database.declared if rule.kind in ASKED]


def _stage(
    rule: Declared, shown: Sequence[Candidate], known: KnownRules, others: tuple[Sequence[Candidate], ...]
) -> str:
    if rule.kind not in SAID:
        return "no form"
    if any(rule.is_said_by(c.constraint) for c in shown):
        return "shown"
    if (rule.constraint and known.imply(rule.constraint)) or _is_put_together(rule, shown):
        return "follows"
    implied, left_out = others
    if any(rule.is_said_by(c.constraint) for c in implied):
        return "redundant"
    return "scored low" if any(rule.is_said_by(c.constraint) for c in left_out) else "no candidate"


def _is_put_together(rule: Declared, shown: Sequence[Candidate]) -> bool:
    """Whether several shown rules say it: the two parts of a code the code; one condition what holds with it.

    ``A ⇔ B`` and ``A ⇔ C`` say that ``A ⇔ B, C``, and that ``B ⇔ C``.
    """
    own = [c.constraint for c in shown if c.constraint.tables[0] == rule.table]
    parts = [c for c in own if rule.kind == "equation" and isinstance(c, Equation) and isinstance(c.value, Cut)]
    asked = {*rule.columns}
    together: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for one in own:
        conditional = rule.kind == "conditional" and isinstance(one, Conditional) and one.both_ways
        if conditional and {*one.then.columns} <= asked:
            together[one.column, one.values] |= {*one.then.columns}
    codes = ({*a.columns, *b.columns} for a, b in combinations(parts, 2) if a.value.column == b.value.column)
    met = ({column, *then} & asked for (column, _), then in together.items() if len(then) > 1)
    return any(asked == columns for columns in (*met, *codes))


def judged(database: Database) -> list[Judged]:
    """The first lines of each table."""
    signed = KnownRules(rule.constraint for rule in database.declared if rule.constraint)

    def is_signed(candidate: Candidate) -> bool:
        declared = any(rule.is_said_by(candidate.constraint) for rule in database.declared)
        return declared or signed.imply(candidate.constraint)

    return [
        Judged(table.name, rank, line, all(map(is_signed, line)))
        for table in database.found
        for rank, line in enumerate(table.rules.lines[:_FIRST], 1)
    ]


def first_keys(database: Database) -> tuple[list[str], int]:
    """The tables whose declared primary key is not the key that is named, with both; and how many have one."""
    keys = {table.name: table.key for table in database.found}
    declared = {rule.table: rule.columns for rule in database.declared if rule.kind == "key"}
    wrong = [
        f"{table}: {', '.join(columns)} (named: {', '.join(keys.get(table, ())) or 'none'})"
        for table, columns in declared.items()
        if {*keys.get(table, ())} != {*columns}
    ]
    return wrong, len(declared)


def figures(measured: Sequence[Database]) -> list[str]:
    """The figures of databases, and of each kind of rules, in Markdown."""
    stages = {database.name: staged(database) for database in measured}
    out = ["| database | keys named first | known | shown | follow | first lines | signed by declaration | CPU s |"]
    out += ["|---|--:|--:|--:|--:|--:|--:|--:|"]
    total: Counter[str] = Counter()
    for database in measured:
        wrong, keyed = first_keys(database)
        got = Counter(stage for _, stage in stages[database.name])
        first = judged(database)
        counted = {
            "named": keyed - len(wrong),
            "keyed": keyed,
            "known": sum(got.values()),
            "shown": got["shown"],
            "follow": got["follows"] + got["redundant"],
            "lines": len(first),
            "signed": sum(one.signed for one in first),
        }
        total.update(counted)
        out.append(_row(database.name, counted, database.seconds))
    return [*out, _row("all", total, sum(d.seconds for d in measured)), "", *_by_kind(stages), ""]


def report(measured: Sequence[Database], *, lines: bool) -> str:
    """The figures in Markdown, and what is missed; with ``lines`` the first ten of each table, too."""
    out = figures(measured)
    for database in measured:
        out += [f"## {database.name}", ""]
        out += [f"- named first: {one}" for one in first_keys(database)[0]]
        missed = [(r, s) for r, s in staged(database) if s not in ("shown", "follows", "redundant")]
        out += [f"- {stage}: {rule.text}" for rule, stage in missed]
        out += _lines(judged(database)) if lines else []
        out.append("")
    return "\n".join(out)


def _row(name: str, figures: Mapping[str, int], seconds: float) -> str:
    told = " | ".join(str(figures[key]) for key in ("known", "shown", "follow", "lines", "signed"))
    return f"| {name} | {figures['named']} of {figures['keyed']} | {told} | {seconds:.1f} |"


def _by_kind(stages: Mapping[str, Sequence[tuple[Declared, str]]]) -> list[str]:
    counted = Counter((rule.kind, stage) for found in stages.values() for rule, stage in found)
    out = [f"| kind | {' | '.join(STAGES)} |", "|---|" + "--:|" * len(STAGES)]
    rows = ((kind, *(str(counted[kind, stage]) for stage in STAGES)) for kind in ASKED)
    return [*out, *(f"| {' | '.join(row)} |" for row in rows)]


def _lines(found: Sequence[Judged]) -> list[str]:
    return [
        f"  {'signed ' if one.signed else 'unknown'} {one.table} {one.rank}. "
        f"[{Family(one.line[0].family).name.lower()}] {text_of(one.line)}"
        for one in found
    ]


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("databases", nargs="*")
    parser.add_argument("--lines", action="store_true", help="print the first ten lines of each table, too")
    parser.add_argument("--budget", type=float, default=_SECONDS, help="seconds, as of holdfast discover")
    asked = parser.parse_args()
    directory = unpacked(asked.directory)
    names = asked.databases or names_in(directory)
    sys.stdout.write(report(list(databases(directory, names, asked.budget)), lines=asked.lines))


if __name__ == "__main__":
    main()
