"""Changes of tables and columns from one version to the next, and constraints that lose theirs."""

from collections.abc import Mapping, Sequence

from profiling_core.model.change import Change, Transition
from profiling_core.model.constraint import Constraint
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import TableState, Version
from profiling_core.pipeline.columns import roles_told
from profiling_core.pipeline.workspace import Workspace


def without_subject(known: Sequence[Tracked], tables: Mapping[str, TableState]) -> list[Tracked]:
    """The constraints on a table or column that a version lacks or does not profile."""
    profiled = {name: {column.name for column in table.schema.profiled} for name, table in tables.items()}
    return [t for t in known if not _speaks_of(t.measured.constraint, profiled)]


def _speaks_of(constraint: Constraint, profiled: Mapping[str, set[str]]) -> bool:
    return all(set(side.columns) <= profiled.get(side.table, set()) for side in constraint.sides)


def retired(known: Tracked) -> Change:
    """The change that retires a constraint because its table or column is gone."""
    return Change(
        Transition.RETIRED,
        known.table,
        known.measured,
        None,
        held_deltas=known.held_deltas,
        since=known.since,
        rank=known.rank,
    )


def told(work: Workspace, version: Version) -> list[str]:
    """Messages about the tables, columns and roles that a version changed; empty if it changed none."""
    if version.number == 1:
        return []
    earlier = work.catalog.version(work.dataset, version.number - 1)
    before = earlier.tables
    said = [f"table {name} was dropped" for name in before if name not in version.tables]
    for name, state in version.tables.items():
        if name not in before:
            said.append(f"table {name} was added")
        elif changed := _columns_changed(before[name].schema, state.schema, work.config.renames.get(name, {})):
            said.append(f"table {name}: {', '.join(changed)}; its constraints were discovered anew")
            said += _personal(work, name, before[name].schema, state.schema)
    forgotten = work.catalog.forgotten(work.dataset, earlier.number)
    said += [f"{text} is not followed any more: this release has no rules of its form" for text in forgotten]
    return said + (roles_told(work, earlier, version) if earlier.kept else [])


def _personal(work: Workspace, table: str, before: TableSchema, after: TableSchema) -> list[str]:
    """What to do about new columns that look personal, and are shown in messages."""
    from profiling_core.pipeline.init.proposal import personal_names

    known = {*before.names, *work.config.redacted(table)}
    return [
        f"column {name} of table {table} looks personal by its name, and messages, pages and results show it: where "
        f"they must not, write below the table columns: {{{name}: {{redacted: true}}}}"
        for name in personal_names(after.names, table)
        if name not in known
    ]


def _columns_changed(before: TableSchema, after: TableSchema, renames: Mapping[str, str]) -> list[str]:
    there, new = ({column.name: column for column in schema.columns} for schema in (before, after))
    renamed = {former: now for former, now in renames.items() if former in there and now in new.keys() - there.keys()}
    old = {renamed.get(name, name): column for name, column in there.items()}
    called = [f"column {now} was called {former} before" for former, now in renamed.items()]
    dropped = [f"column {name} was dropped" for name in old if name not in new]
    added = [f"column {name} ({column.type}) was added" for name, column in new.items() if name not in old]
    retyped = [
        f"column {name} is {column.type} now, {old[name].type} before"
        for name, column in new.items()
        if old.get(name, column).type is not column.type
    ]
    return [*called, *dropped, *added, *retyped]
