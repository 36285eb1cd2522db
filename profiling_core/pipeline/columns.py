"""The roles of a dataset's columns in a version, with reasons, and messages about roles that changed."""

from profiling_core.model.errors import InputError, StateError
from profiling_core.model.version import Version
from profiling_core.pipeline.workspace import Workspace
from profiling_core.state.version_reports import KnownColumn, columns_in


def known_columns(work: Workspace, table: str | None = None) -> list[KnownColumn]:
    """The columns of a dataset's tables, in the tables' order of columns.

    Args:
        work: the dataset.
        table: only the columns of this table; None: of all tables.

    Raises:
        InputError: nothing has been applied yet, or there is no such table.
    """
    version = work.catalog.current(work.dataset)
    if version is None:
        raise InputError(f"dataset {work.dataset!r} has no version yet", remedy=f"run: holdfast apply {work.dataset}")
    if table is not None and table not in version.tables:
        raise InputError(
            f"dataset {work.dataset!r} has no table {table!r}", remedy=f"its tables are {', '.join(version.tables)}"
        )
    chosen = version.tables if table is None else (table,)
    return [column for name in chosen for column in columns_in(work.store, version, name)]


def roles_told(work: Workspace, before: Version, after: Version) -> list[str]:
    """Messages about columns whose role a version changed; new columns are not mentioned."""
    said = []
    for table in (name for name in after.arrivals if name in before.tables):
        names = work.config.renames.get(table, {})
        try:
            known_before = list(columns_in(work.store, before, table))
        except StateError as error:  # the earlier file was damaged; a rebuild has replaced it
            said.append(f"table {table}: what its columns were read as before is not known ({error.what})")
            continue
        old = {names.get(c.role.column, c.role.column): c.role for c in known_before}
        for column in columns_in(work.store, after, table):
            role, known = column.role, old.get(column.role.column)
            if known is not None and known.role is not role.role:
                said.append(
                    f"table {table}: column {role.column} is now read as {_article(role.role)}, "
                    f"before as {_article(known.role)} ({role.reason})"
                )
    return said


def _article(role: str) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"
