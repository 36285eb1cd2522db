"""The sources by their format. A source's module is imported when a table names it, and its libraries with it."""

import importlib

from profiling_core.ingest.sources.protocol import Source
from profiling_core.model.source import Source as SourceConfig
from profiling_core.model.source import SourceFormat
from profiling_core.state.settings import Settings

_LANDING = "profiling_core.ingest.sources.landing:Landing"
SOURCES = {SourceFormat.CSV: _LANDING, SourceFormat.JSONL: _LANDING, SourceFormat.PARQUET: _LANDING}


def open_source(settings: Settings, config: SourceConfig) -> Source:
    """The source that a table's configuration names."""
    module, name = SOURCES[config.format].split(":")
    source: Source = getattr(importlib.import_module(module), name)(settings, config)
    return source
