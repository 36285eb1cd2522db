"""What every source can do: say what is there, open deltas, and read their parts.

The rest of the program knows sources by these classes alone. A delta's *position* is what identifies its content to the
source (its files' digests, a table's version); it is kept with the version that applied the delta.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from profiling_core.ingest.rows import RowChunk
from profiling_core.model.delta_ids import in_order
from profiling_core.spark.sources import SourcePart

if TYPE_CHECKING:
    import pyarrow as pa

    from profiling_core.ingest.slashed_days import Reading

Position = Mapping[str, Any]
Applied = Mapping[str, Position]
"""The positions of the deltas that a table holds, by their ids, in the order in which they were applied."""


def newest_position(applied: Applied, *fields: str) -> Position | None:
    """The position of the delta that was applied last; None where no position is known, or it lacks one of the fields.

    A position without them is another source's: the table has come from there until now.
    """
    newest = next((position for position in reversed(list(applied.values())) if position), {})
    return newest if newest and newest.keys() >= set(fields) else None


def unused(delta_id: str, applied: Applied) -> str:
    """An id that no applied delta has: that of a state to which a source returns gets a number behind it."""
    return delta_id if delta_id not in applied else f"{delta_id}+{len(applied)}"


@dataclass(frozen=True, slots=True)
class Held:
    """A delta that is there and not taken: why, and what a person can do.

    ``settles_in`` are the seconds after which it may be taken if nothing happens to it (None: no time helps);
    ``applied``: what it was before is applied.
    """

    delta_id: str
    reason: str
    remedy: str = ""
    settles_in: float | None = None
    applied: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What a source has for a table.

    Attributes:
        pending: the deltas to apply, in order.
        waiting: those that are not complete yet, or come after one that is not.
        refused: those that need a person.
        warnings: what else people should know.
    """

    pending: tuple[str, ...] = ()
    waiting: tuple[Held, ...] = ()
    refused: tuple[Held, ...] = ()
    warnings: tuple[str, ...] = ()

    def up_to(self, label: str | None) -> "Found":
        """Without the deltas whose ids come after ``label`` (None: all stay), a day being all of its instants."""
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
    """Reads the parts of deltas. It travels to Spark's tasks.

    Attributes:
        typed: columns come with Arrow types; else as texts, whose types are inferred.
        optional: a row may lack columns (they are null), so that only all rows of a delta tell which there are.
    """

    @property
    def typed(self) -> bool: ...  # noqa: D102 -- see the class

    @property
    def optional(self) -> bool: ...  # noqa: D102 -- see the class

    def names(self, part: SourcePart) -> tuple[str, ...]:
        """The columns of a part, ``_op`` among them where its rows say what they do."""
        ...

    def schema(self, part: SourcePart) -> "pa.Schema":
        """The columns of a part with their types, of a source that is ``typed``."""
        ...

    def allowed(self, part: SourcePart) -> Mapping[str, frozenset["Reading"]]:
        """The types that a part's notation leaves a column, whatever its texts: JSON's strings are no numbers."""
        ...

    def chunks(self, part: SourcePart, names: Sequence[str], seen: set[str] | None = None) -> Iterator[RowChunk]:
        """The rows of a part, with at least these columns; the names that occur are added to ``seen``.

        Raises:
            InputError: the part cannot be read.
        """
        ...

    def total(self, part: SourcePart, /) -> int | None:
        """How many lines or records a part has, counted without reading them; None: only reading tells.

        The accounts of :meth:`chunks` add up to it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Batch:
    """Deltas that are about to be read.

    Attributes:
        parts: what to read, numbered, the deltas in order.
        reader: reads them.
        operations: each row says in ``_op`` what it does; else every row is one that is there.
        whole: each delta is the whole table, and changes are the differences to the one before.
        positions: the deltas' positions by id.
        deltas: what parts' steps count: the deltas, or the last one alone where it stands for all of them.
        notes: what people should know of how they are read.
    """

    parts: tuple[SourcePart, ...]
    reader: Reader
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
        """What there is beside what is applied, up to a label; see :meth:`Found.up_to`.

        Raises:
            ConfigurationError: the place does not exist.
            InputError: what lies there contradicts itself.
            UnreachableError: the place does not answer.
        """
        ...

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:
        """Deltas that :meth:`look` has told of.

        Args:
            delta_ids: the deltas, as they follow one another.
            applied: the deltas that they follow.

        Raises:
            InputError: one of them is not there (any more).
        """
        ...

    def confirm(self, batch: Batch) -> None:
        """Raises ``InputError`` where what was read is not what was opened: it changed in between."""
        ...
