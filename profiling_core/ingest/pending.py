"""Which deltas have landed and are not applied yet, per table."""

import logging
from collections.abc import Mapping

from profiling_core.ingest.sources.extracted import Extracted
from profiling_core.ingest.sources.moment import Moment
from profiling_core.ingest.sources.protocol import Applied, Found
from profiling_core.ingest.sources.registry import open_source
from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.errors import InputError
from profiling_core.state.settings import Settings

_LOG = logging.getLogger(__name__)


def look(
    settings: Settings,
    config: DatasetConfig,
    applied: Mapping[str, Applied],
    label: str | None = None,
    moment: Moment | None = None,
) -> dict[str, Found]:
    """What each table's source has beside the applied deltas.

    Args:
        settings: the project's places.
        config: the dataset.
        applied: the deltas that each table's current version holds, with their positions.
        label: only deltas up to this one; None: all.
        moment: the shared moment at which databases are read; None: each table has its own.

    Raises:
        ConfigurationError: a source's place does not exist.
        InputError: a source contradicts itself, for instance by a delta that is there twice.
        UnreachableError: a source does not answer.
    """
    found = {}
    for table, options in config.tables.items():
        source = open_source(settings, options)
        if moment is not None and isinstance(source, Extracted):
            source.read_at(moment)
        try:
            there = source.look(applied.get(table, {}), label)
        except OSError as error:
            raise InputError(
                f"the source of table {table!r} cannot be read: {error.strerror or error}",
                where=str(error.filename or source.where),
                remedy="give this user the right to read it, and check that it exists",
            ) from error
        for warning in there.warnings:
            _LOG.warning("table %s: %s", table, warning)
        found[table] = there
    return found


def pending(
    settings: Settings, config: DatasetConfig, applied: Mapping[str, Applied], label: str | None = None
) -> dict[str, tuple[str, ...]]:
    """For each table the deltas to apply, in order; see :func:`look`."""
    return {table: found.pending for table, found in look(settings, config, applied, label).items()}
