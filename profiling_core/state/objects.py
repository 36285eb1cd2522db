"""Objects of a store such as S3, by their names below one URL: each is put, read and removed whole.

There is no rename. What is to be there once is put with a condition (``If-None-Match: *``), so that nothing is ever put
in place of another process's. ``obstore`` does the requests, and repeats them where a store answers that it is busy;
pyarrow's file systems know no conditions.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from profiling_core.model.errors import ConfigurationError, StateError, UnreachableError
from profiling_core.state.atomic import private_file
from profiling_core.state.urls import without_secrets

if TYPE_CHECKING:
    from obstore.store import S3Store

# Larger files are sent in parts, for which obstore knows no condition: their names are random.
_AT_ONCE = 64 << 20
_PROBE, _SAID = "home.txt", b"Here lies state of Holdfast.\n"
# The process in which obstore's threads run; a fork of it has none of them, and would wait for ever.
_process = 0


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object: its name, bytes, and when it was put, in seconds since the epoch by the store's clock."""

    name: str
    size: int
    modified: float


class Objects:
    """The objects below ``s3://<bucket>/<path>``; endpoint, region and credentials are the environment's.

    Every method raises ``UnreachableError`` where the store does not answer or does not let in.
    """

    def __init__(self, url: str) -> None:
        """The objects below a URL; raises ``ConfigurationError`` where it names no bucket, or has secrets in it."""
        self.where = without_secrets(url).rstrip("/")
        if url.rstrip("/") != self.where or not urlsplit(url).netloc:
            raise ConfigurationError(
                "this is not the URL of a place on an object store",
                where=self.where,
                remedy="write s3://<bucket>/<path>; endpoint, region and credentials are taken from the environment",
            )
        self._once_is_once = False

    @property
    def _store(self) -> "S3Store":
        global _process  # noqa: PLW0603 - of obstore's own state, which is the process's too
        if _process not in (0, os.getpid()):
            raise StateError(
                "this process was forked from one that spoke to the object store, and cannot speak to it",
                where=self.where,
                remedy="start it anew",
            )
        _process = os.getpid()
        return _client(self.where, tuple(sorted(item for item in os.environ.items() if item[0].startswith("AWS_"))))

    def read(self, name: str) -> bytes:
        """An object's bytes; raises ``FileNotFoundError`` where there is none."""
        with _answering(self.where):
            return bytes(self._store.get(name).bytes())

    def copy_to(self, name: str, path: Path) -> None:
        """Writes an object's bytes to a new file, for its owner alone; raises ``FileNotFoundError`` as ``read``."""
        with _answering(self.where):
            found = self._store.get(name)
            with private_file(path) as file:
                for chunk in found:
                    file.write(chunk)

    def size(self, name: str) -> int | None:
        """An object's bytes; None where there is none."""
        try:
            with _answering(self.where):
                return int(self._store.head(name)["size"])
        except FileNotFoundError:
            return None

    def put(self, name: str, data: bytes | Path) -> None:
        """Puts bytes, or a file's, in place of what is there."""
        with _answering(self.where):
            self._store.put(name, data)

    def create(self, name: str, data: bytes | Path) -> None:
        """Puts bytes, or a file's, where there is no object of that name, or the same one (a file: of that size).

        Raises:
            FileExistsError: another one is there.
            ConfigurationError: the store ignores the condition.
        """
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        self._require_conditions()
        if isinstance(data, Path) and data.stat().st_size > _AT_ONCE:
            there = self.size(name)
            if there is None:
                self.put(name, data)
            elif there != data.stat().st_size:
                raise FileExistsError(f"{self.where}/{name}")
            return
        with _answering(self.where):
            try:
                self._store.put(name, data, mode="create")
            except (AlreadyExistsError, PreconditionError):  # a request that was repeated finds what it has put, too
                same = self.size(name) == data.stat().st_size if isinstance(data, Path) else self.read(name) == data
                if not same:
                    raise FileExistsError(f"{self.where}/{name}") from None

    def _require_conditions(self) -> None:
        """Raises ``ConfigurationError`` where the store puts an object that is to be put once in place of another."""
        if self._once_is_once:
            return
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with _answering(self.where):
            for _ in range(2):
                try:
                    self._store.put(_PROBE, _SAID, mode="create")
                except (AlreadyExistsError, PreconditionError):
                    self._once_is_once = True
                    return
        raise ConfigurationError(
            "this object store does not know conditional puts (If-None-Match), and would lose what two processes write",
            where=self.where,
            remedy="use a store or a release of it that does, or a directory",
        )

    def entries(self, prefix: str) -> Iterator[StoredObject]:
        """The objects whose names begin so, up to a slash, in the order of names."""
        with _answering(self.where):
            for found in self._store.list(prefix):
                for entry in found:
                    if ".." in PurePosixPath(entry["path"]).parts:
                        raise StateError("an object's name leads out of its place", where=self.where)
                    yield StoredObject(entry["path"], entry["size"], entry["last_modified"].timestamp())

    def folders(self, prefix: str) -> list[str]:
        """The names that follow a prefix, up to the next slash, where one follows; sorted."""
        with _answering(self.where):
            found: Any = self._store.list_with_delimiter(prefix)
        return sorted(path.rstrip("/").rpartition("/")[2] for path in found["common_prefixes"])

    def remove(self, names: Iterable[str]) -> None:
        """Removes objects, which may be gone already."""
        with _answering(self.where):
            for name in names:
                self._store.delete(name)


def objects_at(url: str) -> Objects:
    """The objects below a URL; one value for all who name it, so that what was found out of the store is known."""
    return _objects(url.rstrip("/"), os.environ.get("AWS_ENDPOINT_URL", ""))


@lru_cache(maxsize=16)
def _objects(url: str, _endpoint: str) -> Objects:
    return Objects(url)


@dataclass(frozen=True, slots=True)
class StatePath:
    """The path of an object, with as much of ``pathlib.Path`` as the state's documents need; ``key`` is its name."""

    objects: Objects
    key: PurePosixPath

    def __str__(self) -> str:
        return f"{self.objects.where}/{self.key}".removesuffix("/.")

    def __truediv__(self, name: str) -> "StatePath":
        return StatePath(self.objects, self.key / name)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of its name."""
        return self.key.parts

    @property
    def parent(self) -> "StatePath":
        """The place that it lies in."""
        return StatePath(self.objects, self.key.parent)

    def with_suffix(self, suffix: str) -> "StatePath":
        """With another ending."""
        return StatePath(self.objects, self.key.with_suffix(suffix))

    def exists(self) -> bool:
        """Whether there is such an object."""
        return self.objects.size(str(self.key)) is not None

    is_file = exists

    def read_bytes(self) -> bytes:
        """Its bytes; raises ``FileNotFoundError`` where there is none."""
        return self.objects.read(str(self.key))

    def read_text(self, encoding: str) -> str:
        """Its text."""
        return self.read_bytes().decode(encoding)

    def write(self, data: bytes) -> None:
        """Puts bytes in place of what is there."""
        self.objects.put(str(self.key), data)

    def replace(self, target: "StatePath") -> None:
        """Gives it another name, which no other object has; raises ``StateError`` where one has it.

        Ended in the middle, it has both names.
        """
        try:
            self.objects.create(str(target.key), self.read_bytes())
        except FileExistsError:
            raise StateError(
                "another process, or another home, has written this", where=str(target), remedy="see: holdfast fsck"
            ) from None
        self.objects.remove([str(self.key)])

    def names(self) -> list[str]:
        """The names of the objects that lie directly in it."""
        found = (PurePosixPath(entry.name) for entry in self.objects.entries(f"{self.key}/"))
        return [path.name for path in found if path.parent == self.key]

    def folders(self) -> list[str]:
        """The names of what holds objects and lies directly in it, sorted."""
        return self.objects.folders(f"{self.key}/")


Place = Path | StatePath


@lru_cache(maxsize=16)
def _client(url: str, _environment: tuple[tuple[str, str], ...]) -> "S3Store":
    try:
        from obstore.store import S3Store
    except ImportError as error:
        raise ConfigurationError(
            "state and backups on object stores need a further package", where=url, remedy="pip install 'holdfast[s3]'"
        ) from error
    return S3Store.from_url(url, disable_bulk_delete=True)  # not all stores know it


@contextmanager
def _answering(where: str) -> Iterator[None]:
    """Tells in words what a store does not do; its errors may hold requests, and so secrets."""
    try:
        yield
    except FileNotFoundError:
        raise
    except Exception as error:
        from obstore.exceptions import BaseError, GenericError, PermissionDeniedError, UnauthenticatedError

        if not isinstance(error, BaseError):
            raise
        refused = isinstance(error, PermissionDeniedError | UnauthenticatedError)
        name = "" if isinstance(error, GenericError) else f" ({type(error).__name__})"
        raise UnreachableError(
            f"the object store {'refuses access' if refused else 'does not answer'}{name}",
            where=where,
            remedy="check the URL, and AWS_ENDPOINT_URL, AWS_REGION and the credentials in the environment",
        ) from None
