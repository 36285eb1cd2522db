"""A landing directory: a delta is a file ``<delta id>.<extension>``, or a directory ``<delta id>`` with part files.

What is neither is told, since a misnamed file would otherwise wait forever without anyone knowing.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from profiling_core.ingest.sources.formats import EXTENSION, reader_of
from profiling_core.ingest.sources.protocol import Applied, Batch, Found
from profiling_core.model.dataset import Source, SourceKind
from profiling_core.model.errors import ConfigurationError, InputError
from profiling_core.spark.sources import source_parts
from profiling_core.state.settings import HOME_VARIABLE, Settings

_DELTA_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,120}")


class Landing:
    """The landing directory of one table. Delta ids apply in ascending order as text."""

    def __init__(self, settings: Settings, source: Source) -> None:
        self._source = source
        self.directory = directory_of(settings, source)
        self._extension = EXTENSION[source.format]

    @property
    def where(self) -> str:
        """The directory."""
        return str(self.directory)

    def look(self, applied: Applied) -> Found:  # noqa: ARG002 -- what is there does not depend on it
        """The deltas in the directory."""
        deltas, warnings = self._entries()
        return Found(tuple(deltas), tuple(warnings))

    def open(self, delta_ids: Sequence[str], applied: Applied) -> Batch:  # noqa: ARG002 -- files say all themselves
        """The deltas' files."""
        kind = self._source.kind
        files = [[(str(path), path.stat().st_size) for path in self.files(delta_id)] for delta_id in delta_ids]
        return Batch(
            parts=source_parts(files),
            reader=reader_of(self._source),
            operations=kind is SourceKind.CHANGES,
            whole=kind is SourceKind.SNAPSHOT,
            positions={},
        )

    def files(self, delta_id: str) -> tuple[Path, ...]:
        """The files of a delta, in the order in which they are read: itself, or its parts by name.

        Raises:
            InputError: it is not there (any more), or is a directory without parts.
        """
        path = self._entries()[0].get(delta_id)
        if path is None:
            raise InputError(
                f"delta {delta_id!r} is not there",
                where=self.where,
                remedy="land it (again), and plan the run anew",
            )
        if path.is_file():
            return (path,)
        parts = tuple(sorted(p for p in path.rglob(f"*{self._extension}") if p.is_file() and not _is_hidden(p)))
        if not parts:
            raise InputError(
                f"delta {delta_id!r} is a directory without {self._extension} files",
                where=str(path),
                remedy="land its part files; a delta without rows is a file with a header alone",
            )
        return parts

    def _entries(self) -> tuple[Mapping[str, Path], list[str]]:
        """The deltas by id, and warnings. Hidden files and those that begin with an underscore are passed over."""
        if not self.directory.is_dir():
            raise ConfigurationError(
                "the source directory does not exist",
                where=self.where,
                remedy="create it, or correct source.path in the dataset's file "
                "(relative paths start at the project root)",
            )
        deltas: dict[str, Path] = {}
        warnings = []
        for path in sorted(self.directory.iterdir(), key=lambda p: p.name):
            if _is_hidden(path):
                continue
            delta_id = path.name if path.is_dir() else path.name.removesuffix(self._extension)
            if not path.is_dir() and path.name == delta_id:
                warnings.append(f"{path} is not read: its name does not end in {self._extension}, the source's format")
            elif not _DELTA_ID.fullmatch(delta_id):
                warnings.append(f"{path} is not read: {delta_id!r} cannot be a delta id")
            elif delta_id in deltas:
                raise InputError(
                    f"delta {delta_id!r} has landed twice, as a file and as a directory",
                    where=self.where,
                    remedy="remove one of them",
                )
            else:
                deltas[delta_id] = path
        return dict(sorted(deltas.items())), warnings


def directory_of(settings: Settings, source: Source) -> Path:
    """A source's directory: relative to the project root, or after ``$HOLDFAST_HOME/`` to the state directory."""
    below_home = source.path.removeprefix(f"${HOME_VARIABLE}/")
    return settings.home / below_home if below_home != source.path else settings.resolve(source.path)


def _is_hidden(path: Path) -> bool:
    return path.name.startswith((".", "_"))
