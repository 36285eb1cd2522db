"""The input of every format: the tables, and the rules in force over them with their SQL.

The tables that other tools check are a person's own, without ``_row_id``. Figures that move with every delta stay out
where a format does not ask for them, so that a file changes only when a rule does.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import yaml
from sqlglot import exp

from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.dialects import Dialect, sql_text
from profiling_core.emit.expectations import checked_rows, description, severity
from profiling_core.emit.kinds.form import Promise, Promised
from profiling_core.emit.kinds.registry import form_of
from profiling_core.emit.setting import Setting
from profiling_core.emit.suites import IN_FORCE, setting_of
from profiling_core.model.constraint import Constraint
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.schema import TableSchema

Texts = Callable[[str], str]
LeftOut = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Export:
    """The output of a format: texts by their file's name, and the constraints that are left out, with the reason."""

    files: Mapping[str, str]
    left_out: LeftOut = ()


@dataclass(frozen=True, slots=True)
class ContractRule:
    """A constraint in force, as a check of its table.

    ``query`` gives the violating rows, none where the error is tolerated.
    """

    record: Tracked
    setting: Setting
    query: exp.Select

    @property
    def constraint(self) -> Constraint:
        """What is to hold, as the FD or UCC that says the same where one does."""
        return self.record.measured.constraint.familiar

    @property
    def table(self) -> str:
        """The table that is checked."""
        return self.constraint.tables[0]

    @property
    def fingerprint(self) -> str:
        """The constraint's identity."""
        return self.record.fingerprint

    @property
    def name(self) -> str:
        """A name of plain characters, the same in all versions."""
        return f"{self.constraint.kind.value}_{self.fingerprint}"

    @property
    def passes(self) -> bool:
        """Whether the maintained figures are within what is tolerated."""
        return self.record.measured.error <= self.record.threshold

    @property
    def description(self) -> str:
        """The rule in plain words."""
        return description(self.constraint, self.record.threshold)

    @property
    def severity(self) -> str:
        """``critical``, ``warning`` or ``info``."""
        return severity(self.record.measured.constraint, self.record.threshold, self.setting)

    @property
    def dimension(self) -> str:
        """The dimension of data quality: completeness, uniqueness, conformity, or consistency between columns."""
        required = self.promised is not None and self.promised.promise is Promise.REQUIRED
        return "completeness" if required else form_of(self.constraint).dimension

    @property
    def promised(self) -> Promised | None:
        """What the rule says of columns without exception, in a word that contracts have for it."""
        return None if self.record.threshold else form_of(self.constraint).promise(self.constraint)

    @property
    def assertion(self) -> str:
        """The word for the rule among OpenLineage's assertions."""
        required = self.promised is not None and self.promised.promise is Promise.REQUIRED
        return "not_null" if required else form_of(self.constraint).assertion

    def rows(self, *, tables: Mapping[str, str] = MappingProxyType({}), texts: Texts | None = None) -> str:
        """SQL for the violating rows; ``tables`` and ``texts`` as in :func:`emit.dialects.sql_text`."""
        return sql_text(self.query, self.setting.schemas, self.setting.dialect, tables=tables, texts=texts)

    def count(self, *, tables: Mapping[str, str] = MappingProxyType({})) -> str:
        """SQL for one figure: how many rows violate the rule."""
        counted = exp.select(exp.alias_(exp.Count(this=exp.Star()), "violating_rows")).from_(self.query.subquery("d"))
        return sql_text(counted, self.setting.schemas, self.setting.dialect, tables=tables)


@dataclass(frozen=True, slots=True)
class Contract:
    """A dataset's tables and the rules in force, sorted.

    ``foreign_keys`` are the fingerprints of the inclusions that are references: others hold, but refer to nothing.
    ``left_out`` says which constraint SQL cannot say, and why.
    """

    dataset: str
    description: str
    dialect: Dialect
    schemas: Mapping[str, TableSchema]
    rules: tuple[ContractRule, ...]
    foreign_keys: frozenset[str]
    left_out: LeftOut = ()

    def of(self, table: str) -> tuple[ContractRule, ...]:
        """The table's rules."""
        return tuple(rule for rule in self.rules if rule.table == table)


def contract(
    config: DatasetConfig,
    schemas: Mapping[str, TableSchema],
    tracked: Sequence[Tracked],
    dialect: Dialect,
    foreign_keys: frozenset[str],
    severities: Mapping[str, str] = MappingProxyType({}),
) -> Contract:
    """The contract that the active and violated constraints make; ``foreign_keys`` as :class:`Contract` has them."""
    rules, left_out = [], []
    in_force = [record for record in tracked if record.state in IN_FORCE]
    for record in sorted(in_force, key=lambda r: (r.measured.constraint.kind, r.measured.constraint.text)):
        constraint = record.measured.constraint
        setting = setting_of(config, schemas, constraint.tables[0], dialect, severities)
        try:
            rules.append(ContractRule(record, setting, checked_rows(constraint, setting, record.threshold)))
        except InexpressibleError as error:
            left_out.append((constraint.text, error.what))
    named = dict(sorted(schemas.items()))
    return Contract(config.dataset, config.description, dialect, named, tuple(rules), foreign_keys, tuple(left_out))


def without(
    rules: Iterable[ContractRule], placeholders: Sequence[str]
) -> tuple[list[ContractRule], list[tuple[str, str]]]:
    """The rules that a tool takes as they are, and those with a name in which it would put something else."""
    kept: list[ContractRule] = []
    refused = []
    for rule in rules:
        query = rule.rows()
        found = next((placeholder for placeholder in placeholders if placeholder in query), None)
        if found is None:
            kept.append(rule)
        else:
            why = f"a name has {found!r} in it, which the reader of the format takes for a placeholder"
            refused.append((rule.record.measured.constraint.text, why))
    return kept, refused


def to_yaml(data: Mapping[str, object]) -> str:
    """YAML in the order given; long texts stay on one line, or differences would move line breaks."""
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=10**9)
    return text
