"""What is to be told and to whom: messages that wait in the catalog until each channel has had them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from profiling_core.model.identity import fingerprint


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a number of channels.

    ``key`` is its identity within the dataset: a message is put into the catalog once, whoever tries again. ``version``
    is 0 where it tells of no version: of a delta that was refused, of a run that failed. ``body`` is what channels
    show, as plain JSON data.
    """

    key: str
    version: int
    table: str
    body: Mapping[str, Any]
    channels: tuple[str, ...]


class DeliveryStatus(StrEnum):
    """The status of a message at one channel."""

    WAITING = "waiting"
    SENT = "sent"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message on its way to one channel. Instants are ISO 8601 in UTC.

    ``attempts`` counts those begun; the next one may be made from ``due_at`` on, by a process that holds the ``lease``,
    which is someone else's until ``leased_until``. ``said`` is what the last attempt came to, in words.
    """

    dataset: str
    key: str
    channel: str
    table: str
    version: int
    body: Mapping[str, Any]
    status: DeliveryStatus
    attempts: int
    due_at: str
    lease: str
    leased_until: str
    said: str
    created_at: str

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this delivery, and for no other one."""
        return fingerprint("delivery", [self.dataset, self.key, self.channel, self.created_at])


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of one attempt. A receiver that asks for a pause says for how many seconds in ``retry_after``.

    ``lasting``: it will not go better before a person does something. ``answered``: the receiver did, if by refusing.
    """

    sent: bool
    said: str = "sent"
    retry_after: float = 0.0
    lasting: bool = False
    answered: bool = True
