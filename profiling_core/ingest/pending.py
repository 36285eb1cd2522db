"""Which deltas are there and not applied yet, table by table."""

import logging
from collections.abc import Iterable, Mapping

from profiling_core.ingest.sources.registry import open_source
from profiling_core.model.dataset import DatasetConfig
from profiling_core.state.settings import Settings

_LOG = logging.getLogger(__name__)


def pending(
    settings: Settings, config: DatasetConfig, applied: Mapping[str, Iterable[str]], label: str | None
) -> dict[str, tuple[str, ...]]:
    """For each table the delta ids that are there and not applied, in the order in which they apply.

    Args:
        settings: the project's places.
        config: the dataset.
        applied: the delta ids that each table's current version holds.
        label: only ids up to this one, compared as text; None: all.

    Raises:
        ConfigurationError: a source's place does not exist.
        InputError: a source contradicts itself, such as by a delta that is there twice.
    """
    found = {}
    for table, options in config.tables.items():
        done = {delta_id: dict[str, str]() for delta_id in applied.get(table, ())}
        there = open_source(settings, options.source).look(done)
        for warning in there.warnings:
            _LOG.warning("table %s: %s", table, warning)
        found[table] = tuple(d for d in there.deltas if d not in done and (label is None or d <= label))
    return found
