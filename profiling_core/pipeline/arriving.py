"""Deltas that have arrived and are not applied yet: each is pending, waits, or is refused."""

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from profiling_core.model.errors import HoldfastError, InputError
from profiling_core.model.version import Version
from profiling_core.pipeline.workspace import Workspace

_LONGEST_PAUSE = 60.0
_SHOWN = 12

if TYPE_CHECKING:
    from profiling_core.ingest.sources.moment import Moment
    from profiling_core.ingest.sources.protocol import Applied, Found


def applied(work: Workspace, current: Version | None) -> dict[str, "Applied"]:
    """By table the applied deltas of the current version, with their positions.

    A table that was dropped has none: if it comes back, its first delta is applied again.
    """
    known = current.tables if current else {}
    return {table: ids for table, ids in work.catalog.positions(work.dataset).items() if table in known}


def settled(
    work: Workspace, held: Mapping[str, "Applied"], label: str | None, tables: Sequence[str] | None, moment: "Moment"
) -> dict[str, "Found"]:
    """Looks for new deltas by table, and looks again after one pause if some files have only just changed.

    Args:
        work: the dataset.
        held: the deltas that are applied.
        label: only deltas up to this id; None: all.
        tables: only these tables; None: all.
        moment: the moment at which databases are read.
    """
    from profiling_core.ingest.pending import look

    names = list(work.config.tables) if tables is None else tables

    def looked() -> dict[str, "Found"]:
        found: dict[str, Found] = {}
        for table in names:
            config = work.config.model_copy(update={"tables": {table: work.config.tables[table]}})
            try:
                found |= look(work.settings, config, held, label, moment)
            except HoldfastError as error:
                raise error.with_remedy(alone(work, table, names)) from error
        return found

    found = looked()
    pauses = [h.settles_in for there in found.values() for h in there.waiting if h.settles_in is not None]
    if pauses:
        time.sleep(min(max(pauses), _LONGEST_PAUSE))
        found = looked()
    return found


def check_known(work: Workspace, label: str, held: Mapping[str, "Applied"]) -> None:
    """Raises ``InputError`` if no table has an applied or arrived delta with this id."""
    every = _overview(work, held)
    pending = sorted({delta for ids in every["pending"].values() for delta in ids})
    left_out = {one["delta"] for name in ("waiting", "refused") for one in every[name]}
    if label in {delta for ids in held.values() for delta in ids} | left_out.union(pending):
        return
    more = " …" if len(pending) > _SHOWN else ""
    raise InputError(
        f"no delta {label!r} of dataset {work.dataset!r} has arrived or is applied",
        remedy=f"pending are {', '.join(pending[:_SHOWN])}{more}; give one of these ids, written as it is here"
        if pending
        else "nothing is pending",
    )


def alone(work: Workspace, table: str, others: Sequence[str]) -> str:
    """The command that applies the deltas of the other tables if one table fails; empty if there are no others."""
    named = " ".join(f"--table {name}" for name in others if name != table)
    if not named:
        return ""
    return (
        f"the run's other tables wait for it: holdfast apply {work.dataset} {named} applies theirs without it "
        "(in Airflow: name them under tables when you trigger a run)"
    )


def told(
    found: Mapping[str, "Found"], before: frozenset[tuple[str, str]] = frozenset()
) -> dict[str, list[dict[str, str]]]:
    """The waiting and the refused deltas as JSON data, without refusals that were reported ``before``."""
    return {
        name: [
            {"table": table, "delta": held.delta_id, "reason": held.reason, "remedy": held.remedy}
            for table, there in found.items()
            for held in getattr(there, name)
            if name != "refused" or (table, held.delta_id) not in before
        ]
        for name in ("waiting", "refused")
    }


def not_read(found: Mapping[str, "Found"]) -> list[str]:
    """Messages about files among the deltas that are no deltas."""
    return [said for there in found.values() for said in there.warnings]


def overview(work: Workspace) -> dict[str, Any]:
    """Pending, waiting and refused deltas of each source, and the error of each source that cannot be read."""
    return _overview(work, applied(work, work.catalog.current(work.dataset)))


def _overview(work: Workspace, held: Mapping[str, "Applied"]) -> dict[str, Any]:
    from profiling_core.ingest.pending import look

    pending: dict[str, list[str]] = {}
    found: dict[str, Found] = {}
    errors: dict[str, str] = {}
    for table, options in work.config.tables.items():
        config = work.config.model_copy(update={"tables": {table: options}})
        try:
            found |= look(work.settings, config, held)
        except HoldfastError as error:
            errors[table] = str(error)
        else:
            pending[table] = list(found[table].pending)
    return {"pending": pending, "unreadable": errors} | told(found)
