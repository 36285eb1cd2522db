"""What people decide about constraints. Decisions are only ever added; what stands is what they add up to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from profiling_core.model.constraint import Constraint, renamed
from profiling_core.model.delta_ids import in_order
from profiling_core.model.stored import Stored

Renames = Mapping[str, Mapping[str, str]]


class Verdict(StrEnum):
    """The kinds of decisions.

    ``pin``: follow it whatever its rank, and alert whenever it breaks. ``mute``: no alerts, for a while or for good.
    ``accept``: what is, is right: a candidate becomes active, a violated constraint may have the error that it has.
    ``reject``: a coincidence: it is retired and does not come back. ``note``: words for whoever looks next.
    """

    PIN = "pin"
    UNPIN = "unpin"
    MUTE = "mute"
    UNMUTE = "unmute"
    ACCEPT = "accept"
    UNACCEPT = "unaccept"
    REJECT = "reject"
    RESTORE = "restore"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Decision(Stored):
    """One decision about one constraint.

    ``until`` is the delta id up to which a mute lasts (empty: for good); ``error`` the error that an accepted
    constraint had; ``at`` is ISO 8601 in UTC; ``severity`` is what a pinned one's violation is to be called.
    """

    constraint: Constraint
    verdict: Verdict
    who: str
    at: str = ""
    until: str = ""
    error: float = 0.0
    note: str = ""
    severity: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """The standing of a constraint after all decisions about it. ``muted_until`` "" is for good, None not at all."""

    constraint: Constraint | None = None
    pinned: bool = False
    muted_until: str | None = None
    accepted: bool = False
    accepted_error: float = 0.0
    rejected: bool = False
    severity: str = ""
    notes: tuple[str, ...] = ()

    def muted(self, label: str) -> bool:
        """Whether alerts of the run with this label are muted; labels compare as delta ids do."""
        return self.muted_until is not None and (not self.muted_until or in_order(label) <= in_order(self.muted_until))

    @property
    def wanted(self) -> bool:
        """Whether a person wants it followed, whatever its rank."""
        return self.pinned or self.accepted

    @property
    def words(self) -> str:
        """``pinned, muted until 2024-05-01``; empty where nothing stands."""
        until = f" until {self.muted_until}" if self.muted_until else ""
        said = {
            "pinned": self.pinned,
            f"muted{until}": self.muted_until is not None,
            "accepted": self.accepted,
            "rejected": self.rejected,
        }
        return ", ".join(word for word, stands in said.items() if stands)


UNDECIDED = Decided()


def standing(decisions: Iterable[Decision], renames: Renames) -> dict[str, Decided]:
    """By fingerprint, what stands after decisions in the order in which they were made.

    Args:
        decisions: all decisions about a dataset's constraints, oldest first.
        renames: per table, the columns' former names and what they are called now: decisions follow them.
    """
    found: dict[str, Decided] = {}
    for decision in decisions:
        constraint = renamed(decision.constraint, renames)
        before = found.get(constraint.fingerprint, Decided(constraint))
        found[constraint.fingerprint] = _after(before, decision)
    return found


def rejected(decided: Mapping[str, Decided]) -> tuple[Constraint, ...]:
    """The constraints that people have rejected, of what stands by fingerprint."""
    return tuple(stands.constraint for stands in decided.values() if stands.rejected and stands.constraint)


def _after(before: Decided, decision: Decision) -> Decided:
    changed: dict[Verdict, dict[str, Any]] = {
        Verdict.PIN: {"pinned": True, "rejected": False, "severity": decision.severity or before.severity},
        Verdict.UNPIN: {"pinned": False},
        Verdict.MUTE: {"muted_until": decision.until},
        Verdict.UNMUTE: {"muted_until": None},
        Verdict.ACCEPT: {"accepted": True, "accepted_error": decision.error, "rejected": False},
        Verdict.UNACCEPT: {"accepted": False, "accepted_error": 0.0},
        Verdict.REJECT: {"rejected": True, "pinned": False, "accepted": False},
        Verdict.RESTORE: {"rejected": False},
        Verdict.NOTE: {},
    }
    notes = (*before.notes, decision.note) if decision.note else before.notes
    return replace(before, **changed[decision.verdict], notes=notes)
