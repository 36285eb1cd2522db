"""Checks everything that a home holds: damage is named, and nothing is changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from profiling_core.model.errors import InputError, StateError
from profiling_core.model.stored import Stored
from profiling_core.model.version import FileRef, Version
from profiling_core.state import catalog_journal
from profiling_core.state.catalog import Catalog
from profiling_core.state.engine import BESIDE, require_file
from profiling_core.state.journal import Journal, datasets_with_state, digest_of
from profiling_core.state.manifests import Manifest
from profiling_core.state.objects import Place
from profiling_core.state.settings import Settings

_SQLITE = "sqlite:///"
_EARLIER = (
    "only versions before the newest have it: a backup has it too, or `holdfast gc --keep 1d` lets those older than a "
    "day go"
)


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is wrong: its dataset ("": the catalog as a whole), what, where, and what to do."""

    dataset: str
    what: str
    where: str
    remedy: str = ""


@dataclass(slots=True)
class Checked(Stored):
    """What was looked at, and what is wrong with it."""

    versions: int = 0
    files: int = 0
    size: int = 0
    damage: list[Damage] = field(default_factory=list)


def fsck(settings: Settings, datasets: Sequence[str] = ()) -> Checked:
    """Checks the catalog, and every file and document of these datasets (none named: of all).

    Raises:
        InputError: there is no such dataset.
    """
    checked = Checked()
    catalog: Catalog | None = None
    try:
        catalog = settings.catalog()
        known = catalog.datasets()
    except StateError as error:
        checked.damage.append(Damage("", error.what, error.where, error.remedy))
        catalog, known = None, []
    there = sorted({*known, *datasets_with_state(settings.place)})
    if catalog and (unknown := sorted({*datasets} - {*there})):
        raise InputError(f"there is no dataset {unknown[0]!r}", remedy=f"there are: {', '.join(there) or 'none'}")
    for dataset in datasets or there:
        look = _Look(settings, catalog, dataset, checked)
        look.documents()
        if catalog:
            look.rows(catalog)
    return checked


@dataclass
class _Look:
    """One dataset: its documents, the files that they name, and what the catalog says."""

    settings: Settings
    catalog: Catalog | None
    dataset: str
    checked: Checked
    manifests: dict[int, Manifest] = field(default_factory=dict)
    seen: set[FileRef] = field(default_factory=set)

    @property
    def needed(self) -> tuple[FileRef, ...]:
        """The files of the newest version."""
        return self.manifests[max(self.manifests)].version.files if self.manifests else ()

    @property
    def journal(self) -> Journal:
        return Journal(self.settings.place, self.dataset)

    def documents(self) -> None:
        previous: str | None = ""
        numbers = self.journal.numbers()
        # What must be there, and before each that is there the one that it follows: a stray one may have any number.
        before = (number - 1 for number in numbers if number > 1)
        for number in sorted({*numbers, *before, *range(1, self._documented() + 1)}):
            path = self.journal.manifest(number)
            try:
                made = Manifest.read(self.journal.read(number))
                self.journal.outcomes(number)
            except StateError as error:
                self._found(error)
                previous = None
                continue
            if previous not in (None, made.previous):
                self._damage("a manifest does not follow from the one before", path)
            previous = digest_of(path)
            self.manifests[number] = made
        self.checked.versions += len(numbers)
        self._files(self._kept(numbers))

    def _documented(self) -> int:
        """The newest version that must have a manifest, according to the catalog."""
        try:
            if self.catalog:
                self.catalog.current(self.dataset)  # gives a manifest its name where a run ended before it did
                return self.catalog.documented(self.dataset)
        except StateError:
            pass  # found again, and told, where rows are looked at
        return 0

    def _kept(self, numbers: Sequence[int]) -> Iterator[FileRef]:
        try:
            oldest = self.journal.outcomes(None).get("kept_from", 1)
        except StateError as error:
            self._found(error)
            oldest = max(numbers, default=1)
        for number, manifest in self.manifests.items():
            if number >= oldest:
                yield from manifest.version.files

    def rows(self, catalog: Catalog) -> None:
        """What the catalog says: readable, and the same as the documents."""
        try:
            found = catalog.versions(self.dataset)
            current = catalog.current(self.dataset)
            if current:
                catalog.check_rows(current)
            catalog.applied(self.dataset)
            catalog.decisions(self.dataset)
            for version in found:
                self._same(version)
                catalog.check_outcomes(self.dataset, version.number)
                catalog.tracked(self.dataset, version.number)
            if found and catalog.edition(self.dataset) and not self.journal.edition_path.exists():
                what = "it is missing, and an earlier catalog would not be noticed"
                remedy = "any change writes it again: apply a delta, or leave a note"
                self.checked.damage.append(Damage(self.dataset, what, str(self.journal.edition_path), remedy))
            catalog.change_sets(self.dataset)
            catalog.validations(self.dataset)
            catalog.alerts(self.dataset)
            for path in catalog.documents_lost(self.dataset, sorted(self.manifests)):
                self.checked.damage.append(
                    Damage(self.dataset, "it is missing, or ends before what the catalog says followed", path)
                )
        except StateError as error:
            self._found(error)
            return
        self._files(file for version in found for file in version.files)

    def _same(self, version: Version) -> None:
        manifest = self.manifests.get(version.number)
        if manifest and version.kept and not catalog_journal.same(manifest, version):
            self._damage(
                f"version {version.number} in the catalog is not what its manifest says",
                self.journal.manifest(version.number),
            )

    def _files(self, files: Iterator[FileRef]) -> None:
        store = self.settings.store(self.dataset)
        for file in files:
            if file in self.seen:
                continue
            self.seen.add(file)
            self.checked.files += 1
            self.checked.size += file.size
            try:
                store.check(file)
            except StateError as error:
                earlier = _EARLIER if self.manifests and file not in self.needed else ""
                self.checked.damage.append(Damage(self.dataset, error.what, error.where, earlier or error.remedy))

    def _found(self, error: StateError) -> None:
        self.checked.damage.append(Damage(self.dataset, error.what, error.where, error.remedy))

    def _damage(self, what: str, where: Place) -> None:
        self.checked.damage.append(Damage(self.dataset, what, str(where)))


def rebuild_catalog(settings: Settings) -> tuple[dict[str, int], str]:
    """Makes the catalog again from the documents beside the files.

    Returns the newest version of each dataset, and where an SQLite catalog that there was has been put ("": nowhere).

    Raises:
        StateError: there is nothing to make it from, or a document is damaged; the catalog is then as it was.
    """
    datasets = [d for d in datasets_with_state(settings.place) if Journal(settings.place, d).confirm_whole()]
    if not datasets:
        raise StateError(
            "there are no manifests to make the catalog from",
            where=str(settings.place / "state"),
            remedy="restore a backup of the catalog; releases before manifests wrote none",
        )
    path = _catalog_file(settings)
    aside = _put_aside(path) if path else None
    try:
        return Catalog(settings.catalog_url, settings.place).rebuild(datasets), str(aside or "")
    except BaseException:
        if path and aside:
            _put_back(path, aside)
        raise


def _catalog_file(settings: Settings) -> Path | None:
    """The file of an SQLite catalog that there is; raises ``StateError`` where something else stands in its place."""
    if not settings.catalog_url.startswith(_SQLITE):
        return None
    path = Path(settings.catalog_url.removeprefix(_SQLITE))
    require_file(path)
    return path if path.exists() else None


def _put_aside(path: Path) -> Path:
    """Renames a catalog, which may be damaged in any way; its last writes come along."""
    aside = path.with_name(f"{path.name}.aside-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
    for ending in BESIDE:
        beside = _beside(path, ending)
        if beside.exists():
            beside.replace(_beside(aside, ending))
    path.replace(aside)
    return aside


def _put_back(path: Path, aside: Path) -> None:
    """Takes back what was put aside, with its last writes, in place of what there is."""
    for ending in BESIDE:
        _beside(path, ending).unlink(missing_ok=True)
    aside.replace(path)
    for ending in BESIDE:
        if _beside(aside, ending).exists():
            _beside(aside, ending).replace(_beside(path, ending))


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}{ending}")
