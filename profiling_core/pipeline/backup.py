"""Backup and restore: a dataset's files and documents, each proven while it is copied; the catalog follows from them.

Files are immutable, so that a backup is a version's whole truth whatever runs meanwhile. Into a directory that holds an
earlier backup only new files are copied.
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
from profiling_core.state.objects import Place
from profiling_core.state.proof import StoredFile, prove
from profiling_core.state.settings import Settings
from profiling_core.state.store import Store

_ASIDE, _FETCHED = "restoring", "fetched"


def backup(settings: Settings, place: Path | Bucket, datasets: Sequence[str] = ()) -> dict[str, int]:
    """Copies datasets (none named: all) to a directory or a bucket; returns the newest version of each.

    Raises:
        StateError: a file is damaged or missing: it is named, and the backup is not complete; or the bucket holds the
            backup of another home.
        InputError: there is no such dataset, or none at all; or the directory lies within the home.
        UnreachableError: the object store does not answer.
    """
    _require_another(settings, place)
    catalog = settings.catalog()
    known = catalog.datasets()
    _require(datasets, known, "the catalog")
    made = {}
    for dataset in datasets or known:
        current = catalog.current(dataset)
        if current is not None:
            catalog.adopt(dataset)
            _require_documents(settings, catalog, dataset, current.number)
            source = Journal(settings.place, dataset), settings.store(dataset)
            if isinstance(place, Path):
                _copy(*source, place, current.number)
            else:
                _put(*source, place, current.number)
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
    if not known:
        raise InputError("there is no backup", where=str(place), remedy="name a directory that `holdfast backup` wrote")
    _require(datasets, known, str(place))
    wanted = list(datasets or known)
    catalog = Catalog(settings.catalog_url)  # whatever lies beside it
    catalog.migrate()
    copied = {d for d in wanted if _is_copied(settings.place, place, d)} - {*catalog.datasets()}
    there = sorted(({*datasets_with_state(settings.place)} & {*wanted}) - copied)
    if settings.bucket:
        there = sorted({*there} & {*catalog.datasets()})
    if there:
        raise StateError(
            f"there is state of {', '.join(there)} already, and nothing was restored",
            where=str(settings.place / "state"),
            remedy="restore into another home (HOLDFAST_HOME), or move this state away",
        )
    for dataset in sorted({*wanted} - copied):
        _copy_back(settings, place, dataset)
    return Catalog(settings.catalog_url, settings.place).rebuild(wanted)


def _copy_back(settings: Settings, place: Path, dataset: str) -> None:
    aside = settings.home / _ASIDE
    _copy_aside(Journal(place, dataset), Store(place, dataset), aside, dataset)
    if not settings.bucket:
        _move(aside, settings.home, dataset)
        return
    try:  # what an interrupted restoring has put stays, and another home's state is told
        made = Journal(aside, dataset)
        _put(made, Store(aside, dataset), Bucket(settings.bucket), made.newest())
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _require_another(settings: Settings, place: Path | Bucket) -> None:
    """Raises ``InputError`` where the place is the home itself, or within it."""
    if isinstance(place, Bucket):
        inside = place.where == settings.bucket
    else:
        inside = place.resolve().is_relative_to(settings.home.resolve())
    if inside:
        raise InputError(
            "a backup within the state directory would be lost with it",
            where=place.where if isinstance(place, Bucket) else str(place),
            remedy="name another place, best on another disk",
        )


def _copy_aside(source: Journal, store: Store, aside: Path, dataset: str) -> None:
    """Copies a dataset; raises ``StateError`` where the catalog could not be made from what came."""
    Journal(aside, dataset).forget()  # documents of another backup whose restore was interrupted
    _copy(source, store, aside, source.newest())
    try:
        Catalog(f"sqlite:///{aside / 'catalog.db'}", aside).rebuild([dataset])
    except StateError as error:
        shutil.rmtree(aside, ignore_errors=True)
        raise StateError(
            f"the backup is not whole, and nothing was restored: {error.what}",
            where=error.where.replace(str(aside), str(store.home)),
            remedy="restore another backup",
        ) from error


def _is_copied(home: Place, place: Path, dataset: str) -> bool:
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
    journal, numbers = Journal(settings.place, dataset), range(1, newest + 1)
    missing = [str(journal.manifest(number)) for number in sorted({*numbers} - {*journal.numbers()})]
    lost = missing or catalog.documents_lost(dataset, numbers)
    if lost:
        raise StateError(
            "a document of the state's journal is missing or lacks what the catalog knows, and nothing was copied",
            where=lost[0],
            remedy="restore it from an earlier backup; `holdfast fsck` says what else is damaged",
        )


def _copy(source: Journal, store: Store, place: Path, newest: int) -> None:
    """Copies what versions up to the newest consist of; the documents last, so that they never name what is missing."""
    for file in _files(source, newest):
        _copy_file(store, place, file)
    _copy_documents(source, Journal(place, source.dataset), newest)


def _put(source: Journal, store: Store, bucket: Bucket, newest: int) -> None:
    """Puts what versions up to the newest consist of into a bucket; its manifest last."""
    for file in _files(source, newest):
        bucket.put_file(file.path, store.verify(file))
    with TemporaryDirectory(prefix="holdfast-backup-") as aside:
        _copy_documents(source, Journal(Path(aside), source.dataset), newest)
        documents = sorted(path for path in Path(aside).rglob("*") if path.is_file())
        manifests = [path for path in documents if path.parent.name == MANIFESTS]
        bucket.require_past_of(manifests, Path(aside))
        for path in (*(path for path in documents if path not in manifests), *manifests):
            bucket.put_document(path.relative_to(aside).as_posix(), path)


def _files(source: Journal, newest: int) -> list[FileRef]:
    """The files of the versions that are kept, up to the newest."""
    kept_from = source.outcomes(None).get("kept_from", 1)
    kept = [number for number in source.numbers() if kept_from <= number <= newest]
    versions = [Manifest.read(source.read(number)).version for number in kept]
    return list(dict.fromkeys(file for version in versions for file in version.files))


def _copy_documents(source: Journal, target: Journal, newest: int) -> None:
    numbers = [number for number in source.numbers() if number <= newest]
    for number in numbers:
        target.write_outcomes(number, source.outcomes(number))
    target.write_outcomes(None, source.outcomes(None))
    for number in numbers:
        source.copy_manifest(number, target)


def _copy_file(store: Store, place: Path, file: FileRef) -> None:
    wanted = StoredFile(str(place / file.path), file.sha256, file.size)
    path = Path(wanted.path)
    if path.exists():
        prove(wanted)
        return
    make_private(path.parent)
    temporary = path.with_name(f".{path.name}{TEMPORARY}")
    shutil.copyfile(store.verify(file), temporary)
    prove(StoredFile(str(temporary), file.sha256, file.size))
    shut(temporary)
    synchronise(temporary)
    temporary.replace(path)
    synchronise_directory(path.parent)
