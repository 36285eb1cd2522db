"""The outbox: messages in the catalog, and what has become of each at each channel.

A message is written in the transaction that makes it true, so that none is lost where a process ends. Whoever sends one
holds a lease on it meanwhile, so that no two processes send it at once. A process that ends between sending and
recording leaves a lease that is nobody's: the message is sent again, with the same idempotency key. That it has ended
is seen on its own machine at once, and elsewhere when the lease has run out: by the clock of the database that they
share, since those of two machines may differ by more than a lease.
"""

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, Select, and_, func, or_, select

from profiling_core.model.message import Attempt, Delivery, DeliveryStatus, Message
from profiling_core.state import models
from profiling_core.state.engine import insert_of, transaction
from profiling_core.state.lease import has_ended, new_lease
from profiling_core.state.row_checksums import SEAL, change, damaged, proven, seal_of, sealed

# Longer than any channel takes to answer: its connections time out long before.
LEASE = timedelta(minutes=5)
_FIRST_PAUSE, _GROWTH, _LONGEST_PAUSE = timedelta(seconds=2), 4, timedelta(hours=1)
_LASTING_PAUSE, _MOST_ASKED = timedelta(minutes=10), timedelta(days=1)
_MESSAGE_SEAL = "message_seal"
_M, _D = models.messages, models.deliveries
_SAME = and_(_M.c.dataset == _D.c.dataset, _M.c.key == _D.c.key)


def instant(now: datetime) -> str:
    """A moment as the catalog keeps it; these texts compare as the moments do."""
    return now.isoformat(timespec="milliseconds")


def put(connection: Connection, dataset: str, messages: Iterable[Message], now: str) -> None:
    """Adds messages that are not there yet, and lets each wait at those of its channels where it does not yet.

    They are sent in their order: each counts as a millisecond older than the next.
    """
    for place, message in enumerate(messages):
        made = instant(datetime.fromisoformat(now) + timedelta(milliseconds=place))
        row = {"dataset": dataset, "key": message.key, "number": message.version, "table_name": message.table}
        added = insert_of(connection, _M).values(sealed(_M, row | {"body": dict(message.body), "created_at": made}))
        connection.execute(added.on_conflict_do_nothing())
        for channel in message.channels:
            waiting = insert_of(connection, _D).values(sealed(_D, _waiting(dataset, message.key, channel, now)))
            connection.execute(waiting.on_conflict_do_nothing())


def _waiting(dataset: str, key: str, channel: str, now: str) -> dict[str, Any]:
    where = {"dataset": dataset, "key": key, "channel": channel, "status": DeliveryStatus.WAITING.value}
    return where | {"attempts": 0, "waiting_since": now, "due_at": now, "lease": "", "leased_until": "", "said": ""}


class Outbox:
    """The messages of one catalog. Every method is a transaction of its own; moments are in UTC."""

    def __init__(
        self,
        engine: Engine,
        changing: Callable[[str], AbstractContextManager[Connection]],
        keep: Callable[[Connection, str, int], None],
    ) -> None:
        """The outbox.

        ``changing`` is a transaction that changes a dataset, ``keep`` writes what became of a version's messages beside
        its files.
        """
        self._engine, self._changing, self._keep = engine, changing, keep

    def put(self, dataset: str, messages: Iterable[Message], now: datetime) -> None:
        """Adds messages that no version makes true, or further channels to those that there are."""
        with self._changing(dataset) as connection:
            put(connection, dataset, messages, instant(now))

    def claim(self, dataset: str, channels: Collection[str], now: datetime) -> Delivery | None:
        """Leases the oldest delivery to one of the channels that is due and nobody's; None where there is none."""
        with self._changing(dataset) as connection:
            now += _ahead(connection)
            due = and_(_waits(dataset, channels), _D.c.due_at <= instant(now), _D.c.leased_until <= instant(now))
            oldest = _deliveries(due).order_by(_D.c.attempts, _M.c.created_at, _D.c.key, _D.c.channel).limit(1)
            _correct(connection, dataset, now)
            rows = proven(_D, connection.execute(oldest.with_for_update(skip_locked=True, of=_D)).mappings())
            if not rows:
                return None
            found = rows[0]
            leased = {"lease": new_lease(), "leased_until": instant(now + LEASE)}
            taken = leased | {"attempts": found["attempts"] + 1}
            change(connection, _D, found, **taken)
            return _delivery({**found, **taken})

    def record(self, delivery: Delivery, attempt: Attempt, now: datetime) -> None:
        """Notes what an attempt came to, and when the next one may be made; nothing where the lease is lost."""
        status = DeliveryStatus.SENT if attempt.sent else DeliveryStatus.WAITING
        ours = and_(_is(delivery.dataset, delivery.key, delivery.channel), _D.c.lease == delivery.lease)
        with self._changing(delivery.dataset) as connection:
            now += _ahead(connection)
            due = instant(now if attempt.sent else now + _pause(delivery.attempts, attempt))
            values = {"status": status.value, "due_at": due, "lease": "", "leased_until": "", "said": attempt.said}
            for row in proven(_D, connection.execute(select(_D).where(ours).with_for_update()).mappings()):
                change(connection, _D, row, **values)
            self._keep(connection, delivery.dataset, delivery.version)

    def next_due(self, dataset: str, channels: Collection[str]) -> datetime | None:
        """The first moment at which a delivery to one of the channels can be claimed; None where none waits."""
        query = select(_D.c.due_at, _D.c.leased_until).where(_waits(dataset, channels))
        with transaction(self._engine, write=False) as connection:
            moments = [max(row.due_at, row.leased_until) for row in connection.execute(query)]
            return datetime.fromisoformat(min(moments)) - _ahead(connection) if moments else None

    def give_up(self, dataset: str, waiting_since: datetime, now: datetime) -> list[Delivery]:
        """Ends the waiting of what was tried and has waited since before a moment; returns it."""
        with self._changing(dataset) as connection:
            ahead = _ahead(connection)
            free = _D.c.leased_until <= instant(now + ahead)
            late = and_(_waits(dataset), _D.c.waiting_since < instant(waiting_since + ahead), free, _D.c.attempts > 0)
            waiting = _deliveries(late).with_for_update(skip_locked=True, of=_D)
            found = proven(_D, connection.execute(waiting).mappings())
            for row in found:
                change(connection, _D, row, status=DeliveryStatus.GIVEN_UP.value)
            for number in {row["number"] for row in found}:
                self._keep(connection, dataset, number)
        return [_delivery({**row, "status": DeliveryStatus.GIVEN_UP.value}) for row in found]

    def again(self, dataset: str, now: datetime) -> int:
        """Makes all that waits, or was given up, due at once, its time counted anew; says how many these are."""
        open_ones = and_(_D.c.dataset == dataset, _D.c.status != DeliveryStatus.SENT.value)
        values = {"status": DeliveryStatus.WAITING.value, "attempts": 0}
        with self._changing(dataset) as connection:
            at = instant(now + _ahead(connection))
            values |= {"waiting_since": at, "due_at": at}
            found = proven(_D, connection.execute(select(_D).where(open_ones).with_for_update()).mappings())
            for row in found:
                change(connection, _D, row, **values)
        return len(found)

    def undelivered(self, dataset: str) -> list[Delivery]:
        """The deliveries that wait and those that were given up, oldest first."""
        open_ones = and_(_D.c.dataset == dataset, _D.c.status != DeliveryStatus.SENT.value)
        query = _deliveries(open_ones).order_by(_M.c.created_at, _D.c.key, _D.c.channel)
        with transaction(self._engine, write=False) as connection:
            return [_delivery(row) for row in proven(_D, connection.execute(query).mappings())]


def _ahead(connection: Connection) -> timedelta:
    """By how much the clock of a database that several machines share is ahead of this machine's, at least.

    Its answer takes a while, and longer on a busy machine. A moment between question and answer is no difference.
    """
    if connection.dialect.name == "sqlite":
        return timedelta(0)
    asked = datetime.now(UTC)
    there: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    answered = datetime.now(UTC)
    return there - min(max(there, asked), answered)


def _correct(connection: Connection, dataset: str, now: datetime) -> None:
    """Mends what waits for a moment that no process means any more: its holder has ended, or the clock was set back."""
    moments = (_D.c.leased_until > instant(now), _D.c.due_at > instant(now), _D.c.waiting_since > instant(now))
    odd = select(_D).where(_waits(dataset), or_(*moments)).with_for_update(skip_locked=True)
    for row in proven(_D, connection.execute(odd).mappings()):
        values = _corrected(row, now)
        if values != {name: row[name] for name in values}:
            change(connection, _D, row, **values)


def _corrected(row: RowMapping, now: datetime) -> dict[str, str]:
    if row["lease"] and has_ended(row["lease"]):
        return {"lease": "", "leased_until": "", "due_at": min(row["due_at"], instant(now))}
    # A lease that a clock ahead of this one gave ends after its time from now on: its holder may be sending still.
    until = min(row["leased_until"], instant(now + LEASE))
    if row["waiting_since"] > instant(now):
        return {"leased_until": until, "due_at": instant(now), "waiting_since": instant(now)}
    return {"leased_until": until, "due_at": min(row["due_at"], instant(now + _MOST_ASKED))}


def _pause(attempts: int, attempt: Attempt) -> timedelta:
    """The pause after ``attempts``: four times as long each time, and never less than the receiver asks."""
    grown: timedelta = min(_LONGEST_PAUSE, _FIRST_PAUSE * _GROWTH ** min(attempts - 1, 10))
    asked = timedelta(seconds=min(attempt.retry_after, _MOST_ASKED.total_seconds()))
    return max(grown, asked, _LASTING_PAUSE if attempt.lasting else grown)


def _waits(dataset: str, channels: Collection[str] | None = None) -> Any:
    waits = and_(_D.c.dataset == dataset, _D.c.status == DeliveryStatus.WAITING.value)
    return waits if channels is None else and_(waits, _D.c.channel.in_(list(channels)))


def _is(dataset: str, key: str, channel: str) -> Any:
    return and_(_D.c.dataset == dataset, _D.c.key == key, _D.c.channel == channel)


def _deliveries(condition: Any) -> Select[Any]:
    message = (_M.c.table_name, _M.c.number, _M.c.body, _M.c.created_at, _M.c[SEAL].label(_MESSAGE_SEAL))
    return select(_D, *message).join(_M, _SAME).where(condition)


def _delivery(row: Any) -> Delivery:
    if row[_MESSAGE_SEAL] != seal_of({column.name: row[column.name] for column in _M.columns if column.name != SEAL}):
        raise damaged(f"message {row['key']!r} is not what was stored")
    same = ("dataset", "key", "channel", "body", "attempts", "due_at", "lease", "leased_until", "said", "created_at")
    return Delivery(
        **{name: row[name] for name in same},
        table=row["table_name"],
        version=row["number"],
        status=DeliveryStatus(row["status"]),
    )
