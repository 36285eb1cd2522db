"""Compressed files of text as plain ones, within the bound of Parquet files: a small file may unfold to a disk."""

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from profiling_core.ingest.landed_names import plain_name
from profiling_core.ingest.parquet_bounds import may_come_to, unfolds_too_far
from profiling_core.ingest.rows import unreadable_file
from profiling_core.model.errors import InputError, known_places

_BLOCK = 1 << 20


def unfold(path: Path, folder: Path) -> Path:
    """The plain text of a compressed file, written to a folder under the file's name; other files as they are.

    Raises:
        InputError: the file is not compressed as its name says, holds several files, or unfolds to too much.
    """
    if plain_name(path.name) == path.name:
        return path
    made, left = folder / plain_name(path.name), may_come_to(path.stat().st_size)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with _opened(path) as source, made.open("wb") as target:
            while block := source.read(_BLOCK):
                left -= len(block)
                if left < 0:
                    raise unfolds_too_far(path)
                target.write(block)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        raise unreadable_file(path, error) from error
    return made


@contextmanager
def unfolded(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The files, compressed ones as plain ones that are there within the context."""
    with TemporaryDirectory(prefix="holdfast-") as folder:
        made = [unfold(path, Path(folder, str(i))) for i, path in enumerate(paths)]
        with known_places(dict(zip(map(str, made), map(str, paths), strict=True))):
            yield made


@contextmanager
def _opened(path: Path) -> Iterator[BufferedIOBase | IO[bytes]]:
    """What a compressed file holds."""
    if (ending := path.suffix.lower()) != ".zip":
        with gzip.open(path) if ending == ".gz" else bz2.open(path) if ending == ".bz2" else lzma.open(path) as file:
            yield file
        return
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) != 1:
            raise InputError(
                f"the archive has {len(members)} files, and a delta has one table",
                where=str(path),
                remedy="land each file by itself, or compress each by itself",
            )
        with archive.open(members[0]) as file:
            yield file
