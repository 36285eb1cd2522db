"""The pages of a table and of a column: roles, figures load by load, rules, references and incidents."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from profiling_core.airflow.ui.places import catalog, workspace
from profiling_core.airflow.ui.reading import joins
from profiling_core.model.change import LifecycleState
from profiling_core.model.constraint import measured_of
from profiling_core.model.identity import Kind
from profiling_core.model.incident import Incident, Numbers
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.stored import Chained, Stored, Values
from profiling_core.pipeline.column_story import ColumnStory, TableStory, table_story
from profiling_core.pipeline.joins import Join
from profiling_core.state.rule_list import RuleQuery
from profiling_core.state.version_reports import KnownColumn, columns_in

MOST_RULES = 400
"""Rules of a table's single columns, or of a column, that a page shows, at most."""
_LATEST_INCIDENTS = 20
"""Incidents of a table whose loads are marked in its charts: the charts show four weeks of days."""


@dataclass(frozen=True, slots=True)
class TablePage(Stored):
    """A table's page.

    ``roles`` are the columns' roles; ``alone`` are by column the rules of that column alone, and by the empty name
    those of
    whole rows; ``joins`` begin or end at the table; ``incidents`` are its own, the newest first.
    """

    __flat__: ClassVar = ("story",)

    dataset: str
    table: str
    rows: int
    key: tuple[str, ...]
    story: TableStory
    roles: Values[str, KnownColumn]
    alone: Annotated[Chained[str, Tracked], Field(alias="rules_of_single_columns")]
    joins: tuple[Join, ...]
    incidents: Numbers

    @property
    def odd(self) -> dict[str, int]:
        """By delta the table's incident about its row count."""
        return _odd(self.incidents, lambda columns: not columns)


@dataclass(frozen=True, slots=True)
class ColumnPage(Stored):
    """A column's page: ``rules`` are those of it alone, then those with other columns."""

    __flat__: ClassVar = ("column",)

    dataset: str
    table: str
    column: ColumnStory
    role: KnownColumn | None
    is_key: bool
    rules: tuple[Tracked, ...]
    joins: tuple[Join, ...]
    incidents: Numbers

    @property
    def alone(self) -> tuple[Tracked, ...]:
        """The rules of it alone."""
        return tuple(rule for rule in self.rules if _is_alone(rule))

    @property
    def shared(self) -> tuple[Tracked, ...]:
        """The rules with other columns."""
        return tuple(rule for rule in self.rules if not _is_alone(rule))

    @property
    def bounds(self) -> ColumnRule | None:
        """The rule that bounds the column's values."""
        sure_first = sorted(self.alone, key=lambda t: t.state is LifecycleState.CANDIDATE)
        found = (m.constraint for m in measured_of(ColumnRule, (t.measured for t in sure_first)))
        return next((r for r in found if r.rule is Rule.RANGE and r.low and r.high), None)

    @property
    def odd(self) -> dict[str, int]:
        """By delta the incident about the column."""
        return _odd(self.incidents, lambda columns: self.column.name in columns)


def table_page(dataset: str, table: str, courses: Collection[str] = ()) -> TablePage | None:
    """A table's page, with the figures over the loads of the named columns; None if there is none yet."""
    version = catalog().current(dataset)
    if version is None or table not in version.tables:
        return None
    work = workspace(dataset)
    schema = version.tables[table].schema
    alone: dict[str, list[Tracked]] = {}
    for rule in catalog().rules(dataset, RuleQuery(table=table, kind=Kind.COLUMN), first=0, count=MOST_RULES)[0]:
        alone.setdefault(_of(rule), []).append(rule)
    return TablePage(
        dataset,
        table,
        version.tables[table].rows,
        tuple(schema.key),
        table_story(work.store, version, table, work.config.redacted(table), courses),
        {known.role.column: known for known in columns_in(work.store, version, table)},
        {name: tuple(rules) for name, rules in alone.items()},
        _joins(dataset, table),
        _incidents(dataset, table),
    )


def column_page(dataset: str, table: str, name: str) -> ColumnPage | None:
    """A column's page; None if there is no such column."""
    page = table_page(dataset, table, (name,))
    if page is None or name not in page.story.columns:
        return None
    named, _ = catalog().rules(dataset, RuleQuery(text=name), first=0, count=MOST_RULES)
    shared = [t for t in named if not _is_alone(t) and _speaks_of(t, table, name)]
    return ColumnPage(
        dataset,
        table,
        page.story.columns[name],
        page.roles.get(name),
        name in page.key,
        (*page.alone.get(name, ()), *shared),
        tuple(j for j in page.joins if _is_end(j, table, name)),
        tuple(i for i in page.incidents if any(name in finding.columns for finding in i.every)),
    )


def _of(rule: Tracked) -> str:
    return next((m.constraint.column for m in measured_of(ColumnRule, [rule.measured])), "")


def _is_alone(tracked: Tracked) -> bool:
    return tracked.measured.constraint.kind is Kind.COLUMN


def _speaks_of(tracked: Tracked, table: str, column: str) -> bool:
    return any(side.table == table and column in side.columns for side in tracked.measured.constraint.sides)


def _joins(dataset: str, table: str) -> tuple[Join, ...]:
    graph = joins(dataset)
    every = graph.joins if graph else ()
    return tuple(j for j in every if table in (j.inclusion.lhs.table, j.inclusion.rhs.table))


def _is_end(join: Join, table: str, column: str) -> bool:
    return any(side.table == table and column in side.columns for side in (join.inclusion.lhs, join.inclusion.rhs))


def _incidents(dataset: str, table: str) -> tuple[Incident, ...]:
    found = [i for i in catalog().incidents(dataset) if i.table == table]
    return tuple(sorted(found, key=lambda i: (not i.status.goes_on, -i.number))[:_LATEST_INCIDENTS])


def _odd(incidents: Sequence[Incident], speaks: Any) -> dict[str, int]:
    told = [(finding.delta, i.number) for i in reversed(incidents) for finding in i.every if speaks(finding.columns)]
    return {delta: number for delta, number in told if delta}
