"""What has landed: the delta ids and files in each table's source directory, and which of them are still to be applied.

A delta is a file ``<delta id>.<extension>``, or a directory ``<delta id>`` with part files. What is neither is told,
since a misnamed file would otherwise wait forever without anyone knowing.
"""

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from profiling_core.model.dataset import DatasetConfig, Source, SourceFormat
from profiling_core.model.errors import ConfigurationError, InputError
from profiling_core.state.settings import HOME_VARIABLE, Settings

EXTENSION = {SourceFormat.CSV: ".csv", SourceFormat.JSONL: ".jsonl", SourceFormat.PARQUET: ".parquet"}
_DELTA_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,120}")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Landed:
    """A source directory: its deltas by id, ascending as text, and what in it is no delta, with the reason."""

    deltas: Mapping[str, Path]
    warnings: tuple[str, ...]


def pending(
    settings: Settings, config: DatasetConfig, applied: Mapping[str, Iterable[str]], label: str | None
) -> dict[str, tuple[str, ...]]:
    """For each table the delta ids that have landed and are not applied, ascending as text.

    Args:
        settings: the project's places.
        config: the dataset.
        applied: the delta ids that each table's current version holds.
        label: only ids up to this one, compared as text; None: all.

    Raises:
        ConfigurationError: a source directory does not exist.
        InputError: a delta is there twice, as file and as directory.
    """
    found = {}
    for table, options in config.tables.items():
        landed = look(settings, options.source)
        for warning in landed.warnings:
            _LOG.warning("table %s: %s", table, warning)
        done = frozenset(applied.get(table, ()))
        found[table] = tuple(d for d in landed.deltas if d not in done and (label is None or d <= label))
    return found


def directory_of(settings: Settings, source: Source) -> Path:
    """A source's directory: relative to the project root, or after ``$HOLDFAST_HOME/`` to the state directory."""
    below_home = source.path.removeprefix(f"${HOME_VARIABLE}/")
    return settings.home / below_home if below_home != source.path else settings.resolve(source.path)


def look(settings: Settings, source: Source) -> Landed:
    """What lies in a source directory. Hidden files and those that begin with an underscore are passed over."""
    directory, extension = directory_of(settings, source), EXTENSION[source.format]
    if not directory.is_dir():
        raise ConfigurationError(
            "the source directory does not exist",
            where=str(directory),
            remedy="create it, or correct source.path in the dataset's file (relative paths start at the project root)",
        )
    deltas: dict[str, Path] = {}
    warnings = []
    for path in sorted(directory.iterdir(), key=lambda p: p.name):
        if _is_hidden(path):
            continue
        delta_id = path.name if path.is_dir() else path.name.removesuffix(extension)
        if not path.is_dir() and path.name == delta_id:
            warnings.append(f"{path} is not read: its name does not end in {extension}, the source's format")
        elif not _DELTA_ID.fullmatch(delta_id):
            warnings.append(f"{path} is not read: {delta_id!r} cannot be a delta id")
        elif delta_id in deltas:
            raise InputError(
                f"delta {delta_id!r} has landed twice, as a file and as a directory",
                where=str(directory),
                remedy="remove one of them",
            )
        else:
            deltas[delta_id] = path
    return Landed(dict(sorted(deltas.items())), tuple(warnings))


def files(settings: Settings, source: Source, delta_id: str) -> tuple[Path, ...]:
    """The files of a delta, in the order in which they are read: itself, or its parts by name.

    Raises:
        InputError: it is not there (any more), or is a directory without parts.
    """
    path = look(settings, source).deltas.get(delta_id)
    if path is None:
        raise InputError(
            f"delta {delta_id!r} is not there",
            where=str(directory_of(settings, source)),
            remedy="land it (again), and plan the run anew",
        )
    if path.is_file():
        return (path,)
    extension = EXTENSION[source.format]
    parts = tuple(sorted(p for p in path.rglob(f"*{extension}") if p.is_file() and not _is_hidden(p)))
    if not parts:
        raise InputError(
            f"delta {delta_id!r} is a directory without {extension} files",
            where=str(path),
            remedy="land its part files; a delta without rows is a file with a header alone",
        )
    return parts


def _is_hidden(path: Path) -> bool:
    return path.name.startswith((".", "_"))
