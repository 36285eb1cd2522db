"""Two tables of the same rows under any names, and a constraint of each kind: what names must make no difference to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from profiling_core.model.change import LifecycleState
from profiling_core.model.constraint import (
    ColumnList,
    Constraint,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    Measured,
    UniqueColumnCombination,
)
from profiling_core.model.dataset import DatasetConfig, TableConfig
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.predicate import Operand, Operator, Predicate
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.source import Source
from profiling_core.model.types import LogicalType

PLAIN = ("text", "number", "other", "real", "word")
LONG = "x" * 10_000
# One tuple per kind of trouble: what the five columns are called.
NAMINGS: Mapping[str, tuple[str, ...]] = {
    "quotes": ('a"b', "it's", "`tick`", '"', "''"),
    "templates": ("{{ 1/0 }}", "{% endraw %}", "{# #}", "${env:HOME}", "{batch}"),
    "braces": ("{", "}", "{{", "}}{", "{table}x"),
    "parameters": (":name", "%s", "%(x)s", "?", "a::b\\:c"),
    "line ends": ("a\nb", "a\r\nb", "\r", "\t", "a\n\nb; --"),
    "html": ("<script>alert(1)</script>", "&amp;", "<b>", '" onload="', "<!--"),
    "control": ("\x01", "\x1b[31mred", "\x7f", "\x07bell", "\u202egnp"),
    "backslashes": ("\\", "\\n", "a\\", "\\'", '\\"'),
    "reserved": ("select", "from", "order", "group", "user"),
    "scripts": ("名前", "имя", "اسم", "é", "e\u0301"),
    "comments": ("a--b", "/* a", "*/", "a;b", "#"),
    "dots": ("a.b", ".", "a b", " ", "$1"),
    "yaml": ("- a", "a: b", "null", "!!python/x", "&anchor"),
    "case": ("Name", "name", "NAME", "nAme", "naMe"),
    "aliases": ("t", "S", "g", "k", "t_1"),
    "parts": ("s", "batch", "d", "l", "k0"),
    "long": tuple(LONG + str(i) for i in range(5)),
}
TEXTS = ("<script>", "'; drop table x; --", None, "{{ 7 }}", "${x}", "\\", "\x01\n\r", LONG)
# text, number, other, real, word, in the order of PLAIN
ROWS = [
    (TEXTS[0], 1, 5, 1.0, "a"),
    (TEXTS[0], 1, 4, -0.0, "B"),
    (TEXTS[1], 2, 3, 2.0, "b"),
    (TEXTS[1], 3, 3, 0.0, "b"),
    (TEXTS[2], 4, 2, None, "Á"),
    (TEXTS[3], 5, 9, 1.5, None),
    (TEXTS[4], None, 1, 2.5, "c"),
    (TEXTS[5], 6, None, 3.5, "d"),
    (TEXTS[6], 7, 0, 4.5, "e"),
    (TEXTS[7], 8, 0, 4.5, "f"),
]
OTHERS = [(TEXTS[0], 1), (TEXTS[2], 2), (TEXTS[7], 8), (TEXTS[5], 6)]
SOURCE = Source(path="landing")


@dataclass(frozen=True)
class Named:
    """The tables and constraints, when the five columns and the two tables are called so."""

    columns: tuple[str, ...] = PLAIN
    own: str = "rows_of_it"
    other: str = "others"
    dataset: str = "nyc"
    thresholds: Mapping[str, float] = field(default_factory=dict)

    @property
    def schemas(self) -> dict[str, TableSchema]:
        text, number, other, real, word = self.columns
        columns = (
            Column(text, LogicalType.STRING, ordered=False),
            Column(number, LogicalType.INTEGER, ordered=True),
            Column(other, LogicalType.INTEGER, ordered=True),
            Column(real, LogicalType.FLOAT, ordered=True),
            Column(word, LogicalType.STRING, ordered=True),
            Column("id", LogicalType.INTEGER, ordered=True, profiled=False),
        )
        return {self.own: TableSchema(self.own, columns, ("id",)), self.other: TableSchema(self.other, columns[:2])}

    @property
    def constraints(self) -> dict[str, Constraint]:
        text, number, other, real, word = self.columns
        own = self.own

        def of(*columns: str, table: str = own) -> ColumnList:
            return ColumnList(table, columns)

        def dc(*predicates: tuple[str, str, str, str]) -> DenialConstraint:
            made = (Predicate(Operand("t", a), Operator(op), Operand(row, b)) for a, op, b, row in predicates)
            return DenialConstraint(own, tuple(made))

        return {
            "fd": FunctionalDependency(of(text), of(number)),
            "fd of floats": FunctionalDependency(of(real), of(other)),
            "key": UniqueColumnCombination(of(number)),
            "ucc": UniqueColumnCombination(of(text, number)),
            "ind": InclusionDependency(of(text), of(text, table=self.other)),
            "long ind": InclusionDependency(of(text, number), of(text, number, table=self.other)),
            "order": dc((text, "=", text, "s"), (number, "<", number, "s"), (other, ">", other, "s")),
            "order of texts": dc((word, "<", word, "s"), (other, "<", other, "s")),
            "one row": dc((number, "<", other, "t")),
            "across": dc((number, "=", other, "s")),
            "values": ColumnRule(own, text, Rule.VALUES, values=tuple(sorted(t for t in TEXTS[1:] if t is not None))),
            "no null": ColumnRule(own, word, Rule.NOT_NULL),
            "range": ColumnRule(own, number, Rule.RANGE, "2", "7"),
            "across types": dc((number, "≥", real, "s"), (text, "=", text, "s")),
        }

    @property
    def tracked(self) -> list[Tracked]:
        """The constraints in force, one of them approximate, one not violated."""
        found = []
        for name, constraint in self.constraints.items():
            measured = Measured(constraint, 0 if name == "key" else 2, 90, 1234)
            state = LifecycleState.ACTIVE if measured.holds else LifecycleState.VIOLATED
            threshold = self.thresholds.get(name, 0.0)
            found.append(Tracked(measured, self.own, state, "2013-01-01", 5, 1, 1.0, 1, threshold))
        return found

    @property
    def config(self) -> DatasetConfig:
        tables = {name: TableConfig(source=SOURCE) for name in self.schemas}
        return DatasetConfig.model_construct(dataset=self.dataset, tables=tables)

    def created(self, quote: Callable[[str], str], types: Mapping[str, str]) -> list[str]:
        """The statements that make the two tables in a database."""
        kinds = (types["text"], "BIGINT", "BIGINT", types["real"], types["word"], "BIGINT")
        made = []
        for table, schema in self.schemas.items():
            columns = ", ".join(f"{quote(n)} {kind}" for n, kind in zip(schema.names, kinds, strict=False))
            made.append(f"CREATE TABLE {quote(table)} ({columns})")
        return made

    @property
    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Per table its rows, their values in the order of its columns."""
        return {self.own: [(*row, i) for i, row in enumerate(ROWS)], self.other: OTHERS}


def quoted(name: str) -> str:
    """The name as an identifier of standard SQL."""
    return '"' + name.replace('"', '""') + '"'


def fill_postgres(connection: Any, named: Named, word: str = "TEXT") -> None:
    """Makes the two tables in PostgreSQL, the last column of text of the type ``word``."""
    for statement in named.created(quoted, {"text": "TEXT", "real": "DOUBLE PRECISION", "word": word}):
        connection.execute(statement)
    for table, rows in named.rows.items():
        with connection.cursor().copy(f"COPY {quoted(table)} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


def fill_duckdb(connection: Any, named: Named) -> None:
    """Makes the two tables in DuckDB."""
    for statement in named.created(quoted, {"text": "TEXT", "real": "DOUBLE", "word": "TEXT"}):
        connection.execute(statement)
    for table, rows in named.rows.items():
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", rows)
