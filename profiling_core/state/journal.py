"""What the catalog says of a dataset, beside the dataset's files: from this the catalog can be made again.

``<home>/state/<dataset>/_manifests/v00000012.json`` is a version: its files, tables, what arrived, what made it, and
the digest of the manifest before. It is written as ``….prepared`` before the catalog commits and renamed after, so that
a manifest without that ending says that a version was committed. ``_journal/`` holds what followed each version, and
what people decided, as rows of the catalog's tables; and ``edition.json``, how many changes the catalog has had, noted
after each. Every document carries its own checksum, and says which one it is. On an object store a document is put, and
what is renamed on a disk is put under its other name, where there is none, and then removed.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from profiling_core.model.errors import StateError
from profiling_core.state.atomic import write_atomically
from profiling_core.state.objects import Place, StatePath
from profiling_core.state.proof import FROM_BACKUP, LET_READ, digest, is_regular

MANIFESTS, OUTCOMES = "_manifests", "_journal"
_OF_DATASET, _EDITION = "dataset.json", "edition.json"
_STAGING = "_staging"
_NUMBERED = re.compile(r"v(\d{8})\.json")
_PREPARED = ".prepared"
_CHECKSUM = slice(11, 75)
_ENVELOPE = re.compile(r'\{"sha256":"[0-9a-f]{64}",("name":"(?P<name>[^"]*)",)?"document":')
Json = Mapping[str, Any]


class Journal:
    """The documents of one dataset, below ``<home>/state/<dataset>``."""

    def __init__(self, home: Place, dataset: str) -> None:
        self._home = home
        self._directory: Place = home / "state" / dataset

    @property
    def dataset(self) -> str:
        """The dataset's name."""
        return self._directory.parts[-1]

    def prepare(self, number: int, manifest: Json) -> str:
        """Writes the manifest of a version that is about to be committed; returns the digest of its file."""
        path = self._prepared(number)
        _write(path, manifest)
        return digest_of(path)

    def confirm(self, number: int, wanted: str) -> None:
        """Says that a version was committed with the manifest of this digest, where that is not said yet."""
        prepared = self._prepared(number)
        try:
            if prepared.is_file() and digest_of(prepared) == wanted:
                _rename(prepared, self.manifest(number))
        except FileNotFoundError:
            pass  # another process has said so meanwhile

    def manifest(self, number: int) -> Place:
        """Where the manifest of a committed version lies."""
        return self._directory / MANIFESTS / f"v{number:08}.json"

    def numbers(self) -> list[int]:
        """The committed versions that have a manifest, ascending."""
        return sorted(_numbers(self._directory / MANIFESTS))

    def newest(self) -> int:
        """The newest of them; 0 where there is none."""
        return max(_numbers(self._directory / MANIFESTS), default=0)

    def confirm_whole(self) -> int:
        """Says that the version after the newest was committed, where all that it would consist of is there.

        For a catalog that is lost: nobody knows whether it had committed that version. Returns the newest version.
        """
        number = self.newest() + 1
        made = self._being_made()
        if made is None or not all((self._home / file[2]).is_file() for file in made["files"]):
            return number - 1
        _rename(self._prepared(number), self.manifest(number))
        return number

    def read(self, number: int) -> Json:
        """A version's manifest; raises ``StateError`` where it is missing or damaged."""
        return _read(self.manifest(number))

    def named(self, oldest: int) -> set[str]:
        """The paths of the files that the manifests from a version on name, those of a version being made included."""
        numbers = [number for number in self.numbers() if number >= oldest]
        made = [*map(self.read, numbers), *filter(None, [self._being_made()])]
        return {file[2] for manifest in made for file in manifest["files"]}

    def _being_made(self) -> Json | None:
        try:
            return _read(self._prepared(self.newest() + 1))
        except StateError:
            return None

    def copy_manifest(self, number: int, to: "Journal") -> None:
        """Copies a version's manifest, byte by byte: the digest of the next one names it."""
        self.read(number)
        _put(to.manifest(number), self.manifest(number).read_bytes())

    def write_outcomes(self, number: int | None, rows: Json) -> str:
        """Writes the rows, by table, of what followed a version (None: of what belongs to the dataset as a whole).

        Returns the document's checksum.
        """
        return _write(self.outcomes_path(number), rows)

    def outcomes(self, number: int | None) -> Json:
        """What :meth:`write_outcomes` wrote; nothing where it never did. Raises ``StateError`` where it is damaged."""
        path = self.outcomes_path(number)
        return _read(path) if path.exists() else {}

    def edition(self) -> int:
        """The change of the catalog that was noted last; 0 where none was. Raises ``StateError`` if it is damaged."""
        path = self.edition_path
        return int(_read(path)["edition"]) if path.exists() else 0

    @property
    def edition_path(self) -> Place:
        """Where it is noted."""
        return self._directory / OUTCOMES / _EDITION

    def note_edition(self, edition: int) -> None:
        """Notes that the catalog has committed its change of this number: from now on an earlier catalog is refused."""
        whole = self.outcomes_path(None).exists()
        _write(self.edition_path, {"edition": edition, _OF_DATASET: whole})

    def whole(self) -> Json:
        """The rows of the dataset as a whole, for a catalog that is made again.

        Raises:
            StateError: it is damaged, or is missing though it was written.
        """
        try:
            written = _read(self.edition_path).get(_OF_DATASET)
        except StateError:
            written = False  # nobody knows
        return _read(self.outcomes_path(None)) if written else self.outcomes(None)

    def checksum(self, number: int | None) -> str | None:
        """The checksum of what :meth:`write_outcomes` wrote; None where it never did."""
        path = self.outcomes_path(number)
        return _read_with_checksum(path)[0] if path.exists() else None

    def outcomes_of_checksum(self, number: int | None, checksum: str) -> Json | None:
        """What :meth:`write_outcomes` wrote, where it has this checksum; None where another one, or nothing, is there.

        Raises:
            StateError: it is damaged.
        """
        path = self.outcomes_path(number)
        if not path.exists():
            return None
        found, document = _read_with_checksum(path)
        return document if found == checksum else None

    def forget(self) -> None:
        """Removes all documents of the dataset."""
        for name in (MANIFESTS, OUTCOMES):
            directory = self._directory / name
            if isinstance(directory, Path):
                shutil.rmtree(directory, ignore_errors=True)
            else:
                directory.objects.remove([str((directory / found).key) for found in directory.names()])

    def _prepared(self, number: int) -> Place:
        return self.manifest(number).with_suffix(f".json{_PREPARED}")

    def outcomes_path(self, number: int | None) -> Place:
        """Where what followed a version lies, or (None) what belongs to the dataset as a whole."""
        name = _OF_DATASET if number is None else f"v{number:08}.json"
        return self._directory / OUTCOMES / name


def datasets_with_state(home: Place) -> list[str]:
    """The names of the datasets that have any file below the home, sorted."""
    directory = home / "state"
    if isinstance(directory, StatePath):
        return [name for name in directory.folders() if {*(directory / name).folders()} - {_STAGING}]
    if not directory.is_dir():
        return []
    return sorted(child.name for child in directory.iterdir() if child.is_dir() and _has_file(child))


def _has_file(directory: Path) -> bool:
    """Whether there is a file that is not one of a run that has not committed."""
    kept = (child for child in directory.iterdir() if child.name != _STAGING)
    return any(names for child in kept for _, _, names in os.walk(child))


def digest_of(document: Place) -> str:
    """The SHA-256 of a document's bytes in hexadecimal."""
    if isinstance(document, Path):
        return digest(document)[0]
    return hashlib.sha256(document.read_bytes()).hexdigest()


def _numbers(directory: Place) -> Iterator[int]:
    names: list[str] = []
    if isinstance(directory, StatePath):
        names = directory.names()
    elif directory.is_dir():
        with os.scandir(directory) as entries:
            names = [entry.name for entry in entries]
    yield from (int(found[1]) for name in names if (found := _NUMBERED.fullmatch(name)))


def _put(path: Place, data: bytes) -> None:
    if isinstance(path, StatePath):
        path.write(data)
    else:
        write_atomically(path, data)


def _rename(path: Place, to: Place) -> None:
    """Gives a document its other name, in the same home."""
    if isinstance(path, StatePath):
        path.replace(cast("StatePath", to))
    else:
        path.replace(cast("Path", to))


def _write(path: Place, document: Json) -> str:
    text = _enveloped(_name(path), json.dumps(document, separators=(",", ":")))
    _put(path, text.encode("ascii"))
    return text[_CHECKSUM]


def _read(path: Place) -> Json:
    return _read_with_checksum(path)[1]


def _read_with_checksum(path: Place) -> tuple[str, Json]:
    remedy = FROM_BACKUP
    try:
        text = path.read_text("ascii") if isinstance(path, StatePath) or is_regular(path) else ""
        found = _ENVELOPE.match(text)
        name, body = (found["name"] or "", text[found.end() : -2]) if found else ("", "")
        if found and text == _enveloped(name, body) and name in ("", _name(path)):
            return text[_CHECKSUM], json.loads(body)
        what = f"is another one ({name})" if found and text == _enveloped(name, body) else "is damaged"
    except FileNotFoundError:
        what = "is missing"
    except PermissionError as error:
        what, remedy = f"cannot be read: {error.strerror}", LET_READ
    except (OSError, ValueError):
        what = "is damaged"
    raise StateError(f"a document of the state's journal {what}", where=str(path), remedy=remedy)


def _name(path: Place) -> str:
    """The identity that a document states: its dataset, directory and name."""
    return "/".join(path.parts[-3:]).removesuffix(_PREPARED)


def _enveloped(name: str, body: str) -> str:
    """A document as it lies in its file; without a name, as releases wrote it that gave none."""
    named = f'"name":"{name}",' if name else ""
    checksum = hashlib.sha256(f"{named}{body}".encode("ascii")).hexdigest()
    return f'{{"sha256":"{checksum}",{named}"document":{body}}}\n'
