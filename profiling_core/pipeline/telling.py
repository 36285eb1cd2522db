"""Who is told what: the messages that a version makes true, and sending what waits in the outbox."""

from datetime import timedelta
from typing import Any

from profiling_core.alert.channels import channels, message_of
from profiling_core.alert.delivery import Clock, Patience, drain, give_up
from profiling_core.alert.message import alerts_of
from profiling_core.model.change import ChangeSet
from profiling_core.model.errors import StateError
from profiling_core.model.message import Delivery, Message
from profiling_core.model.version import Version
from profiling_core.pipeline.workspace import Workspace


class UndeliveredError(StateError):
    """Messages that no channel took in all the time that there was."""


def messages(work: Workspace, version: Version, change_set: ChangeSet) -> list[Message]:
    """What is to be told of a version, and to which channels."""
    schemas = {name: table.schema for name, table in version.tables.items()}
    options = work.config.alerts
    made = alerts_of(change_set, version.label, schemas, most_rows=options.max_rows)
    return [message_of(alert, f"{version.number}-{alert.table}", options) for alert in made]


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
    tried = drain(outbox, work.dataset, senders, _patience(work, wait=wait), clock)
    return {"alerts": tried, "waiting": len(outbox.undelivered(work.dataset))}


def give_up_late(work: Workspace, clock: Clock | None = None) -> None:
    """Gives up what has waited for too long.

    Raises:
        UndeliveredError: there is such.
    """
    late = give_up(work.catalog.outbox, work.dataset, _patience(work, wait=False), clock)
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
