"""What a check of a delta has found, whatever the check: the one form in which findings become incidents.

A finding says in words what is wrong, and by figures and rows how much: a rule that broke, rows that were rejected, a
file that came twice, a column that is a hundred times its usual size. What belongs to one cause is put together later,
by the columns and rows that findings share.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from profiling_core.model.identity import fingerprint
from profiling_core.model.stored import Sparse, Stated, Stored

CONSTRAINT = "constraint"
SET_ASIDE = "set aside"
REJECTS = "rejects"
REFUSAL = "refusal"
REPEATED_KEYS = "repeated keys"
SHRUNK = "shrunk"
# The magnitude of a broken rule that says which cell to change: the greatest a rule has.
NAMES_THE_CELL = 2.0

_OF_NO_LOAD = (CONSTRAINT, SET_ASIDE, REJECTS, REPEATED_KEYS, SHRUNK, REFUSAL)
# How a part of a column's numbers is spread goes on as the size of all of them.
_FIGURES = {"spread": "scale"}
Values = Mapping[str, str | None]


def row_identity(table: str, values: Values) -> str:
    """What a row of a table is known by from version to version: a column that comes later is null in it."""
    return fingerprint(table, sorted((name, value) for name, value in values.items() if value is not None))


@dataclass(frozen=True, slots=True)
class Evidence(Stored):
    """One row that shows a finding, column name → text of the value (None: null).

    ``wrong`` are the columns whose cells are at fault, ``expected`` what these should be where that is known,
    ``beside`` a row that it contradicts, and ``place`` and ``beside_place`` where these came from: ``17.csv, line 4``.
    ``id`` is the row's id until its place is known.
    ``identity`` is the same for the same row in other findings, whichever of its columns these show, and
    ``beside_identity`` that of the row that it contradicts. ``against`` says what of that row it contradicts, if
    that is another column: ``the end of the row before is 2024-03-07``.
    """

    values: Values
    wrong: tuple[str, ...] = ()
    expected: Values = field(default_factory=dict)
    beside: Values | None = None
    place: str = ""
    identity: str = ""
    beside_place: Sparse[str] = ""
    id: Stated[int] = None
    instead: Sparse[Values] = field(default_factory=dict)
    beside_identity: Sparse[str] = ""
    against: Sparse[str] = ""


@dataclass(frozen=True, slots=True)
class Finding(Stored):
    """One thing that a check found in a delta.

    ``kind`` names the check (``scale``, ``completeness``, ``rejects`` …) and ``headline`` says in one sentence what is
    wrong, where and how many, without a full stop: ``all 84 orders have 100 times their usual amount``. ``cause`` is
    what is likely behind it (``cents instead of euros?``), ``details`` are further sentences, and ``mended`` says what
    would fix it. ``rows`` show it,
    ``count`` rows are concerned of ``arrived`` that came. ``magnitude`` says how far beyond the usual it is, or of a
    broken rule how surely it names the wrong cell: of one incident's findings that explain as much the greatest is told
    first. ``size`` says on a scale of its kind (a share, a logarithm, hours) how far from the usual it is, and in which
    direction, ``room`` what chance makes of that; ``values`` are those that it misses, each for itself, or the one that
    has another share. ``subject`` tells findings of one kind in one column apart, as a constraint's fingerprint does. A
    finding about the ``whole_load`` explains all else that is found in its columns, and without columns all else in its
    table, and in tables that refer to it, which these say by ``refers_to``. Values of redacted columns stand in
    ``rows`` alone, never in words. ``refers_at`` are the columns of other tables that it speaks of: what is wrong in
    these explains it. Of a broken rule ``values`` are what the rows at fault say, where a rule tells it.
    ``signed``: a person has asked for the rule. ``again``: the rule stood broken before, and that more rows violate it
    is no news by itself. What only ``explains`` others is told as the diagnosis of what they show, never by itself.
    """

    kind: str
    table: str
    delta: str
    headline: str
    columns: tuple[str, ...] = ()
    cause: str = ""
    details: tuple[str, ...] = ()
    rows: tuple[Evidence, ...] = ()
    count: int = 0
    arrived: int = 0
    magnitude: float = 0.0
    subject: str = ""
    whole_load: bool = False
    refers_to: tuple[str, ...] = ()
    size: float | None = None
    room: float = 0.0
    values: tuple[str, ...] = ()
    signed: bool = False
    again: bool = False
    mended: str = ""
    explains: Sparse[bool] = False
    refers_at: Sparse[tuple[str, ...]] = ()

    @property
    def of_load(self) -> bool:
        """Whether the judges of loads have found it: of what they see people may say that it is usual now."""
        return self.kind not in _OF_NO_LOAD

    @property
    def identity(self) -> tuple[str, ...]:
        """What it is a finding of, whichever values show it: a rule, or what checks of a kind see in some columns."""
        of = (self.subject,) if self.kind in (CONSTRAINT, SET_ASIDE) else sorted(self.columns)
        return (_FIGURES.get(self.kind, self.kind), self.table, *of)

    @property
    def names(self) -> frozenset[str]:
        """The values that it speaks of, or what it says of its columns where it names none."""
        said = () if self.kind in (CONSTRAINT, SET_ASIDE) or not self.subject else (self.subject,)
        return frozenset(self.values or said)

    @property
    def signature(self) -> str:
        """What stays the same where the next delta shows the same again."""
        return fingerprint("finding", [self.kind, self.table, sorted(self.columns), self.subject])
