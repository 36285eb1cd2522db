"""A backup on an object store: its files are put once, and never in place of another one.

Files of versions and manifests are immutable, so that of two backups into one place none overwrites what the other one
has put, and the second is told. The newest manifest comes last: what it names is there. Other documents tell what
followed, and are put in place of older ones.
"""

from collections.abc import Sequence
from pathlib import Path

from profiling_core.model.errors import StateError
from profiling_core.state.journal import MANIFESTS
from profiling_core.state.objects import objects_at
from profiling_core.state.settings import SCHEME, local_path

_STATE = "state"


def place_of(given: str) -> "Path | Bucket":
    """The place of a backup that a person names: a directory, or ``s3://<bucket>/<path>``."""
    return Bucket(given) if given.startswith(SCHEME) else local_path(given)


class Bucket:
    """The place of a backup, ``s3://<bucket>/<path>``; endpoint, region and credentials are the environment's.

    Every method raises ``UnreachableError`` where the store does not answer.
    """

    def __init__(self, url: str) -> None:
        self._objects = objects_at(url)

    @property
    def where(self) -> str:
        """Its URL for people."""
        return self._objects.where

    def datasets(self) -> list[str]:
        """The names of the datasets that it has anything of."""
        return self._objects.folders(f"{_STATE}/")

    def put_file(self, name: str, path: Path) -> None:
        """Puts a file that never changes; one that is there already stays.

        Raises:
            StateError: another one is there.
        """
        try:
            self._objects.create(name, path)
        except FileExistsError:
            raise self._another(name) from None

    def put_document(self, name: str, path: Path) -> None:
        """Puts a document: a manifest once, others in place of what they were.

        Raises:
            StateError: another manifest is there.
        """
        if f"/{MANIFESTS}/" not in name:
            self._objects.put(name, path)
            return
        try:
            self._objects.create(name, path.read_bytes())
        except FileExistsError:
            raise self._another(name) from None

    def require_past_of(self, manifests: Sequence[Path], directory: Path) -> None:
        """Raises ``StateError`` where the dataset's manifests there are not among these, which are sorted."""
        if not manifests:
            return
        prefix = manifests[0].parent.relative_to(directory).as_posix()
        there = {entry.name.rpartition("/")[2] for entry in self._objects.entries(f"{prefix}/")}
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
            for entry in self._objects.entries(f"{_STATE}/{dataset}/"):
                path = directory / entry.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.unlink(missing_ok=True)
                self._objects.copy_to(entry.name, path)
