"""Dataset versions: which immutable files and which deltas make one, and the plan of the run that makes the next."""

from collections.abc import Collection, Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from profiling_core.model.errors import StateError
from profiling_core.model.identity import DATASET
from profiling_core.model.predicate import PredicateSpace
from profiling_core.model.schema import TableSchema
from profiling_core.model.stored import Hidden, Sparse, Stored

RELEASED = "released-"
"""How the ids of deltas begin that bring back rows which had been set aside."""
DRY = "-dry"
"""How the ids of runs end that commit nothing: they remove what they staged while others may apply the same deltas."""
ROWS, DELETED, QUARANTINED, ASIDE = "rows", "deleted", "quarantine", "aside"
"""The roles of a table's row files."""
INDEX = "index"
"""The role of the arrays by which the indexed engine looks up what a delta violates; all are mapped for each delta."""
KEY_INDEX = "key-index"
"""The role of what finds a table's stored rows by key."""
HELD = "held"
"""The role of the finding that says why a table's deltas wait: they were refused, and the other tables went on."""
LOADS = "loads"
"""The role of the file that holds what a table's loads have looked like."""


@dataclass(frozen=True, slots=True)
class FileRef:
    """One immutable file of a version. ``table`` is empty for files of the whole dataset.

    ``path`` is relative to the state directory; ``sha256`` is the hexadecimal digest of its bytes.
    """

    table: str
    role: str
    path: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class TableState(Stored):
    """A table in one version: its fixed schema and predicate space, its size, the next free row id."""

    schema: TableSchema
    space: PredicateSpace
    rows: int
    next_row_id: int


@dataclass(frozen=True, slots=True)
class Arrival(Stored):
    """The arrivals of one table in one run: ids and counts of its deltas.

    ``positions`` are by delta id what identifies its content to its source, such as its files' digests.
    ``rejected_for`` are the reasons of its rejects, each with the column of the wrong cell; older versions lack them.
    """

    delta_ids: tuple[str, ...]
    inserts: int
    deletes: int
    updates: int
    superseded: int
    rejects: int
    set_aside: int = 0
    unchanged: int = 0
    positions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rejected_for: Sparse[tuple[str, ...]] = ()


def _file(data: Any) -> FileRef:
    return data if isinstance(data, FileRef) else FileRef(*data)


@dataclass(frozen=True, slots=True)
class Version(Stored):
    """One committed state of a dataset. ``label`` is the newest delta id that the run was asked for.

    Of a version that is not ``kept`` any more the files are gone.
    """

    dataset: str
    number: int
    run_id: str
    label: str
    tables: Mapping[str, TableState]
    arrivals: Mapping[str, Arrival]
    files: tuple[Annotated[FileRef, BeforeValidator(_file), PlainSerializer(astuple)], ...]
    created_at: str = ""
    kept: Hidden[bool] = True

    def files_of(self, role: str, table: str = DATASET) -> tuple[FileRef, ...]:
        """The files that play a role for a table, or for the dataset.

        Raises:
            StateError: the version's files are not kept any more, only its history is.
        """
        if not self.kept:
            raise StateError(
                f"the files of version {self.number} are not kept any more",
                where=f"dataset {self.dataset!r}",
                remedy="read a later version, or restore a backup; `retention` in the dataset's file and "
                "`holdfast gc --keep` say for how long files are kept",
            )
        return tuple(f for f in self.files if f.role == role and f.table == table)


@dataclass(frozen=True, slots=True)
class RunPlan(Stored):
    """The plan of one run: per table the pending delta ids in order, on top of ``base_version`` (0: none yet).

    ``run_id`` is derived from dataset, label, and the deltas, so that the same work has the same identity. With nothing
    pending, ``committed_version`` names the version that an earlier run with this label made (None: there is none).
    A run with ``released`` applies rows that earlier ones set aside; one whose id ends in ``DRY`` commits nothing.
    ``lost`` are the files of the base version that are damaged, which a rebuild does without; ``instead`` what it reads
    in their place.
    """

    dataset: str
    run_id: str
    label: str
    base_version: int
    pending: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    committed_version: int | None = None
    rebuild: bool = False
    released: bool = False
    lost: tuple[FileRef, ...] = ()
    instead: tuple[FileRef, ...] = ()

    @property
    def dry(self) -> bool:
        """Whether it commits nothing, and tells nobody but who has started it."""
        return self.run_id.endswith(DRY)

    def without(self, tables: Collection[str]) -> "RunPlan":
        """The plan of the tables whose deltas are not refused."""
        return replace(self, pending={table: ids for table, ids in self.pending.items() if table not in tables})

    def without_lost(self, base: Version) -> Version:
        """The version that the run builds on, with what takes the place of files that are lost."""
        return replace(base, files=(*(f for f in base.files if f not in self.lost), *self.instead))
