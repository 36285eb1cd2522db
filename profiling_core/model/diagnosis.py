"""What speaks for how to read a break: what the violating rows have in common, and what would mend them."""

from collections.abc import Mapping
from dataclasses import dataclass

from profiling_core.model.stored import Stored

# With fewer than five rows for one that differs, which of the two is right is told by neither.
_SURE = 0.75


@dataclass(frozen=True, slots=True)
class Concentration(Stored):
    """A value that the violating rows share more than chance explains.

    ``rows`` of the ``violating`` rows have it, and so have ``usual`` of the ``arrived`` rows of the delta.
    """

    column: str
    value: str | None
    rows: int
    violating: int
    usual: int
    arrived: int

    @property
    def words(self) -> str:
        """`` (with carrier UA)``, `` (22 of 26 with carrier UA)``, `` (without carrier)``."""
        many = "" if self.rows == self.violating else f"{self.rows:,} of {self.violating:,} "
        return f" ({many}{f'without {self.column}' if self.value is None else f'with {self.column} {self.value}'})"


@dataclass(frozen=True, slots=True)
class Replacement(Stored):
    """A value that stands out, and the one that the rows around it have: ``count`` rows, in the group ``where``.

    ``backed`` rows have the other value (0: it is computed, not taken from rows).
    """

    where: Mapping[str, str | None]
    before: str | None
    after: str | None
    count: int
    backed: int = 0

    @property
    def is_sure(self) -> bool:
        """Whether a further row of the group would have the other value three times in four, by Laplace's rule."""
        return not self.backed or (self.backed + 1) / (self.backed + self.count + 2) >= _SURE


@dataclass(frozen=True, slots=True)
class Repair(Stored):
    """The least that mends a break: values of one column to change in ``rows`` rows, or as many rows to remove.

    ``column`` is empty where rows have to go. ``examples`` are the replacements that mend the most rows.
    ``exact`` says that no smaller repair of the kind exists; else it is one that is known to do.
    """

    rows: int
    column: str = ""
    examples: tuple[Replacement, ...] = ()
    exact: bool = True

    @property
    def is_sure(self) -> bool:
        """Whether enough rows say what each of the values should be."""
        return all(example.is_sure for example in self.examples)


@dataclass(frozen=True, slots=True)
class Diagnosis(Stored):
    """The figures behind the reading of one break.

    ``standing_out`` of the new rows in a violation are those that it is owed to (0: not told apart). ``alike`` new rows
    agree with one of these on the left side of the FD that broke (0: no FD).
    """

    concentration: Concentration | None = None
    repair: Repair | None = None
    standing_out: int = 0
    alike: int = 0


NO_DIAGNOSIS = Diagnosis()
