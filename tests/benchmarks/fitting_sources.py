"""What the scores of orders, dependencies and lines are fitted to: tables, and the rules that are known of them."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.datasets import nycflights13, tpch
from benchmarks.rules import is_said, said
from benchmarks.rules_data import DATA, Known, Table, known_of, tables_of
from benchmarks.rules_databases import names_in, rows_of, unpacked
from benchmarks.rules_declared import Declared, declared_of, judged
from benchmarks.rules_files import files, of_packages, of_vega
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.discovery import Rows
from profiling_core.ingest.infer import schema_of
from profiling_core.model.kinds.reference import ReferenceRule
from profiling_core.model.kinds.relation import ConditionalBeside

ROUNDS = (
    *("first", "files", "counters", "crafts", "desks", "fresh", "neighbours", "offices", "registers", "second"),
    *("presses", "strangers", "tills", "trades", "wings", "yards"),
)
PUBLIC = ("rdatasets", "rdatasets-later")
# What databases' authors declare of every table.
_DECLARED = (Family.KEY, Family.REFERENCE, Family.ORDER)
# Rules that are tested against the exchange of values between rows.
_TESTED = (Family.EQUATION, Family.CONDITIONAL, Family.ALONG_REFERENCES)
_EXCHANGED = "exchanged"
# Public tables whose rules were listed after some of them had been seen.
_SEEN = ("tpch", "nycflights13", "vega")


class Verdict(NamedTuple):
    """Whether somebody would sign a rule, and how many rules it stands for.

    What is true but not said by anybody in this way ("neither") is not signed.
    """

    right: bool
    stands_for: float


@dataclass(frozen=True)
class Source:
    """A database, business or public table.

    ``read``: reads its tables from ``paths``. ``listed``: by table the rules that are listed. ``declared``: those that
    its authors declared, of a database with declared rules; ``judged``: those that somebody else would sign;
    ``accidents``: those that were judged to hold by accident. ``verdicts``: by table and text what was judged of rules:
    a sample of those that nobody declared, and conditional ones over the columns of declared ones.
    """

    name: str
    paths: Sequence[Path]
    read: Callable[[], Sequence[Rows]]
    listed: Mapping[str, Table]
    declared: tuple[Declared, ...] = ()
    judged: tuple[Declared, ...] = ()
    accidents: tuple[Declared, ...] = ()
    verdicts: Mapping[tuple[str, str], Verdict] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """A digest of its name and its files."""
        found = sha256(self.name.encode())
        for path in self.paths:
            found.update(path.read_bytes())
        return found.hexdigest()

    @cached_property
    def with_labels(self) -> str:
        """A digest of its files and of what is known of them."""
        declared = [rule.text for rule in (*self.declared, *self.judged)]
        listed = [
            (name, rule.kind, *sorted(rule.columns)) for name, t in self.listed.items() for rule in (*t.known, *t.more)
        ]
        return sha256(repr((self.digest, declared, listed)).encode()).hexdigest()

    @property
    def kind(self) -> str:
        """Databases with declared rules, with exchanged values, public tables, seen ones, or made-up businesses."""
        round_, _, named = self.name.partition(": ")
        if round_ == _EXCHANGED:
            return "databases with exchanged values"
        if not named:
            return "databases"
        if round_ in _SEEN:
            return "TPC-H, flights, vega-datasets"
        return "public tables" if round_ in PUBLIC else "made-up businesses"

    @cached_property
    def is_sampled(self) -> bool:
        """Whether a sample of what nobody declared was judged, and not only what first lines told.

        Where first lines alone were judged, declared rules that they do not tell have no counterpart among the others.
        """
        return any(verdict.stands_for != 1 for verdict in self.verdicts.values())

    def known(self, table: str) -> Sequence[Known]:
        """The rules of a table that are listed as known."""
        return self.listed[table].known if table in self.listed else ()

    def right(self, table: str, candidate: Candidate) -> bool | None:
        """Whether a person would sign a rule; None: nobody has said. Where values are exchanged nobody would."""
        if self.name.startswith(_EXCHANGED):
            return False if candidate.family in _TESTED else None
        if not self.declared:
            if table not in self.listed:
                return None
            told = said(candidate.constraint.described())
            listed = any(is_said(rule, told) for rule in (*self.listed[table].known, *self.listed[table].more))
            return None if not listed and _is_conditional_along(candidate) else listed
        if (verdict := self.verdicts.get((candidate.constraint.tables[0], candidate.constraint.text))) is not None:
            return verdict.right
        if any(rule.is_said_by(candidate.constraint) for rule in (*self.declared, *self.judged)):
            return True if candidate.family in _DECLARED or self.is_sampled else None
        wrong = any(rule.is_said_by(candidate.constraint) for rule in self.accidents)
        return False if wrong or candidate.family in _DECLARED else None

    def stands_for(self, candidate: Candidate) -> float:
        """How many candidates one stands for, since it is of a sample that was judged."""
        verdict = self.verdicts.get((candidate.constraint.tables[0], candidate.constraint.text))
        return verdict.stands_for if verdict else 1.0


def _is_conditional_along(candidate: Candidate) -> bool:
    """Whether it is a conditional rule beside a parent: lists have none of these."""
    rule = candidate.constraint
    return isinstance(rule, ReferenceRule) and isinstance(rule.relation, ConditionalBeside)


def named(arguments: Sequence[str]) -> list[Source]:
    """The sources that a command names: a directory's databases, these exchanged, and perhaps all listed sources.

    ``--listed`` asks for the latter.
    """
    found = list(databases(unpacked(Path(arguments[0]))))
    return [*found, *map(exchanged, found), *(listed() if "--listed" in arguments else ())]


def exchanged(source: Source) -> Source:
    """A source with the values of each column exchanged between rows: what is found in it holds by accident."""

    def read() -> list[Rows]:
        random = np.random.default_rng(0)
        return [
            Rows(schema, pa.table({n: column.take(random.permutation(len(column))) for n, column in _columns(rows)}))
            for schema, rows in source.read()
        ]

    return Source(f"{_EXCHANGED}: {source.name}", source.paths, read, {})


def _columns(rows: pa.Table) -> Iterator[tuple[str, Any]]:
    yield from zip(rows.column_names, rows.columns, strict=True)


def databases(directory: Path) -> Iterator[Source]:
    """The databases of a directory with what is declared and judged of them."""
    for name in names_in(directory):
        told = directory / f"{name}.rules.json"
        paths = sorted((directory / name).glob("*.csv"))
        read = partial(rows_of, directory, name)
        right, wrong = judged(name)
        accidents = (*declared_of(told, signed=False), *wrong)
        yield Source(name, paths, read, {}, declared_of(told), right, accidents, _verdicts(name))


def listed() -> Iterator[Source]:
    """The made-up businesses and public tables whose rules are listed."""
    for round_ in ROUNDS:
        for business, listed in known_of(round_).items():
            yield Source(
                f"{round_}: {business}", [DATA / "businesses.zip"], partial(_of_business, round_, business), listed
            )
    for round_ in PUBLIC:
        for place, listed in known_of(round_).items():
            yield from (_of_files(f"{round_}: {name}", [of_packages(name, place)], listed) for name in listed)
    yield _of_files("tpch: 0.01", tpch("0.01"), known_of("tpch")[""])
    paths = nycflights13(("airlines", "airports", "planes", "weather", "flights"))
    yield Source("nycflights13: two months", paths, partial(_two_months, paths), known_of("nycflights13")[""])
    for name, listed in known_of("vega").items():
        yield _of_files(f"vega: {name}", [of_vega(name)], listed)


def _verdicts(database: str) -> dict[tuple[str, str], Verdict]:
    with (DATA / "judged_rules.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["database"] == database]
    return {(row["table"], row["rule"]): Verdict(row["judged"] == "right", float(row["stands_for"])) for row in rows}


def _of_files(name: str, paths: list[Path], listed: Mapping[str, Table]) -> Source:
    return Source(name, paths, lambda: _rows(files(paths).items()), listed)


def _of_business(round_: str, business: str) -> list[Rows]:
    return _rows(tables_of(round_, business).items())


def _two_months(paths: list[Path]) -> list[Rows]:
    """The tables of nycflights13 until the end of February, which the demo begins with."""
    tables = files(paths).items()
    return _rows((n, t.filter(pc.less_equal(t["month"], 2)) if "month" in t.column_names else t) for n, t in tables)


def _rows(tables: Iterable[tuple[str, Any]]) -> list[Rows]:
    return [Rows(schema_of(name, table.schema, name), pa.table(table)) for name, table in tables]
