"""Backup and restore: a dataset's files and documents, each proven while it is copied; the catalog follows from them.

Files are immutable, so that a backup is a version's whole truth whatever runs meanwhile. Into a directory that holds an
earlier backup only what is new is copied.
"""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from profiling_core.model.errors import InputError, StateError
from profiling_core.model.version import FileRef
from profiling_core.pipeline.bucket import Bucket
from profiling_core.state.atomic import TEMPORARY, make_private, shut, synchronise, synchronise_directory
from profiling_core.state.catalog import Catalog
from profiling_core.state.journal import MANIFESTS, Journal, datasets_with_state
from profiling_core.state.manifests import Manifest
from profiling_core.state.proof import StoredFile, prove
from profiling_core.state.settings import Settings

_ASIDE, _FETCHED = "restoring", "fetched"


def backup(settings: Settings, place: Path | Bucket, datasets: Sequence[str] = ()) -> dict[str, int]:
    """Copies datasets (none named: all) to a directory or a bucket; returns the newest version of each.

    Raises:
        StateError: a file is damaged or missing: it is named, and the backup is not complete; or the bucket holds the
            backup of another home.
        InputError: there is no such dataset, or none at all; or the directory is the home itself.
        UnreachableError: the object store does not answer.
    """
    if isinstance(place, Path) and place.resolve() == settings.home.resolve():
        raise InputError(
            "that is the home itself, not a backup of it", where=str(place), remedy="name another directory"
        )
    catalog = settings.catalog()
    known = catalog.datasets()
    _require(datasets, known, "the catalog")
    made = {}
    for dataset in datasets or known:
        current = catalog.current(dataset)
        if current is not None:
            catalog.adopt(dataset)
            _require_documents(settings, catalog, dataset, current.number)
            if isinstance(place, Path):
                _copy(settings.home, place, dataset, current.number)
            else:
                _put(settings.home, place, dataset, current.number)
            made[dataset] = current.number
    return made


def restore(settings: Settings, place: Path | Bucket, datasets: Sequence[str] = ()) -> dict[str, int]:
    """Copies datasets (none named: all) from a backup into the home, and into the catalog.

    Until all of a dataset is there it lies aside, so that one that was interrupted is simply done again. What is in a
    bucket is fetched into the home first.

    Raises:
        StateError: a file of the backup is damaged; or the home has such a dataset, which is left as it is.
        InputError: the place holds no backup, or not of this dataset.
        UnreachableError: the object store does not answer.
    """
    if not isinstance(place, Path):
        known = place.datasets()
        _require(datasets, known, place.where)
        fetched = make_private(settings.home / _FETCHED)
        try:
            place.fetch(datasets or known, fetched)
            return restore(settings, fetched, datasets)
        finally:
            shutil.rmtree(fetched, ignore_errors=True)
    known = datasets_with_state(place)
    _require(datasets, known, str(place))
    wanted = list(datasets or known)
    catalog = Catalog(settings.catalog_url)  # whatever lies beside it
    catalog.migrate()
    copied = {d for d in wanted if _is_copied(settings.home, place, d)} - {*catalog.datasets()}
    there = sorted(({*datasets_with_state(settings.home)} & {*wanted}) - copied)
    if there:
        raise StateError(
            f"there is state of {', '.join(there)} already, and nothing was restored",
            where=str(settings.home / "state"),
            remedy="restore into another home (HOLDFAST_HOME), or move this state away",
        )
    for dataset in sorted({*wanted} - copied):
        _copy(place, settings.home / _ASIDE, dataset, Journal(place, dataset).newest())
        _move(settings.home / _ASIDE, settings.home, dataset)
    return Catalog(settings.catalog_url, settings.home).rebuild(wanted)


def _is_copied(home: Path, place: Path, dataset: str) -> bool:
    """Whether the home has the dataset as the backup has it; it is moved there when it is whole."""
    here, there = (Journal(directory, dataset) for directory in (home, place))
    number = there.newest()
    return here.newest() == number and here.read(number) == there.read(number)


def _move(aside: Path, home: Path, dataset: str) -> None:
    make_private(home / "state")
    empty = home / "state" / dataset
    if empty.is_dir():  # it holds no file of a version
        shutil.rmtree(empty)
    (aside / "state" / dataset).rename(empty)
    synchronise_directory(home / "state")
    shutil.rmtree(aside, ignore_errors=True)


def _require(wanted: Iterable[str], known: Sequence[str], where: str) -> None:
    unknown = sorted(set(wanted) - set(known))
    if unknown or not known:
        what = f"there is no dataset {unknown[0]!r}" if unknown else "there is no dataset"
        raise InputError(what, where=where, remedy=f"there are: {', '.join(known) or 'none'}")


def _require_documents(settings: Settings, catalog: Catalog, dataset: str, newest: int) -> None:
    """Raises ``StateError`` where a document is missing: the backup could not be restored, or would lack history."""
    journal, numbers = Journal(settings.home, dataset), range(1, newest + 1)
    missing = [str(journal.manifest(number)) for number in sorted({*numbers} - {*journal.numbers()})]
    lost = missing or catalog.documents_lost(dataset, numbers)
    if lost:
        raise StateError(
            "a document of the state's journal is missing or lacks what the catalog knows, and nothing was copied",
            where=lost[0],
            remedy="restore it from an earlier backup; `holdfast fsck` says what else is damaged",
        )


def _copy(home: Path, place: Path, dataset: str, newest: int) -> None:
    """Copies what versions up to the newest consist of; the documents last, so that they never name what is missing."""
    source = Journal(home, dataset)
    for file in _files(source, newest):
        _copy_file(home, place, file)
    _copy_documents(source, Journal(place, dataset), newest)


def _put(home: Path, bucket: Bucket, dataset: str, newest: int) -> None:
    """Puts what versions up to the newest consist of into a bucket; its manifest last."""
    source = Journal(home, dataset)
    for file in _files(source, newest):
        bucket.put_file(file.path, prove(StoredFile(str(home / file.path), file.sha256, file.size)))
    with TemporaryDirectory(prefix="holdfast-backup-") as aside:
        _copy_documents(source, Journal(Path(aside), dataset), newest)
        documents = sorted(path for path in Path(aside).rglob("*") if path.is_file())
        manifests = [path for path in documents if path.parent.name == MANIFESTS]
        bucket.require_past_of(manifests, Path(aside))
        for path in (*(path for path in documents if path not in manifests), *manifests):
            bucket.put_document(path.relative_to(aside).as_posix(), path)


def _files(source: Journal, newest: int) -> list[FileRef]:
    """The files of the versions that are kept, up to the newest."""
    kept_from = source.outcomes(None).get("kept_from", 1)
    kept = [number for number in source.numbers() if kept_from <= number <= newest]
    versions = [Manifest.from_json(source.read(number)).version for number in kept]
    return list(dict.fromkeys(file for version in versions for file in version.files))


def _copy_documents(source: Journal, target: Journal, newest: int) -> None:
    numbers = [number for number in source.numbers() if number <= newest]
    for number in numbers:
        target.write_outcomes(number, source.outcomes(number))
    target.write_outcomes(None, source.outcomes(None))
    for number in numbers:
        source.copy_manifest(number, target)


def _copy_file(home: Path, place: Path, file: FileRef) -> None:
    wanted = StoredFile(str(place / file.path), file.sha256, file.size)
    path = Path(wanted.path)
    if path.exists():
        prove(wanted)
        return
    make_private(path.parent)
    temporary = path.with_name(f".{path.name}{TEMPORARY}")
    shutil.copyfile(prove(StoredFile(str(home / file.path), file.sha256, file.size)), temporary)
    prove(StoredFile(str(temporary), file.sha256, file.size))
    shut(temporary)
    synchronise(temporary)
    temporary.replace(path)
    synchronise_directory(path.parent)
