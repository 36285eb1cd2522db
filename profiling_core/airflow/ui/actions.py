"""Decisions that people take on the pages: each equals a command of the command line, recorded with who and when."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from profiling_core.airflow.ui.places import workspace
from profiling_core.model.decision import Verdict
from profiling_core.model.errors import InputError
from profiling_core.model.incident import IncidentStatus
from profiling_core.pipeline import deciding, incident_handling
from profiling_core.pipeline.arriving import check_known
from profiling_core.pipeline.planning import Base
from profiling_core.pipeline.workspace import Workspace

Fields = Mapping[str, str]
_LONGEST = 2_000
"""Characters of a note: a page of text."""


@dataclass(frozen=True, slots=True)
class PageAction:
    """One possible action: its ``value`` in the form, the button's label, its effect, and the equivalent command.

    ``takes`` names the field that it needs (``owner``, ``until``, ``note``), empty if it needs none; ``optional`` says
    that
    the field may be empty.
    """

    value: str
    label: str
    effect: str
    command: str
    takes: str = ""
    optional: bool = False


INCIDENT_ACTIONS = (
    PageAction("acknowledge", "Acknowledge", "You take care of it; no reminders are sent.", "ack"),
    PageAction("assign", "Assign", "Somebody looks after it.", "assign", "owner"),
    PageAction("accept", "Accept", "The finding is right and is not reported again.", "accept", "note", optional=True),
    PageAction(
        "reject",
        "False alarm",
        "It was no error; similar findings are not reported again.",
        "reject",
        "note",
        optional=True,
    ),
    PageAction(
        "mute", "Mute", "It sends no messages, up to a day or while it goes on.", "mute", "until", optional=True
    ),
    PageAction(
        "close", "Close", "It is done; the same finding would be reported again.", "close", "note", optional=True
    ),
    PageAction("reopen", "Open again", "It is open again.", "reopen"),
    PageAction("note", "Note", "The next reader sees it.", "note", "note"),
    PageAction("undo", "Undo", "The last decision is taken back.", "undo"),
)
RULE_ACTIONS = (
    PageAction("pin", "Pin", "It is followed whatever its rank, and alerts whenever it breaks.", "pin"),
    PageAction("unpin", "Unpin", "It is followed by its rank again.", "pin --undo"),
    PageAction("mute", "Mute", "It sends no messages, up to a delta or for good.", "mute", "until", optional=True),
    PageAction("unmute", "Unmute", "It may alert again.", "mute --undo"),
    PageAction("accept", "Accept", "Its present error is accepted.", "accept", "note", optional=True),
    PageAction("unaccept", "Accept no more", "It is not accepted any more.", "accept --undo"),
    PageAction(
        "reject", "Reject", "It is a coincidence: it retires, and does not come back.", "reject", "note", optional=True
    ),
    PageAction("restore", "Follow again", "It may be followed again.", "reject --undo"),
    PageAction("note", "Note", "The next reader sees it.", "note", "note"),
)
_STATUSES = {
    "acknowledge": IncidentStatus.ACKNOWLEDGED,
    "accept": IncidentStatus.ACCEPTED,
    "reject": IncidentStatus.REJECTED,
    "mute": IncidentStatus.MUTED,
    "close": IncidentStatus.CLOSED,
    "reopen": IncidentStatus.OPEN,
}


def on_incident(dataset: str, number: int, fields: Fields, who: str) -> None:
    """Does what a form asks of an incident.

    Raises:
        InputError: the form names no possible action, or lacks a field.
        ChangedMeanwhileError: the incident has changed since the person looked at it; nothing was stored.
    """
    action = _chosen(INCIDENT_ACTIONS, fields)
    work, note, seen = workspace(dataset), _text(fields, "note"), _seen(fields)
    if action.value in _STATUSES:
        status = _STATUSES[action.value]
        until = _text(fields, "until")
        incident_handling.set_status(work, number, status, who=who, note=note, until=until, seen=seen)
        return
    others: dict[str, Callable[[], object]] = {
        "assign": lambda: incident_handling.assign(work, number, _text(fields, "owner"), who=who, note=note, seen=seen),
        "note": lambda: incident_handling.note(work, number, note, who=who, seen=seen),
        "undo": lambda: incident_handling.undo(work, number, who=who, seen=seen),
    }
    others[action.value]()


def on_rule(dataset: str, fingerprint: str, fields: Fields, who: str) -> None:
    """Does what a form asks of a rule; raises as :func:`on_incident` does."""
    action = _chosen(RULE_ACTIONS, fields)
    work: Workspace = workspace(dataset)
    verdict, until = Verdict(action.value), _text(fields, "until")
    deciding.decide(work, fingerprint, verdict, who=who, until=until, note=_text(fields, "note"), seen=_seen(fields))


def _chosen(among: tuple[PageAction, ...], fields: Fields) -> PageAction:
    wanted = fields.get("action", "")
    found = next((action for action in among if action.value == wanted), None)
    if found is None:
        raise InputError(f"{wanted!r} is nothing that can be done here", remedy="load the page again")
    if found.takes and not found.optional and not _text(fields, found.takes):
        raise InputError(f"{found.label} needs more: the field {found.takes!r} is empty", remedy="fill it in")
    return found


def _text(fields: Fields, name: str) -> str:
    return fields.get(name, "").strip()[:_LONGEST]


def _seen(fields: Fields) -> int:
    """The number of events when the person looked; every form of ours contains it."""
    try:
        return int(fields["seen"])
    except (KeyError, ValueError):
        raise InputError("the form does not say what you looked at", remedy="load the page again") from None


def done(fields: Fields) -> str:
    """The action that was done, for the page that reports it."""
    return fields.get("action", "")


def run_asked_for(dataset: str, fields: Fields) -> dict[str, object]:
    """The configuration of the run that a form asks for, as the DAG's own form would give it.

    Raises:
        InputError: the form names no possible run, an unknown table, or a delta that has neither arrived nor been
            applied.
    """
    wanted, value = fields.get("action", ""), _text(fields, "value")
    if wanted == "release":
        if value not in workspace(dataset).config.tables:
            raise InputError(f"dataset {dataset!r} has no table {value!r}", remedy="load the page again")
        return {"release": value}
    if wanted in ("apply", "dry run"):
        if value:
            work = workspace(dataset)
            check_known(work, value, Base.of(work).applied)
        return {"mode": wanted, "delta": value} if value else {"mode": wanted}
    raise InputError(f"{wanted!r} is nothing that can be run", remedy="load the page again")
