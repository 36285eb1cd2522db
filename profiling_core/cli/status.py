"""``holdfast status``: what is stored, and what is pending, waits or is refused. It loads little, to answer at once."""

from collections.abc import Mapping, Sequence
from typing import Any

from profiling_core.alert.delivery import undelivered_lines
from profiling_core.alert.figures import counted
from profiling_core.cli.common import AsJson, Named, OfDataset, print_json, say_held, workspaces
from profiling_core.cli.tables import console, safe_text
from profiling_core.model.finding import REFUSAL
from profiling_core.model.version import ASIDE, Version
from profiling_core.pipeline.workspace import Workspace


def status(named: Named = None, dataset: OfDataset = None, as_json: AsJson = False) -> None:
    """Say what is stored, how many constraints stand where, and what is pending, waits or is refused."""
    records = [_status(work) for work in workspaces(named or dataset)]
    if as_json:
        print_json(records)
        return
    out = console()
    for record in records:
        _say_undelivered(record)
        if record["version"] is None:
            out.print(f"{record['dataset']}: nothing applied yet; `holdfast apply {record['dataset']}` begins.")
            _say_arriving(record)
            continue
        out.print(
            f"[bold]{record['dataset']}[/] is at version {record['version']} ({record['label']})", highlight=False
        )
        for table, rows in record["rows"].items():
            aside = record["set_aside"].get(table)
            away = f"  [yellow]{aside:,} set aside[/]: holdfast release {table}" if aside else ""
            out.print(f"  {table:<24} {rows:>12,} rows{away}", highlight=False)
        states = ", ".join(f"{count} {state}" for state, count in record["constraints"].items())
        out.print(f"  constraints followed: {states or 'none'}", highlight=False)
        if not record["published"]:
            out.print(safe_text("  its suites are not written and validated yet: the next run does it", style="yellow"))
        _say_arriving(record)


def _say_undelivered(record: dict[str, Any]) -> None:
    for line in record["undelivered"]:
        console().print(safe_text(f"{record['dataset']}: {line}; `holdfast deliver {record['dataset']}`", "yellow"))


def _say_arriving(record: dict[str, Any]) -> None:
    for table, deltas in record["pending"].items():
        if deltas:
            span = deltas[0] if len(deltas) == 1 else f"{deltas[0]} to {deltas[-1]}"
            console().print(safe_text(f"  pending: {table} {counted(len(deltas), 'delta')}, {span}"))
        if table in record["held"]:
            console().print(safe_text(f"    {record['held'][table]}", style="bold yellow"))
    say_held(record, "  ")
    for table, error in record["unreadable"].items():
        first, *rest = error.split("\n")
        console().print(safe_text(f"  {table} cannot be read: {first}", style="bold yellow"), soft_wrap=True)
        for line in rest:
            console().print(safe_text(f"  {line}"), soft_wrap=True)


def _status(work: Workspace) -> dict[str, Any]:
    from profiling_core.pipeline import arriving

    arrived = arriving.overview(work)
    arrived |= {"held": _held(work, arrived["pending"])}
    current = work.catalog.current(work.dataset)
    undelivered = undelivered_lines(work.catalog.outbox.undelivered(work.dataset))
    if current is None:
        return {"dataset": work.dataset, "version": None, "undelivered": undelivered} | arrived
    states: dict[str, int] = {}
    for tracked in work.catalog.tracked(work.dataset, current.number):
        states[tracked.state.value] = states.get(tracked.state.value, 0) + 1
    return {
        "dataset": work.dataset,
        "version": current.number,
        "label": current.label,
        "created_at": current.created_at,
        "rows": {name: table.rows for name, table in current.tables.items()},
        "set_aside": _set_aside(work, current),
        "constraints": states,
        "published": work.catalog.is_published(work.dataset, current.number),
        "undelivered": undelivered,
    } | arrived


def _held(work: Workspace, pending: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """By table why its pending deltas were refused when they were last tried."""
    going_on = (incident for incident in work.catalog.incidents(work.dataset) if incident.status.goes_on)
    return {
        incident.table: f"incident {incident.number}: {incident.diagnosis.headline}"
        for incident in going_on
        if incident.diagnosis.kind == REFUSAL and {*incident.diagnosis.values} & {*pending.get(incident.table, ())}
    }


def _set_aside(work: Workspace, current: Version) -> dict[str, int]:
    tables = [name for name in current.tables if current.files_of(ASIDE, name)]
    if not tables:
        return {}
    from profiling_core.spark.snapshot import rows_set_aside  # which brings Arrow

    return {name: count for name in tables if (count := rows_set_aside(work.store, current, name))}
