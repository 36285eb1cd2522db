"""What a dataset lives by, in the formats of other tools."""

from profiling_core.emit.dialects import Dialect
from profiling_core.emit.formats.contract import Export, contract
from profiling_core.emit.formats.formats import EXPORTS, Format
from profiling_core.pipeline.joins import LIKELY, join_graph
from profiling_core.pipeline.lifecycle_step import severities
from profiling_core.pipeline.suites import version_of
from profiling_core.pipeline.workspace import Workspace


def export(work: Workspace, form: Format, dialect: Dialect) -> Export:
    """The newest version's constraints in force; raises ``InputError`` where nothing has been applied yet."""
    version = version_of(work, None)
    schemas = {name: state.schema for name, state in version.tables.items()}
    tracked = work.catalog.tracked(work.dataset, version.number)
    return EXPORTS[form](contract(work.config, schemas, tracked, dialect, _foreign_keys(work), severities(work)))


def _foreign_keys(work: Workspace) -> frozenset[str]:
    if work.config.inclusions == "off":
        return frozenset()
    return frozenset(join.inclusion.fingerprint for join in join_graph(work, LIKELY).joins)
