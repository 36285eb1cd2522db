"""Sends what waits in the outbox: every message to each of its channels, until the channel has it or it is too late.

Whatever process comes by may send: it claims one delivery at a time, for the channels that it knows. A channel that
fails stops no other. What fails is tried again after growing pauses, by this process while it has patience, else by the
next that comes.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from profiling_core.alert.figures import counted
from profiling_core.alert.text_table import shortened
from profiling_core.model.message import Attempt, Delivery, DeliveryStatus
from profiling_core.model.texts import moment_text
from profiling_core.state.outbox import Outbox

Channel = Callable[[Delivery], Attempt]
# Seconds that one attempt may take; well within its lease.
LONGEST = 120.0
_LONGEST_SAID = 300
_log = logging.getLogger("profiling_core.alert")


@dataclass(frozen=True, slots=True)
class Clock:
    """The time, and waiting for it to pass."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class Patience:
    """For how long to wait for receivers that do not take a message: in this process, and in all."""

    here: timedelta
    in_all: timedelta


def drain(
    outbox: Outbox, dataset: str, channels: Mapping[str, Channel], patience: Patience, clock: Clock | None = None
) -> dict[str, dict[str, str]]:
    """Sends what is due to the channels; waits for what is due soon.

    A channel that does not answer while there is patience is left alone then: each of its messages would take as long.

    Args:
        outbox: the catalog's messages.
        dataset: whose messages to send.
        channels: by name, what sends to it.
        patience: only ``here`` counts.
        clock: the time.

    Returns:
        Per message key and channel tried ``sent``, or what went wrong; never a secret of its URL.
    """
    clock = clock or Clock()
    until, tried, left = clock.now() + patience.here, dict[str, dict[str, str]](), set(channels)
    while True:
        claimed = outbox.claim(dataset, left, clock.now())
        if claimed is not None:
            attempt = _attempt(claimed, channels[claimed.channel])
            outbox.record(claimed, attempt, clock.now())
            tried.setdefault(claimed.key, {})[claimed.channel] = attempt.said
            if not attempt.answered and clock.now() >= until:
                left.discard(claimed.channel)
            continue
        due = outbox.next_due(dataset, left)
        if due is None or due > until:
            return tried
        clock.sleep(max(0.0, (due - clock.now()).total_seconds()) + 0.001)


def give_up(outbox: Outbox, dataset: str, patience: Patience, clock: Clock | None = None) -> list[Delivery]:
    """Ends the waiting of what has been tried for longer than ``patience.in_all``; returns it."""
    now = (clock or Clock()).now()
    return outbox.give_up(dataset, now - patience.in_all, now)


def undelivered_lines(deliveries: Sequence[Delivery]) -> list[str]:
    """What has not been delivered, in a line per channel: how many, since when, when it is tried again, and why."""
    groups: dict[tuple[str, DeliveryStatus], list[Delivery]] = {}
    for delivery in deliveries:
        groups.setdefault((delivery.channel, delivery.status), []).append(delivery)
    return [_line(channel, status, some) for (channel, status), some in sorted(groups.items())]


def _line(channel: str, status: DeliveryStatus, some: Sequence[Delivery]) -> str:
    first, due = (moment_text(min(map(attrgetter(name), some))) for name in ("created_at", "due_at"))
    count = counted(len(some), "message")
    said = f": {some[0].said}" if some[0].said else ""
    if status is DeliveryStatus.GIVEN_UP:
        return f"{count} to {channel} could not be delivered (the first is of {first}){said}"
    return f"{count} to {channel} waiting since {first}; the next attempt is at {due}{said}"


def _attempt(delivery: Delivery, channel: Channel) -> Attempt:
    found: list[Attempt] = []
    # Apart, because a receiver that sends a byte now and then keeps every timeout of a connection from ending.
    sender = threading.Thread(target=lambda: found.append(_sent(delivery, channel)), daemon=True)
    sender.start()
    sender.join(LONGEST)
    late = Attempt(sent=False, said=f"failed: no answer within {LONGEST:g} seconds", answered=False)
    attempt = found[0] if found else late
    attempt = replace(attempt, said=shortened(attempt.said, _LONGEST_SAID))  # it may quote what a receiver answered
    if not attempt.sent:
        _log.warning("alert channel %s: %s", delivery.channel, attempt.said)
    return attempt


def _sent(delivery: Delivery, channel: Channel) -> Attempt:
    try:
        return channel(delivery)
    except Exception as error:  # noqa: BLE001 - whatever a channel raises, the others still get the message
        return Attempt(sent=False, said=f"failed: {type(error).__name__}")
