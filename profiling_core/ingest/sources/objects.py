"""Paths on object stores (``s3://bucket/path``) with the interface of file system paths, read through ``pyarrow.fs``.

Endpoint, region and credentials come from the environment (``AWS_ENDPOINT_URL``, ``AWS_ACCESS_KEY_ID``, …) or the
machine's role, and from the URL's parameters (``?region=…&endpoint_override=…``).
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Self

from profiling_core.ingest.landed_names import plain_name
from profiling_core.ingest.sources.passing import passing_folder
from profiling_core.model.errors import UnreachableError
from profiling_core.state.settings import SCHEME, Settings
from profiling_core.state.urls import without_secrets

if TYPE_CHECKING:
    from pyarrow import fs


@dataclass(frozen=True, slots=True)
class ObjectStat:
    """The store's attributes of an object: bytes, and nanoseconds since 1970 (0: a directory, which has no time)."""

    st_size: int
    st_mtime_ns: int

    @property
    def st_mtime(self) -> float:
        """Seconds since 1970."""
        return self.st_mtime_ns / 1e9


@dataclass(frozen=True, order=True)
class ObjectPath:
    """A path in a bucket, with those methods of ``pathlib.Path`` that landing directories need.

    ``key`` begins with the bucket; ``url`` is the store's address; ``told`` keeps the attributes that a listing gave.
    """

    key: PurePosixPath
    url: str = field(compare=False, repr=False)
    told: "fs.FileInfo | None" = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, url: str) -> "ObjectPath":
        """The path that a URL names; the store is contacted when it is read."""
        return cls(PurePosixPath(without_secrets(url).removeprefix(SCHEME)), url)

    def __str__(self) -> str:
        return f"{SCHEME}{self.key}"

    def __truediv__(self, name: str) -> "ObjectPath":
        return replace(self, key=self.key / name, told=None)

    @property
    def name(self) -> str:
        """The last part."""
        return self.key.name

    @property
    def suffix(self) -> str:
        """The extension, with its point."""
        return self.key.suffix

    def relative_to(self, other: "ObjectPath") -> PurePosixPath:
        """What follows another path."""
        return self.key.relative_to(other.key)

    def is_dir(self) -> bool:
        """Whether there are objects below it."""
        return self._kind() == "Directory"

    def is_file(self) -> bool:
        """Whether it is an object."""
        return self._kind() == "File"

    def exists(self) -> bool:
        """Whether it is there."""
        return self._kind() != "NotFound"

    def stat(self) -> ObjectStat:
        """Its size and time of change."""
        info = self._info()
        return ObjectStat(info.size or 0, info.mtime_ns or 0)

    def iterdir(self) -> Iterator["ObjectPath"]:
        """The paths directly below it."""
        return self._listed(recursive=False)

    def rglob(self, pattern: str) -> Iterator["ObjectPath"]:
        """The paths anywhere below it whose name matches."""
        return (path for path in self._listed(recursive=True) if path.key.match(pattern))

    def open(self, _: str = "rb") -> Any:
        """The object's bytes, as a file."""
        with _answering(str(self)):
            return _store(self.url).open_input_file(str(self.key))

    def copy_to(self, path: Path) -> None:
        """Writes the object's bytes to a file."""
        with _answering(str(self)), self.open() as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)

    def _kind(self) -> str:
        return str(self._info().type.name)

    def _info(self) -> "fs.FileInfo":
        if self.told is not None:
            return self.told
        with _answering(str(self)):
            return _store(self.url).get_file_info(str(self.key))

    def _listed(self, *, recursive: bool) -> Iterator["ObjectPath"]:
        from pyarrow import fs

        selector = fs.FileSelector(str(self.key), recursive=recursive, allow_not_found=True)
        with _answering(str(self)):
            found = _store(self.url).get_file_info(selector)
        return (replace(self, key=PurePosixPath(info.path), told=info) for info in found)


Place = Path | ObjectPath


def place(settings: Settings, path: str) -> Place:
    """The path that a path or URL of the configuration means."""
    return ObjectPath.of(path) if path.startswith(SCHEME) else settings.resolve(path)


def children(directory: Place) -> list[Place]:
    """The paths directly below a directory, by name."""
    return sorted(directory.iterdir(), key=lambda path: path.name)


def below(directory: Place, pattern: str) -> list[Place]:
    """The paths anywhere below a directory whose name matches, by path."""
    return sorted(directory.rglob(pattern), key=str)


class Copies:
    """Files as tasks read them: objects as local files, compressed files as plain ones.

    So Spark's tasks need neither an object store's address nor its secrets.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder: Path | None = None
        self._number = 0
        self.known: dict[str, str] = {}
        """Per copy the file that people know."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def of(self, path: Place) -> Path:
        """The file itself, or a copy of the object, or of what a compressed file holds."""
        if isinstance(path, Path):
            copied = path
        else:
            copied = self._next() / path.name  # messages show the file's name
            path.copy_to(copied)
        if plain_name(copied.name) != copied.name:
            from profiling_core.ingest.unfolded_texts import unfold  # which brings Arrow, and a look needs none

            copied = unfold(copied, self._next())
        self.known[str(copied)] = str(path)
        return copied

    def _next(self) -> Path:
        """A new folder."""
        if self._folder is None:
            self._folder = passing_folder(self._settings)
            self._folder.mkdir(parents=True, mode=0o700)
        self._number += 1
        found = self._folder / str(self._number)
        found.mkdir()
        return found

    def remove(self) -> None:
        """Removes the copies."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = None


def _store(url: str) -> "fs.FileSystem":
    """The store that a URL and the present environment name."""
    return _opened(url, os.environ.get("AWS_ENDPOINT_URL"))


@cache
def _opened(url: str, _: str | None) -> "fs.FileSystem":
    from pyarrow import fs

    return fs.FileSystem.from_uri(url)[0]


@contextmanager
def _answering(where: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise UnreachableError(
            f"the object store does not answer: {str(error).splitlines()[0]}",
            where=where,
            remedy="check the URL, and AWS_ENDPOINT_URL, AWS_REGION and the credentials in the environment",
        ) from None
