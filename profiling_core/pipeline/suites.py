"""Suites put together from the catalog, of any version and in any dialect: what the files hold, and what they do not.

The files that a run writes can always be made again; here they are made to be printed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from profiling_core.emit.dialects import Dialect
from profiling_core.emit.setting import Setting
from profiling_core.emit.suites import Suite, change_suite, setting_of, table_suite
from profiling_core.model.errors import InputError
from profiling_core.model.stored import Stored
from profiling_core.model.version import Version
from profiling_core.pipeline.lifecycle_step import settle, severities
from profiling_core.pipeline.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Listed(Stored):
    """A suite that can be printed: of the newest version, or of what one version changed (``changes``: its number)."""

    table: str
    changes: int | None
    label: str
    transitions: str


def suites(
    work: Workspace, table: str | None = None, changes: int | None = None, dialect: Dialect = Dialect.SPARK
) -> list[Suite]:
    """The suites of a dataset's tables (or one table), or the change suites of a version as far as there are any.

    Raises:
        InputError: there is no such table or version, or no suite of it.
    """
    version = version_of(work, changes)
    tables = tables_of(version, table)
    tracked = work.catalog.tracked(work.dataset, version.number)
    settings = settings_of(work, version, dialect)
    if changes is None:
        begun = work.catalog.beginnings(work.dataset, version.number)
        return [table_suite(settings[name], name, tracked, begun) for name in tables]
    change_set = settle(work, version)
    made = [change_suite(settings[name], name, change_set, tracked) for name in tables]
    found = [suite for suite in made if suite.expectations or suite.left_out]
    if not found:
        where = f" of table {table!r}" if table else ""
        raise InputError(
            f"version {changes} changed no constraint{where} that people follow",
            remedy="`holdfast suite DATASET --list` says which versions did",
        )
    return found


def listed(work: Workspace) -> list[Listed]:
    """The suites that can be printed: one per table, and each version's change suites, oldest first."""
    version = version_of(work, None)
    found = [Listed(table, None, version.label, "") for table in sorted(version.tables)]
    for past in work.catalog.versions(work.dataset):
        tracked = work.catalog.tracked(work.dataset, past.number)
        for table, setting in settings_of(work, past, Dialect.SPARK).items():
            suite = change_suite(setting, table, settle(work, past), tracked)
            if suite.expectations or suite.left_out:
                found.append(Listed(table, past.number, past.label, _transitions(suite)))
    return found


def _transitions(suite: Suite) -> str:
    states = [str(e["meta"]["state"]) for e in suite.expectations]
    counted = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
    return ", ".join(counted + ([f"{len(suite.left_out)} left out"] if suite.left_out else []))


def version_of(work: Workspace, number: int | None) -> Version:
    """The version of that number, or the newest; raises ``InputError`` where there is none."""
    current = work.catalog.current(work.dataset)
    if current is None or (number is not None and not 1 <= number <= current.number):
        raise InputError(
            f"dataset {work.dataset!r} has no version{'' if number is None else f' {number}'}",
            remedy=f"its newest is {current.number}" if current else "apply a delta first",
        )
    return current if number is None else work.catalog.version(work.dataset, number)


def tables_of(version: Version, table: str | None) -> Sequence[str]:
    """The version's tables, or the one of that name; raises ``InputError`` where there is none."""
    if table is None:
        return sorted(version.tables)
    if table not in version.tables:
        raise InputError(
            f"dataset {version.dataset!r} has no table {table!r}", remedy=f"its tables are {', '.join(version.tables)}"
        )
    return [table]


def settings_of(work: Workspace, version: Version, dialect: Dialect) -> dict[str, Setting]:
    """Per table, what its outputs are written against."""
    schemas = {name: state.schema for name, state in version.tables.items()}
    own = severities(work)
    return {name: setting_of(work.config, schemas, name, dialect, own) for name in sorted(version.tables)}
