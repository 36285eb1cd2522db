"""What every source can do: report its deltas, open them, and read their parts.

The rest of the program knows sources only by these classes. A delta's *position* identifies its content to the source
(its files' digests, a table's version); it is kept with the version that applied the delta.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from profiling_core.ingest.rows import RowChunk
from profiling_core.model.delta_ids import in_order
from profiling_core.model.stored import Given, Stored
from profiling_core.spark.sources import SourcePart

if TYPE_CHECKING:
    import pyarrow as pa

    from profiling_core.ingest.slashed_days import Reading

Position = Mapping[str, Any]
Applied = Mapping[str, Position]
"""The positions of the deltas that a table holds, by id, in the order of application."""

WHOLE = "where each file is the whole table, set kind: snapshot under source"
"""What may be meant where rows come that are there already."""


def newest_position(applied: Applied, *fields: str) -> Position | None:
    """The position of the delta that was applied last; None if no position is known, or it lacks one of the fields.

    A position without them belongs to another source, which the table had until now.
    """
    newest = next((position for position in reversed(list(applied.values())) if position), {})
    return newest if newest and newest.keys() >= set(fields) else None


def unused(delta_id: str, applied: Applied) -> str:
    """An id that no applied delta has: if a source returns to an earlier state, the id gets a number."""
    return delta_id if delta_id not in applied else f"{delta_id}+{len(applied)}"


@dataclass(frozen=True, slots=True)
class Held:
    """A delta that is there but not taken: why, and what a person can do.

    ``settles_in`` are the seconds after which it may be taken if it does not change (None: waiting does not help);
    ``applied``: its earlier content is applied. ``twin``: the delta whose content it has.
    """

    delta_id: str
    reason: str
    remedy: str = ""
    settles_in: float | None = None
    applied: bool = False
    twin: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The deltas that a source has for a table.

    Attributes:
        pending: the deltas to apply, in order.
        waiting: those that are not complete yet, or come after one that is not.
        refused: those that need a person.
        warnings: other messages for people.
    """

    pending: tuple[str, ...] = ()
    waiting: tuple[Held, ...] = ()
    refused: tuple[Held, ...] = ()
    warnings: tuple[str, ...] = ()

    def up_to(self, label: str | None) -> "Found":
        """Without the deltas whose ids come after ``label`` (None: all stay); a day includes all of its instants."""
        if label is None:
            return self
        waiting, refused = (
            tuple(h for h in held if reaches(label, h.delta_id)) for held in (self.waiting, self.refused)
        )
        return Found(tuple(d for d in self.pending if reaches(label, d)), waiting, refused, self.warnings)


def reaches(label: str, delta_id: str) -> bool:
    """Whether a delta comes no later than a label; ``2024-05-01T02:00:00Z.v7`` is part of ``2024-05-01``."""
    return in_order(delta_id) <= in_order(label) or delta_id.startswith(f"{label}T")


class Reader(Protocol):
    """Reads the parts of deltas. It is pickled for Spark's tasks.

    Attributes:
        typed: columns have Arrow types; else they are texts, whose types are inferred.
        optional: a row may lack columns (they are null), so that only all rows of a delta show which columns there are.
    """

    @property
    def typed(self) -> bool: ...  # noqa: D102 -- see the class

    @property
    def optional(self) -> bool: ...  # noqa: D102 -- see the class

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """The columns of a part, with ``_op`` if its rows carry operations."""
        ...

    def schema(self, part: SourcePart) -> "pa.Schema":
        """The columns of a part with their types, of a source that is ``typed``."""
        ...

    def allowed(self, part: SourcePart) -> Mapping[str, frozenset["Reading"]]:
        """The readings that a part's notation allows a column, whatever its texts: JSON's strings are no numbers."""
        ...

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:
        """The rows of a part, with at least these columns; the names that occur are added to ``seen``.

        Raises:
            InputError: the part cannot be read.
        """
        ...

    def total(self, part: SourcePart, /) -> int | None:
        """How many lines or records a part has, counted without reading them; None: only reading tells.

        The accounts of :meth:`chunks` add up to this number.
        """
        ...


@dataclass(frozen=True, slots=True)
class Batch(Stored):
    """Deltas that are about to be read.

    Attributes:
        parts: the parts to read, numbered, with the deltas in order.
        reader: reads them; it is not written with the batch.
        operations: each row has its operation in ``_op``; else each row is one that exists.
        whole: each delta is the whole table, and changes are the differences to the one before.
        positions: the deltas' positions by id.
        deltas: the deltas that the parts' steps number, or only the last one if it stands for all of them.
        notes: messages for people on how the deltas are read.
    """

    parts: tuple[SourcePart, ...]
    reader: Given[Reader]
    operations: bool
    whole: bool
    positions: Applied
    deltas: tuple[str, ...]
    notes: tuple[str, ...] = ()


class TableSource(Protocol):
    """Where the deltas of one table come from."""

    @property
    def where(self) -> str:
        """The place as people know it; without secrets."""
        ...

    def look(self, applied: Applied, label: str | None) -> Found:
        """The deltas beside the applied ones, up to a label; see :meth:`Found.up_to`.

        Raises:
            ConfigurationError: the place does not exist.
            InputError: its content contradicts itself.
            UnreachableError: the place does not answer.
        """
        ...

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:
        """Opens deltas that :meth:`look` has reported.

        Args:
            delta_ids: the deltas, as they follow one another.
            applied: the deltas that they follow.

        Raises:
            InputError: one of them is not there (any more).
        """
        ...

    def confirm(self, batch: Batch) -> None:
        """Raises ``InputError`` if the source changed between opening and reading."""
        ...
