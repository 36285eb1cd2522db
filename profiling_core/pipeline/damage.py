"""Damaged or missing files of the newest version, and how a rebuild replaces them.

Files that follow from the rows are computed again. Files that were learnt delta by delta are taken from the newest
earlier version that has them undamaged; otherwise learning begins anew. Damaged rows come only from a backup.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from profiling_core.model.errors import StateError
from profiling_core.model.version import ASIDE, DELETED, LOADS, QUARANTINED, ROWS, FileRef, Version
from profiling_core.pipeline.workspace import Workspace

_NEEDED = (ROWS, DELETED)
# Rows kept beside the table. Each run adds a file of its own, so a damaged file loses only the rows of that run.
_BESIDE = {QUARANTINED: "rows that were quarantined", ASIDE: "rows that were set aside"}
# Learnt delta by delta; the rows alone cannot give it again.
_LEARNT = {LOADS: "what its loads have looked like", "columns": "what its columns have looked like"}


class Place(NamedTuple):
    """The use of a version's files: a role of one table, or of the dataset."""

    table: str
    role: str


@dataclass(frozen=True)
class Mended:
    """Files that a rebuild leaves out, files that it reads in their place, and its messages about both."""

    lost: tuple[FileRef, ...] = ()
    instead: tuple[FileRef, ...] = ()
    said: tuple[str, ...] = ()

    def with_lost(self, files: Sequence[FileRef], said: str, instead: Sequence[FileRef] = ()) -> Self:
        """The same with more lost files, the message about them, and the files read in their place."""
        return replace(self, lost=(*self.lost, *files), instead=(*self.instead, *instead), said=(*self.said, said))


NOTHING = Mended()


def look(work: Workspace, version: Version) -> Mended:
    """Finds the damaged files of a version, and their replacements.

    Raises:
        StateError: rows of a table are damaged; only a backup has them.
    """
    places: dict[Place, list[FileRef]] = {}
    for ref in version.files:
        if _damage(work, ref):
            places.setdefault(Place(ref.table, ref.role), []).append(ref)
    _require_rows(work, places)
    earlier = [v for v in reversed(work.catalog.versions(work.dataset)) if v.number < version.number and v.kept]
    mended = NOTHING
    for place, damaged in places.items():
        if place.role in _BESIDE:
            mended = mended.with_lost(
                damaged, f"{_whose(place)}: {_BESIDE[place.role]} are lost with {_paths(damaged)}"
            )
            continue
        found, files = _whole_before(work, version, earlier, place)
        mended = mended.with_lost(version.files_of(place.role, place.table), _said(place, found), files)
    return mended


def _damage(work: Workspace, ref: FileRef) -> StateError | None:
    try:
        work.store.check(ref)
    except StateError as error:
        return error
    return None


def _require_rows(work: Workspace, lost: Mapping[Place, Sequence[FileRef]]) -> None:
    for place, files in lost.items():
        if place.role in _NEEDED:
            raise StateError(
                f"rows of table {place.table!r} are damaged or gone, and everything else is made from them",
                where=", ".join(work.store.where(ref.path) for ref in files),
                remedy="copy them from a backup, where their paths are the same; where there is none, begin anew: name "
                "another home in HOLDFAST_HOME, and apply all deltas there",
            )


def _whole_before(
    work: Workspace, version: Version, earlier: Iterable[Version], place: Place
) -> tuple[Version | None, tuple[FileRef, ...]]:
    """The newest earlier version with undamaged files in this role, of a table with the same columns; its files."""
    for known in earlier:
        if place.table and known.tables.get(place.table) is None:
            break
        if place.table and known.tables[place.table].schema != version.tables[place.table].schema:
            break
        files = known.files_of(place.role, place.table)
        if files and not any(_damage(work, ref) for ref in files):
            return known, files
    return None, ()


def _said(place: Place, found: Version | None) -> str:
    if place.role not in _LEARNT:
        return f"{_whose(place)}: damaged files ({place.role}) are made again from the rows"
    then = f"is as after version {found.number}; later deltas are forgotten" if found else "is learnt anew"
    return f"{_whose(place)}: {_LEARNT[place.role]} was damaged, and {then}"


def _whose(place: Place) -> str:
    return f"table {place.table}" if place.table else "all tables"


def _paths(files: Iterable[FileRef]) -> str:
    return ", ".join(ref.path for ref in files)
