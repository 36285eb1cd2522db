"""Who is told what: the messages that a version makes true, and sending what waits in the outbox."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from profiling_core.alert.brief import lasting
from profiling_core.alert.channels import FILE, channels, message_of
from profiling_core.alert.delivery import Clock, Patience, drain, give_up
from profiling_core.alert.message import Circumstances, Telling, tell
from profiling_core.alert.text_table import shortened
from profiling_core.alert.wording import LONGEST
from profiling_core.diff.incidents import RECOVERED, WORSE
from profiling_core.ingest.reject_finding import is_usual
from profiling_core.model.change import ChangeSet
from profiling_core.model.delta import NormalizedDelta
from profiling_core.model.errors import ChangedMeanwhileError, HoldfastError, StateError
from profiling_core.model.finding import REFUSAL, REJECTS, REPEATED_KEYS, SHRUNK, Finding
from profiling_core.model.incident import LASTING, Incident, IncidentStatus
from profiling_core.model.message import Delivery, Message
from profiling_core.model.version import Arrival, RunPlan, Version
from profiling_core.pipeline.artifacts import put_after
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from profiling_core.ingest.sources.protocol import Found

# The loads that say what is usual.
_LOADS = 60
_WAITS = (
    "What comes after it waits; the other tables go on, and what they refer to in it is judged by its last version."
)
_FIGURE = re.compile(r"\d[\d,.]*%?")
# How often people may come in between while a step finds out what becomes of incidents.
_MOST_CHANGES = 20
_Recorded = TypeVar("_Recorded")


class UndeliveredError(StateError):
    """Messages that no channel took in all the time that there was."""


def told(work: Workspace, version: Version, change_set: ChangeSet) -> Telling:
    """The incidents that a version opens or changes, and what is to be told of them."""
    schemas = {name: table.schema for name, table in version.tables.items()}
    return tell(change_set, version.label, schemas, _circumstances(work))


def messages(work: Workspace, telling: Telling, before: str) -> list[Message]:
    """What is to be told, on its way to the channels; ``before`` is what the messages' keys begin with."""
    return [
        message_of(alert, f"{before}-{alert.incident or alert.table}", work.config.alerts) for alert in telling.alerts
    ]


def refusal(work: Workspace, plan: RunPlan, table: str, error: HoldfastError) -> Finding:
    """The finding that tells of a table's refused deltas.

    The error may quote a row: where columns of the table are redacted, it is left to the run's log.
    """
    what = "" if work.config.redacted(table) else error.what
    said = shortened(error.gist or what, LONGEST)
    gist = f": {said}" if said else ""
    several = len(plan.pending[table]) > 1
    waits = _WAITS if len(work.config.tables) > 1 else ""
    delta = "s {} are refused, and nothing of them" if several else " {} is refused, and nothing of it"
    return Finding(
        kind=REFUSAL,
        table=table,
        delta=plan.label,
        headline=f"delta{delta.format(', '.join(plan.pending[table]))} was applied{gist}",
        details=tuple(
            line for line in (what if what != said else "", error.where, _to_do(error.remedy), waits) if line
        ),
        # How many rows there are changes with each delta that waits behind it.
        subject=f"{plan.pending[table][0]} {_FIGURE.sub('', error.what)}",
        values=(plan.pending[table][0],),
    )


def tell_refusal(work: Workspace, run_id: str, finding: Finding) -> bool:
    """Tells that a table's deltas are refused; once, however often they are tried for one reason.

    The message is put into the outbox by itself: the run may end without a version.

    Returns:
        Whether it is told now.
    """
    is_new = finding.signature not in _heard(work)
    if is_new:
        _tell_finding(work, run_id, finding, finding.signature)
    deliver(work, wait=False)
    return is_new


def _heard(work: Workspace) -> set[str]:
    return {name for incident in work.catalog.incidents(work.dataset) for name in incident.signatures}


def tell_left_out(work: Workspace, left_out: Mapping[str, "Found"]) -> frozenset[tuple[str, str]]:
    """Tells of the deltas that a source has and that are refused: late, changed, or the same file again; each once.

    While a delta lies there that repeats another, a further one like it is told with it.

    Returns:
        Those that were told before, each with its table.
    """
    heard, before = _heard(work), set[tuple[str, str]]()
    for table, there in left_out.items():
        repeated = set[str]()
        for held in there.refused:
            finding = Finding(
                kind=REFUSAL,
                table=table,
                delta=held.delta_id,
                headline=f"delta {held.delta_id} {held.reason}; nothing of it was applied",
                details=(_to_do(held.remedy),) if held.remedy else (),
                # Told once: why it is refused may read otherwise with each delta that is applied after it.
                subject=f"{held.delta_id} {held.reason}" if held.applied else held.delta_id,
                values=(held.delta_id,),
            )
            if finding.signature in heard or held.twin in repeated:
                before.add((table, held.delta_id))
            else:
                _tell_finding(work, "", finding, finding.signature)
            repeated.update([held.twin] if held.twin else [])
    return frozenset(before)


def _to_do(remedy: str) -> str:
    return f"What to do: {remedy.rstrip('.')}." if remedy else ""


def _tell_finding(work: Workspace, run_id: str, finding: Finding, named: str) -> None:
    """Puts the message of what makes no version into the outbox."""
    changes = ChangeSet(work.dataset, 0, run_id, {}, (), (finding,))

    def record() -> None:
        telling = tell(changes, finding.delta, {}, _circumstances(work))
        told_of = messages(work, telling, f"refused-{named}")
        work.catalog.save_incidents(work.dataset, telling.incidents, told_of, telling.known)

    as_they_are(record)


def as_they_are(record: Callable[[], _Recorded]) -> _Recorded:
    """Does what changes incidents, and again where people have changed them meanwhile; returns what came of it."""
    for _ in range(_MOST_CHANGES):
        try:
            return record()
        except ChangedMeanwhileError:
            continue
    return record()


def going_on(known: Iterable[Incident]) -> list[dict[str, Any]]:
    """The incidents that go on, small enough for an asset event or a task's result."""
    return [_in_short(incident) for incident in known if incident.status.goes_on]


def ended(known: Iterable[Incident], version: int) -> list[dict[str, Any]]:
    """The incidents that were over with this version: most of them end without a message."""
    over = (i for i in known if i.status is IncidentStatus.RECOVERED)
    last = ((incident, incident.events[-1]) for incident in over)
    return [_in_short(incident) for incident, event in last if (event.what, event.version) == (RECOVERED, version)]


def _in_short(incident: Incident) -> dict[str, Any]:
    names = ("number", "table", "opened", "latest", "owner", "deltas", "rows")
    own = {name: getattr(incident, name) for name in names}
    is_told = any((event.what, event.label) == (WORSE, incident.latest) for event in incident.events)
    said = {"headline": incident.diagnosis.headline, "lasting": lasting(incident), "told": is_told}
    return own | said | {"status": incident.status.value, "still_violating": incident.total if incident.broken else 0}


def without_usual(work: Workspace, delta: NormalizedDelta) -> NormalizedDelta:
    """The delta without the findings on rejects, repeated keys and rows that are gone, where these are usual."""
    before = [v.arrivals[delta.table] for v in work.catalog.versions(work.dataset) if delta.table in v.arrivals]
    before = before[-_LOADS:]
    counts = {
        REJECTS: (delta.rejects, [arrival.rejects for arrival in before]),
        REPEATED_KEYS: (delta.superseded, [arrival.superseded for arrival in before]),
        SHRUNK: (_lost(delta), list(map(_lost, before))),
    }
    usual = {kind for kind, (count, known) in counts.items() if is_usual(count, known)}
    if not _are_usual(delta.rejected_for, before):
        usual.discard(REJECTS)
    return replace(delta, findings=tuple(found for found in delta.findings if found["kind"] not in usual))


def _are_usual(kinds: Iterable[str], before: Sequence[Arrival]) -> bool:
    """Whether rejects of all these kinds are old news, as what three loads showed; or a load says no reasons."""
    if any(arrival.rejects and not arrival.rejected_for for arrival in before):
        return True
    return all(sum(kind in arrival.rejected_for for arrival in before) >= LASTING for kind in kinds)


def _lost(arrived: NormalizedDelta | Arrival) -> int:
    return max(0, arrived.deletes - arrived.inserts)


def _circumstances(work: Workspace) -> Circumstances:
    options = work.config.alerts
    known = work.catalog.incidents(work.dataset)
    return Circumstances(known, work.config.owner_of, options.remind_after, options.page, options.max_rows)


def deliver(work: Workspace, *, wait: bool, clock: Clock | None = None) -> dict[str, Any]:
    """Sends what waits in the dataset's outbox, of this version and of earlier ones.

    Args:
        work: the dataset.
        wait: whether to try again and again, for as long as the configuration says, where a channel fails.
        clock: the time.

    Returns:
        What became of each message at each channel, and how many deliveries still wait.
    """
    outbox, options = work.catalog.outbox, work.config.alerts
    senders = channels(options, work.settings.home / "artifacts")
    senders[FILE] = put_after(work, senders[FILE])
    tried = drain(outbox, work.dataset, senders, _patience(work, wait=wait), clock)
    return {"alerts": tried, "waiting": len(outbox.undelivered(work.dataset))}


def give_up_late(work: Workspace) -> None:
    """Gives up what has waited for too long.

    Raises:
        UndeliveredError: something has.
    """
    late = give_up(work.catalog.outbox, work.dataset, _patience(work, wait=False))
    if late:
        raise _undelivered(work, late)


def _patience(work: Workspace, *, wait: bool) -> Patience:
    options = work.config.alerts
    return Patience(timedelta(seconds=options.wait_seconds if wait else 0), timedelta(hours=options.give_up_hours))


def _undelivered(work: Workspace, late: list[Delivery]) -> UndeliveredError:
    said = {f"{delivery.channel}: {delivery.said}" for delivery in late}
    count = len({delivery.key for delivery in late})
    return UndeliveredError(
        f"{count} message{'s' if count > 1 else ''} of dataset {work.dataset!r} could not be delivered "
        f"within {work.config.alerts.give_up_hours:g} hours: {'; '.join(sorted(said))}",
        where="alerts.routes of the dataset's file; the messages are in the files beside the state, too",
        remedy=f"mend the route, then send them: holdfast deliver {work.dataset} --again",
    )
