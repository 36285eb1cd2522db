"""A backup on an object store: its files are put once, and never in place of another one.

Files of versions and manifests are immutable, so that ``If-None-Match: *`` is all that it takes: of two backups into
one place none overwrites what the other one has put, and the second is told. The newest manifest comes last: what it
names is there. Other documents tell what followed, and are put in place of older ones.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from profiling_core.model.errors import ConfigurationError, InputError, StateError, UnreachableError
from profiling_core.state.journal import MANIFESTS
from profiling_core.state.settings import local_path, without_secrets

if TYPE_CHECKING:
    from obstore.store import S3Store

SCHEME = "s3://"
_STATE = "state"


def place_of(given: str) -> "Path | Bucket":
    """The place of a backup that a person names: a directory, or ``s3://<bucket>/<path>``."""
    return Bucket(given) if given.startswith(SCHEME) else local_path(given)


class Bucket:
    """The place of a backup, ``s3://<bucket>/<path>``; endpoint, region and credentials are the environment's."""

    def __init__(self, url: str) -> None:
        self.where = without_secrets(url)
        self._store = _store(self.where)

    def datasets(self) -> list[str]:
        """The names of the datasets that it has anything of."""
        prefix = f"{_STATE}/"
        with _Answering(self.where):
            found: Any = self._store.list_with_delimiter(prefix)
        return sorted(path.rstrip("/").rpartition("/")[2] for path in found["common_prefixes"])

    def put_file(self, name: str, path: Path) -> None:
        """Puts a file that never changes; one that is there already stays.

        Raises:
            StateError: another one is there.
        """
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with _Answering(self.where):
            try:
                self._store.put(name, path, mode="create")
            except (AlreadyExistsError, PreconditionError):
                there = int(self._store.head(name)["size"])
                if there != path.stat().st_size:
                    raise self._another(name) from None

    def put_document(self, name: str, path: Path) -> None:
        """Puts a document: a manifest once, others in place of what they were.

        Raises:
            StateError: another manifest is there.
        """
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with _Answering(self.where):
            if f"/{MANIFESTS}/" not in name:
                self._store.put(name, path)
                return
            try:
                self._store.put(name, path, mode="create")
            except (AlreadyExistsError, PreconditionError):
                if bytes(self._store.get(name).bytes()) != path.read_bytes():
                    raise self._another(name) from None

    def require_past_of(self, manifests: Sequence[Path], directory: Path) -> None:
        """Raises ``StateError`` where the dataset's manifests there are not among these, which are sorted."""
        if not manifests:
            return
        prefix = manifests[0].parent.relative_to(directory).as_posix()
        there = {name.rpartition("/")[2] for name in self._names(f"{prefix}/")}
        here = [path for path in manifests if path.name in there]
        if there - {path.name for path in here}:
            raise self._another(f"{prefix}/{max(there)}")
        for path in here[-1:]:  # each names the digest of the one before
            self.put_document(path.relative_to(directory).as_posix(), path)

    def _another(self, name: str) -> StateError:
        return StateError(
            "another home, or a later state of this one, has put its backup there, and nothing of it was changed",
            where=f"{self.where}/{name}",
            remedy="name another place, such as a directory of the bucket for each home",
        )

    def fetch(self, datasets: Sequence[str], directory: Path) -> None:
        """Writes all of some datasets to a directory, as a backup there would have it."""
        for dataset in datasets:
            for name in self._names(f"{_STATE}/{dataset}/"):
                path = directory / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with _Answering(self.where), path.open("wb") as file:
                    for chunk in self._store.get(name):
                        file.write(chunk)

    def _names(self, prefix: str) -> Iterator[str]:
        with _Answering(self.where):
            for found in self._store.list(prefix):
                for entry in found:
                    if ".." in Path(entry["path"]).parts:
                        raise InputError("an object's name leads out of the backup", where=self.where)
                    yield entry["path"]


class _Answering:
    """Tells in words what a store does not do; its errors may hold requests, and so secrets."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        from obstore.exceptions import BaseError, GenericError, PermissionDeniedError, UnauthenticatedError

        if not isinstance(error, BaseError | OSError):
            return
        said = (
            "does not let in" if isinstance(error, PermissionDeniedError | UnauthenticatedError) else "does not answer"
        )
        name = "" if isinstance(error, GenericError) else f" ({type(error).__name__})"
        raise UnreachableError(
            f"the object store {said}{name}",
            where=self._where,
            remedy="check the URL, and AWS_ENDPOINT_URL, AWS_REGION and the credentials in the environment",
        ) from None


def _store(url: str) -> "S3Store":
    try:
        from obstore.store import S3Store
    except ImportError as error:
        raise ConfigurationError(
            "backups on object stores need a further package", where=url, remedy="pip install 'holdfast[s3]'"
        ) from error
    return S3Store.from_url(url)
